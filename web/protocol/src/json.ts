/** Any value that JSON can write. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object as JSON has it, its members not yet known. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** What is wrong with a value or a schema: where (JSON pointer), which rule, and a sentence for people. */
export interface Issue {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
}

const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 64, maxNodes: 200_000 };

/** Whether a value is an object as JSON has it: no array, no Date, no Map, no instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether an object has a member of its own of that name; inherited ones such as `toString` do not count. */
export function hasOwn(object: object, key: string): boolean {
  return Object.prototype.hasOwnProperty.call(object, key);
}

/** One reference token of a JSON pointer, escaped. */
export function pointerToken(key: string | number): string {
  return String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

/**
 * The first thing that keeps a value from being plain JSON, or null.
 *
 * Depth first; the root has depth 0; every value counts as a node, leaves and root included.
 */
export function checkJson(value: unknown, limits: Partial<JsonLimits> = {}): Issue | null {
  const { maxDepth, maxNodes } = { ...DEFAULT_JSON_LIMITS, ...limits };
  let nodes = 0;

  function visit(node: unknown, path: string, depth: number): Issue | null {
    nodes += 1;
    if (nodes > maxNodes) return jsonIssue(path, `there are more than ${maxNodes} values`);
    if (depth > maxDepth) return jsonIssue(path, `values are nested deeper than ${maxDepth} levels`);
    if (node === null || typeof node === "string" || typeof node === "boolean") return null;
    if (typeof node === "number") return Number.isFinite(node) ? null : jsonIssue(path, "the number is not finite");
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index += 1) {
        const found = visit(node[index], `${path}/${index}`, depth + 1);
        if (found) return found;
      }
      return null;
    }
    if (!isPlainObject(node)) return jsonIssue(path, "this is not a JSON value");
    for (const key of Object.keys(node)) {
      const found = visit(node[key], `${path}/${pointerToken(key)}`, depth + 1);
      if (found) return found;
    }
    return null;
  }

  return visit(value, "", 0);
}

function jsonIssue(path: string, message: string): Issue {
  return { path, keyword: "json", message };
}

/** UTF-16 units of compact JSON: the measure of every limit on messages. */
export function jsonLength(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}

/** JSON with the keys of every object sorted by UTF-16 unit: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = value as Record<string, unknown>;
    const written = Object.keys(members)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`);
    return `{${written.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
