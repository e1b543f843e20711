/** A file of the workspace, and perhaps a line in it: the value of `ns:file-ref`. */
export interface FileRef {
  path: string;
  line?: number;
}

/** The file that a value of a type refers to; null when it refers to none. */
export function fileRefOf(type: string, value: unknown): FileRef | null {
  if (type !== "ns:file-ref" || typeof value !== "object" || value === null) return null;
  const { path, line } = value as { path?: unknown; line?: unknown };
  if (typeof path !== "string" || path === "") return null;
  const isLine = typeof line === "number" && Number.isInteger(line) && line > 0;
  return isLine ? { path, line } : { path };
}

/** The same, of a value's JSON text, which may have been cut. */
export function fileRefIn(type: string, text: string): FileRef | null {
  if (type !== "ns:file-ref") return null;
  try {
    return fileRefOf(type, JSON.parse(text));
  } catch {
    return null;
  }
}

export function refText({ path, line }: FileRef): string {
  return line === undefined ? path : `${path}:${line}`;
}

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/|\\|#|\?)/i;
const LINE = /^L(\d+)/;

/** The file that a link in a Markdown file leads to, seen from that file's folder; null for links of another kind. */
export function linkedFile(folder: string, address: string): FileRef | null {
  if (address === "" || SCHEME.test(address)) return null;
  const [way = "", mark = ""] = address.split("#", 2);
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of plain(way.split("?", 1)[0] ?? "").split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  if (parts.length === 0) return null;
  const line = Number(LINE.exec(mark)?.[1] ?? 0);
  return line > 0 ? { path: parts.join("/"), line } : { path: parts.join("/") };
}

function plain(way: string): string {
  try {
    return decodeURIComponent(way);
  } catch {
    return way;
  }
}
