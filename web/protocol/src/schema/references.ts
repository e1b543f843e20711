import { hasOwn, isPlainObject } from "../json";

/** A schema whose keywords are not checked yet. */
export type LooseSchema = Readonly<Record<string, unknown>>;

const DEFINITIONS = "#/$defs/";

/** The schema that `#` or `#/$defs/NAME` names in `root`, or null; NAME is one segment of a JSON pointer. */
export function resolveReference(root: LooseSchema, reference: unknown): LooseSchema | null {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith(DEFINITIONS)) return null;
  const segment = reference.slice(DEFINITIONS.length);
  const definitions = hasOwn(root, "$defs") ? root["$defs"] : undefined;
  if (segment.includes("/") || !isPlainObject(definitions)) return null;
  const name = segment.replace(/~1/g, "/").replace(/~0/g, "~");
  const target = hasOwn(definitions, name) ? definitions[name] : undefined;
  return isPlainObject(target) ? target : null;
}
