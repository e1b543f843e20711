import type { FileContent } from "../wire/records";
import { nameOf } from "./tree";

/** What is shown of a file. */
export type Content =
  | { kind: "text"; lines: readonly string[]; markdown: string | null; truncated: boolean }
  | { kind: "image"; address: string }
  | { kind: "binary" }
  | { kind: "large" };

/** A text longer than this is shown from its beginning, until more is asked for. */
export const FIRST_BYTES = 1024 * 1024;
/** All that the server reads of one file. */
export const MOST_BYTES = 10 * 1024 * 1024;

/** Browsers place nothing below some 33 million pixels. */
const MOST_LINES = 500_000;
/** Longer lines are cut where they are shown: nobody reads them, and they would take the page seconds. */
export const MOST_CHARS_A_LINE = 4_000;
/** Longer Markdown is shown as its source: some texts take the square of their length to render. */
const MOST_RENDERED_CHARS = 256 * 1024;
const LOOKED_AT_CHARS = 8_000;
/** A text in an older encoding has some letters that are no UTF-8; what was compressed is that half the time. */
const MOST_BROKEN = 0.3;

const IMAGES: Readonly<Record<string, string>> = {
  png: "image/png",
  apng: "image/apng",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
};
const MARKDOWN = new Set(["md", "markdown", "mdown", "mkd"]);

function ending(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** The media type of a picture by its name; null for anything else. */
export function imageType(path: string): string | null {
  return IMAGES[ending(path)] ?? null;
}

export function isMarkdown(path: string): boolean {
  return MARKDOWN.has(ending(path));
}

/** A picture as the page can show it. Scripts in an SVG do not run there, and nothing it names is fetched. */
export function imageContent(path: string, { data, size, truncated }: FileContent): Content {
  if (truncated) return { kind: "large" };
  if (size === 0) return { kind: "text", lines: [""], markdown: null, truncated: false };
  return { kind: "image", address: `data:${imageType(path) ?? "image/png"};base64,${data}` };
}

export function textContent(path: string, { data, truncated }: FileContent): Content {
  if (isBinary(data)) return { kind: "binary" };
  const lines = data.split(/\r\n|\n|\r/);
  // The break that ends the last line begins no other.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return {
    kind: "text",
    lines: lines.length > MOST_LINES ? lines.slice(0, MOST_LINES) : lines,
    markdown: isMarkdown(path) && data.length <= MOST_RENDERED_CHARS ? data : null,
    truncated: truncated || lines.length > MOST_LINES,
  };
}

/** Whether the beginning of a content is no text: it holds a NUL, or much that is no UTF-8. */
function isBinary(data: string): boolean {
  const head = data.slice(0, LOOKED_AT_CHARS);
  if (head.includes("\0")) return true;
  let broken = 0;
  for (const character of head) if (character === "\uFFFD") broken += 1;
  return broken > head.length * MOST_BROKEN;
}
