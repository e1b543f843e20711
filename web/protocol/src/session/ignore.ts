import { isTrashPath } from "./files";

const ALWAYS_IGNORED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const ANY_RUN = Symbol("*");
const ANY_CHAR = Symbol("?");
const ANY_DEPTH = Symbol("**");

interface CharClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}

type Token = string | typeof ANY_RUN | typeof ANY_CHAR | CharClass;
type Segment = readonly Token[] | typeof ANY_DEPTH;

/** One line of a .gitignore. `segments` is null for a pattern that matches nothing. */
export interface IgnoreRule {
  readonly source: string;
  readonly negated: boolean;
  readonly dirsOnly: boolean;
  readonly anchored: boolean;
  readonly segments: readonly Segment[] | null;
}

/** The rules of the .gitignore in a folder ("" is the root), nothing where there is none. */
export type RulesOf = (folder: string) => readonly IgnoreRule[] | null | undefined;

/** Whether a normalised path is ignored. Nothing below an ignored folder can be taken back. */
export function isIgnoredPath(path: string, isDir: boolean, rulesOf: RulesOf): boolean {
  if (path === "") return false;
  const segments = path.split("/");
  if (segments.some((segment) => ALWAYS_IGNORED.has(segment)) || isTrashPath(path)) return true;
  const files: { start: number; rules: readonly IgnoreRule[] }[] = [];
  for (let depth = 0; depth < segments.length; depth += 1) {
    const rules = rulesOf(segments.slice(0, depth).join("/"));
    if (rules) files.push({ start: depth, rules });
    let verdict: boolean | null = null;
    for (const { start, rules: found } of files) {
      const here = segments.slice(start, depth + 1).join("/");
      verdict = matchGitignore(found, here, depth + 1 < segments.length || isDir) ?? verdict;
    }
    if (verdict === true) return true;
  }
  return false;
}

/** What the rules say of a path relative to their folder: the last match decides, null when nothing matches. */
export function matchGitignore(rules: readonly IgnoreRule[], path: string, isDir: boolean): boolean | null {
  const segments = path.split("/");
  for (const rule of [...rules].reverse()) {
    if (rule.segments === null || (rule.dirsOnly && !isDir)) continue;
    if (pathMatches(rule.segments, rule.anchored ? segments : segments.slice(-1))) return !rule.negated;
  }
  return null;
}

/** The rules of a .gitignore in the order of its lines. */
export function parseGitignore(text: string): IgnoreRule[] {
  return text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line) => ruleOf(line.replace(/\r$/, "")) ?? []);
}

function ruleOf(line: string): IgnoreRule | null {
  if (line.startsWith("#")) return null;
  let pattern = withoutTrailingSpaces(line);
  const negated = pattern.startsWith("!");
  if (negated) pattern = pattern.slice(1);
  const dirsOnly = pattern.endsWith("/");
  if (dirsOnly) pattern = pattern.slice(0, -1);
  if (pattern === "" || pattern === "/") return null;
  const anchored = pattern.includes("/");
  const parts = pattern.replace(/^\//, "").split("/").map(segmentOf);
  if (!anchored && parts[0] === ANY_DEPTH) parts[0] = [ANY_RUN];
  const known = parts.filter((part) => part !== null);
  return { source: line, negated, dirsOnly, anchored, segments: known.length === parts.length ? known : null };
}

function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") {
    let backslashes = 0;
    while (line[end - 2 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 1) break; // the last space is escaped
    end -= 1;
  }
  return line.slice(0, end);
}

/** The tokens of one segment; null when it can match nothing. */
function segmentOf(text: string): Segment | null {
  if (text === "**") return ANY_DEPTH;
  const chars = [...text];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    if (char === "\\") {
      at += 1;
      const escaped = chars[at];
      if (escaped === undefined) return null;
      tokens.push(escaped);
    } else if (char === "*") {
      if (tokens.at(-1) !== ANY_RUN) tokens.push(ANY_RUN);
    } else if (char === "?") {
      tokens.push(ANY_CHAR);
    } else if (char === "[") {
      const found = charClass(chars, at + 1);
      if (found === null) return null;
      tokens.push(found.chars);
      at = found.end;
    } else {
      tokens.push(char);
    }
  }
  return tokens;
}

/** The class that begins behind a bracket, and the place of its end; null when it never ends. */
function charClass(text: readonly string[], start: number): { chars: CharClass; end: number } | null {
  const negated = text[start] === "!" || text[start] === "^";
  const ranges: [string, string][] = [];
  let at = negated ? start + 1 : start;
  for (let first = true; at < text.length && (first || text[at] !== "]"); first = false) {
    const low = classChar(text, at);
    at = low.next;
    const behind = text[at + 1];
    if (text[at] === "-" && behind !== undefined && behind !== "]") {
      const high = classChar(text, at + 1);
      at = high.next;
      ranges.push([low.char, high.char]);
    } else {
      ranges.push([low.char, low.char]);
    }
  }
  return at < text.length ? { chars: { negated, ranges }, end: at } : null;
}

function classChar(text: readonly string[], at: number): { char: string; next: number } {
  const escaped = text[at] === "\\" ? text[at + 1] : undefined;
  return escaped === undefined ? { char: text[at] ?? "", next: at + 1 } : { char: escaped, next: at + 2 };
}

/** Whether a path fits; `**` stands for any number of segments, at the end for at least one. */
function pathMatches(pattern: readonly Segment[], segments: readonly string[]): boolean {
  return wildMatch(
    pattern.length,
    segments.length,
    (at) => pattern[at] === ANY_DEPTH,
    (at, here) => {
      const part = pattern[at];
      return Array.isArray(part) && nameMatches(part as readonly Token[], [...(segments[here] ?? "")]);
    },
    true,
  );
}

function nameMatches(tokens: readonly Token[], name: readonly string[]): boolean {
  return wildMatch(
    tokens.length,
    name.length,
    (at) => tokens[at] === ANY_RUN,
    (at, here) => charMatches(tokens[at], name[here] ?? ""),
    false,
  );
}

/** Matching with one kind of wildcard that takes any number of items; going back to the last one alone suffices. */
function wildMatch(
  patternLength: number,
  length: number,
  isWild: (at: number) => boolean,
  fits: (at: number, here: number) => boolean,
  lastTakesOne: boolean,
): boolean {
  let at = 0;
  let here = 0;
  let back: { at: number; here: number } | null = null;
  while (here < length) {
    if (at < patternLength && isWild(at)) {
      if (at === patternLength - 1) return true;
      back = { at, here };
      at += 1;
    } else if (at < patternLength && fits(at, here)) {
      at += 1;
      here += 1;
    } else if (back !== null) {
      back = { at: back.at, here: back.here + 1 };
      at = back.at + 1;
      here = back.here;
    } else {
      return false;
    }
  }
  if (lastTakesOne) return at === patternLength;
  while (at < patternLength && isWild(at)) at += 1;
  return at === patternLength;
}

function charMatches(token: Token | undefined, char: string): boolean {
  if (typeof token === "string") return token === char;
  if (typeof token !== "object") return token === ANY_CHAR;
  return token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated;
}
