/** Whether a value is a safe id of a session or message: no path could misread it. */
export function isSafeId(value: unknown): value is string {
  return typeof value === "string" && value !== "." && value !== ".." && /^[A-Za-z0-9._-]+$/.test(value);
}

/** Whether a value is the file name of an asset: one path segment without control characters. */
export function isAssetName(value: unknown): value is string {
  if (typeof value !== "string" || ["", ".", ".."].includes(value)) return false;
  return ![...value].some((char) => char === "/" || char === "\\" || char < " ");
}
