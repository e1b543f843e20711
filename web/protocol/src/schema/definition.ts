import { CARD_LIMITS, OWN_LIMITS } from "../generated";
import { checkJson, isPlainObject, jsonLength, pointerToken } from "../json";
import type { Issue } from "../json";
import { FORMATS } from "./formats";
import { isPattern } from "./pattern";
import { resolveReference } from "./references";
import type { LooseSchema } from "./references";

export interface DefinitionOptions {
  /** Patterns are allowed in our own schemas and the manifest's, never in those that a card brings. */
  readonly allowPattern?: boolean;
  readonly maxNodes?: number;
  readonly maxDepth?: number;
  readonly maxIssues?: number;
}

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "string", "integer", "number", "array", "object"]);
const MAX_BRANCHES = 16;

/**
 * Every fault of a schema in the order of its keys; none if it may be used.
 *
 * Each path points at the keyword. The keyword is `schema` for a sub-schema that is no object, `size` and `depth` for
 * the limits. Once the cap is reached no further sub-schema is entered, but the one being looked at is reported whole.
 */
export function checkDefinition(schema: unknown, options: DefinitionOptions = {}): Issue[] {
  const walk = new Walk(schema, options);
  walk.enter(schema, "", 0);
  return walk.issues;
}

class Walk {
  readonly issues: Issue[] = [];
  readonly #root: LooseSchema;
  readonly #allowPattern: boolean;
  readonly #maxNodes: number;
  readonly #maxDepth: number;
  readonly #maxIssues: number;
  #nodes = 0;

  constructor(root: unknown, options: DefinitionOptions) {
    this.#root = isPlainObject(root) ? root : {};
    this.#allowPattern = options.allowPattern ?? false;
    this.#maxNodes = options.maxNodes ?? CARD_LIMITS.schemaNodes;
    this.#maxDepth = options.maxDepth ?? CARD_LIMITS.schemaDepth;
    this.#maxIssues = options.maxIssues ?? OWN_LIMITS.schemaIssues;
  }

  enter(schema: unknown, path: string, depth: number): void {
    if (this.issues.length >= this.#maxIssues || this.#nodes > this.#maxNodes) return;
    this.#nodes += 1;
    if (this.#nodes > this.#maxNodes) {
      this.#report(path, "size", `A schema may hold at most ${this.#maxNodes} sub-schemas.`);
    } else if (depth > this.#maxDepth) {
      this.#report(path, "depth", `A schema may be nested at most ${this.#maxDepth} levels deep.`);
    } else if (!isPlainObject(schema)) {
      this.#report(path, "schema", "A schema must be an object.");
    } else {
      for (const keyword of Object.keys(schema)) {
        this.#keyword(keyword, schema[keyword], `${path}/${pointerToken(keyword)}`, depth + 1);
      }
    }
  }

  #report(path: string, keyword: string, message: string): void {
    this.issues.push({ path, keyword, message });
  }

  #keyword(keyword: string, value: unknown, path: string, depth: number): void {
    switch (keyword) {
      case "items":
        return this.enter(value, path, depth);
      case "additionalProperties":
        return typeof value === "boolean" ? undefined : this.enter(value, path, depth);
      case "properties":
      case "$defs":
        return this.#members(keyword, value, path, depth);
      case "anyOf":
      case "oneOf":
        return this.#branches(keyword, value, path, depth);
      case "$ref":
        if (resolveReference(this.#root, value) === null) {
          this.#report(path, keyword, "This must be # or #/$defs/NAME, naming a definition of this schema.");
        }
        return;
      case "pattern":
        return this.#pattern(value, path);
      default: {
        const rule = RULES.get(keyword);
        const complaint = rule === undefined ? "This keyword is not supported." : rule(value);
        if (complaint !== null) this.#report(path, keyword, complaint);
      }
    }
  }

  #members(keyword: string, value: unknown, path: string, depth: number): void {
    if (!isPlainObject(value)) {
      this.#report(path, keyword, "This must be an object of schemas.");
      return;
    }
    for (const name of Object.keys(value)) this.enter(value[name], `${path}/${pointerToken(name)}`, depth);
  }

  #branches(keyword: string, value: unknown, path: string, depth: number): void {
    if (!Array.isArray(value) || value.length < 1 || value.length > MAX_BRANCHES) {
      this.#report(path, keyword, `This must be a list of 1 to ${MAX_BRANCHES} schemas.`);
      return;
    }
    value.forEach((branch, index) => this.enter(branch, `${path}/${index}`, depth));
  }

  #pattern(value: unknown, path: string): void {
    const maxUnits = OWN_LIMITS.schemaPatternChars;
    if (!this.#allowPattern) {
      this.#report(path, "pattern", "Patterns are not allowed here.");
    } else if (typeof value !== "string" || value.length > maxUnits || !isPattern(value)) {
      this.#report(path, "pattern", `This must be a regular expression of at most ${maxUnits} units.`);
    }
  }
}

/** The complaint about a keyword's value, or null. */
type Rule = (value: unknown) => string | null;

const rule =
  (message: string, right: (value: unknown) => boolean): Rule =>
  (value) =>
    right(value) ? null : message;

const anything: Rule = () => null;
const text = rule("This must be a text.", (value) => typeof value === "string");
const flag = rule("This must be true or false.", (value) => typeof value === "boolean");
const count = rule("This must be a whole number, 0 or more.", (value) => Number.isInteger(value) && (value as number) >= 0);
const number = rule("This must be a number.", Number.isFinite);

const types = rule("This must be one or several of the seven types.", (value) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => TYPES.has(name));
});

const names = rule(
  "This must be a list of names.",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);

const options = rule(
  `This must be a list of 1 to ${CARD_LIMITS.schemaEnumOptions} JSON values, ${CARD_LIMITS.schemaEnumBytes} units long at most.`,
  (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= CARD_LIMITS.schemaEnumOptions &&
    isJsonWithin(value, CARD_LIMITS.schemaEnumBytes),
);

const constant = rule(`This must be a JSON value of at most ${CARD_LIMITS.schemaConstBytes} units.`, (value) =>
  isJsonWithin(value, CARD_LIMITS.schemaConstBytes),
);

const format = rule("This format is not known.", (value) => typeof value === "string" && FORMATS.has(value));

const divisor = rule("This must be a number above 0.", (value) => Number.isFinite(value) && (value as number) > 0);

function isJsonWithin(value: unknown, maxUnits: number): boolean {
  return checkJson(value) === null && jsonLength(value) <= maxUnits;
}

const each = (keywords: readonly string[], shared: Rule): [string, Rule][] => keywords.map((keyword) => [keyword, shared]);

const RULES: ReadonlyMap<string, Rule> = new Map([
  ...each(["title", "description", "$comment"], text),
  ...each(["$id", "$schema", "default", "examples", "deprecated", "readOnly", "writeOnly"], anything),
  ...each(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], count),
  ...each(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], number),
  ["uniqueItems", flag],
  ["type", types],
  ["required", names],
  ["enum", options],
  ["const", constant],
  ["format", format],
  ["multipleOf", divisor],
]);
