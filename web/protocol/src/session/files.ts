import { FileBadRequestError } from "./errors";

export const WORKSPACE_TRASH_DIR = ".nr-trash";
export const DEFAULT_FILE_READ_MAX_BYTES = 2 * 1024 * 1024;

export type FileEncoding = "utf8" | "base64";

/** A file or folder in a listing. `ignored` marks what version control leaves out. */
export interface FileEntry {
  readonly path: string;
  readonly name: string;
  readonly type: "file" | "dir";
  readonly size?: number;
  readonly mtime?: string;
  readonly mime?: string;
  readonly ignored?: boolean;
  readonly revision?: string;
}

/** A file's content; `revision` changes with it. */
export interface FileContent {
  readonly path: string;
  readonly content: string;
  readonly encoding: FileEncoding;
  readonly revision: string;
  readonly size?: number;
  readonly mime?: string;
}

export interface FileReadOpts {
  readonly maxBytes?: number;
}

/** `ifRevision` is the revision that the writer has seen; null says that the file must not exist yet. */
export interface FileWriteOpts {
  readonly encoding?: FileEncoding;
  readonly ifRevision?: string | null;
}

/**
 * A relative path with `/` between its segments, "" for the root.
 *
 * Throws for anything absolute, for `..` in any segment, a backslash, NUL or a drive letter. Nothing is decoded or trimmed.
 */
export function normalizeFilePath(path: unknown): string {
  if (typeof path !== "string") throw new FileBadRequestError("The path must be a text.");
  const fault = pathFault(path);
  if (fault !== null) {
    throw new FileBadRequestError(`${JSON.stringify(path)} is no path inside the workspace: ${fault}.`);
  }
  return path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
}

function pathFault(path: string): string | null {
  if (path.startsWith("/")) return "it is absolute";
  if (path.includes("\\")) return "it holds a backslash";
  if (path.includes("\0")) return "it holds a NUL character";
  if (path.split("/").includes("..")) return "it steps upwards";
  return /^[A-Za-z]:/.test(path) ? "it begins with a drive letter" : null;
}

/** The folder that holds a normalised path; "" for what lies in the root and for the root itself. */
export function parentFilePath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether a normalised path is the workspace's trash or lies in it. */
export function isTrashPath(path: string): boolean {
  return path === WORKSPACE_TRASH_DIR || path.startsWith(`${WORKSPACE_TRASH_DIR}/`);
}

/** The content of a file: as text when its bytes are UTF-8 without NUL, a byte order mark kept; else base64. */
export function fileContent(file: { path: string; data: Uint8Array; revision: string }): FileContent {
  const { path, data, revision } = file;
  const text = data.includes(0) ? null : asText(data);
  const mime = fileMime(path);
  return {
    path,
    content: text ?? btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join("")),
    encoding: text === null ? "base64" : "utf8",
    revision,
    size: data.length,
    ...(mime === null ? {} : { mime }),
  };
}

function asText(data: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}

/** The bytes of a content. Throws for broken base64, half a character, or another encoding. */
export function decodeFileContent(content: unknown, encoding: unknown = "utf8"): Uint8Array {
  if (typeof content !== "string") throw new FileBadRequestError("The content must be a text.");
  switch (encoding) {
    case "utf8":
    case "utf-8":
      if (/[\ud800-\udfff]/u.test(content)) throw new FileBadRequestError("The content holds half a character.");
      return new TextEncoder().encode(content);
    case "base64":
      return fromBase64(content);
    default:
      throw new FileBadRequestError(`${String(encoding)} is no encoding: use utf8 or base64.`);
  }
}

function fromBase64(content: string): Uint8Array {
  const text = content.replace(/[\t\n\f\r ]+/g, "");
  const body = text.replace(/=+$/, "");
  const padded = body.length < text.length;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || body.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
    throw new FileBadRequestError("The content is not base64.");
  }
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

/** Refuses to read more than `maxBytes`; the limit itself passes. */
export function checkFileReadSize(path: string, size: number, maxBytes = DEFAULT_FILE_READ_MAX_BYTES): void {
  if (size <= maxBytes) return;
  const message = `${JSON.stringify(path)} holds ${size} bytes; ${maxBytes} can be read at most.`;
  throw new FileBadRequestError(message, { size, maxBytes });
}

/** The kind of a file by its last extension, null when it has none or an unknown one. */
export function fileMime(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? (MIME.get(name.slice(dot + 1).toLowerCase()) ?? null) : null;
}

const PLAIN = "txt log ini cfg conf env lock gitignore rst tex diff patch";
const SOURCE =
  "py:python pyi:python rb:ruby rs:rust go:go c:c h:c cc:c++ cpp:c++ hpp:c++ java:java kt:kotlin swift:swift " +
  "cs:csharp php:php lua:lua pl:perl r:r scala:scala dart:dart sh:shellscript bash:shellscript zsh:shellscript " +
  "sql:sql toml:toml yaml:yaml yml:yaml vue:vue svelte:svelte zig:zig hs:haskell ex:elixir exs:elixir clj:clojure";
const OTHER =
  "md:text/markdown markdown:text/markdown mdx:text/markdown html:text/html htm:text/html css:text/css csv:text/csv " +
  "tsv:text/tab-separated-values js:text/javascript mjs:text/javascript cjs:text/javascript jsx:text/javascript " +
  "ts:text/typescript tsx:text/typescript mts:text/typescript xml:text/xml json:application/json " +
  "jsonc:application/json json5:application/json jsonl:application/json ipynb:application/json " +
  "webmanifest:application/json map:application/json png:image/png jpg:image/jpeg jpeg:image/jpeg gif:image/gif " +
  "webp:image/webp avif:image/avif svg:image/svg+xml ico:image/x-icon bmp:image/bmp tif:image/tiff tiff:image/tiff " +
  "mp3:audio/mpeg wav:audio/wav ogg:audio/ogg flac:audio/flac m4a:audio/mp4 mp4:video/mp4 webm:video/webm " +
  "mov:video/quicktime pdf:application/pdf zip:application/zip gz:application/gzip tar:application/x-tar " +
  "wasm:application/wasm woff:font/woff woff2:font/woff2 ttf:font/ttf otf:font/otf";

const pairs = (table: string, prefix = ""): [string, string][] =>
  table.split(" ").map((row) => {
    const [extension = "", kind = ""] = row.split(":");
    return [extension, prefix + kind];
  });

const MIME: ReadonlyMap<string, string> = new Map([
  ...PLAIN.split(" ").map((extension): [string, string] => [extension, "text/plain"]),
  ...pairs(SOURCE, "text/x-"),
  ...pairs(OTHER),
]);
