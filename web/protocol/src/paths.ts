import { CARD_LIMITS, PROTECTED_DIRS, PROTECTED_FILES } from "./generated";

const MAX_WORKSPACE_PATH_CHARS = 1024;
const HOST_FOLDER = "__ns";
const CLOSED_DIRS: ReadonlySet<string> = new Set(PROTECTED_DIRS);
const CLOSED_FILES: ReadonlySet<string> = new Set(PROTECTED_FILES);
// Control characters are exactly what this is about.
// eslint-disable-next-line no-control-regex
const FORBIDDEN_CHARS = /[\u0000-\u001f\u007f<>:"|?*]/;
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$) *(?:\..*)?$/i;

/** A package path without its final slash, or null when it is not one; `__ns` belongs to the host. */
export function normalizePackagePath(path: unknown): string | null {
  if (typeof path !== "string" || path.length < 1 || path.length > CARD_LIMITS.pathChars) return null;
  const normal = withoutFinalSlash(path);
  const segments = normal.split("/");
  const [first = ""] = segments;
  if (path.includes("\\") || segments.length > CARD_LIMITS.pathDepth || first.toLowerCase() === HOST_FOLDER) return null;
  return segments.every(isName) ? normal : null;
}

/**
 * A workspace path with `/` between its segments, "" for the folder itself; null for anything that is absolute, steps
 * upwards or holds a name that some file system cannot keep.
 */
export function normalizeWorkspacePath(path: unknown): string | null {
  if (typeof path !== "string" || path.length > MAX_WORKSPACE_PATH_CHARS) return null;
  const trimmed = path.replace(/\\/g, "/").trim();
  if (["", ".", "./"].includes(trimmed)) return "";
  if (trimmed.startsWith("/") || /^[A-Za-z]:/.test(trimmed)) return null;
  const normal = withoutFinalSlash(trimmed.startsWith("./") ? trimmed.slice(2) : trimmed);
  return normal.split("/").every(isName) ? normal : null;
}

/** Whether writing to a normalised workspace path is closed to every card: whoever writes there runs code. */
export function isProtectedPath(path: string): boolean {
  const segments = path.toLowerCase().split("/");
  const last = segments[segments.length - 1] ?? "";
  if (CLOSED_FILES.has(last) || segments.some((segment) => CLOSED_DIRS.has(segment))) return true;
  return segments.some((segment, index) => segment === ".github" && segments[index + 1] === "workflows");
}

/** Whether one segment of a path is a name in every file system. */
function isName(segment: string): boolean {
  if (segment === "" || segment === "." || segment === "..") return false;
  return !FORBIDDEN_CHARS.test(segment) && !/[. ]$/.test(segment) && !DEVICE.test(segment);
}

function withoutFinalSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
