/** How the lines of a text end; null where they end in several ways, which a field would not keep. */
export function lineEnd(text: string): "\n" | "\r\n" | null {
  if (!text.includes("\r")) return "\n";
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? null : "\r\n";
}

/** A text as a field holds it. */
export function forField(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The text of a field with the ends that the lines of the file have. */
export function forFile(text: string, end: "\n" | "\r\n"): string {
  return end === "\n" ? text : text.replaceAll("\n", end);
}
