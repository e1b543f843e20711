import { CARD_LIMITS, OWN_LIMITS } from "../generated";
import { canonicalJson, checkJson, hasOwn, isPlainObject, pointerToken } from "../json";
import type { Issue, JsonLimits } from "../json";
import { FORMATS } from "./formats";
import { patternFound } from "./pattern";
import { resolveReference } from "./references";
import type { LooseSchema } from "./references";

export interface ValueOptions extends Partial<JsonLimits> {
  readonly maxIssues?: number;
  /** Work that may be spent: one a visited node, and one for each 64 characters of a compared text. */
  readonly budget?: number;
}

const UNITS_PER_STEP = 64;
const DIVISION_TOLERANCE = 1e-9;

/**
 * What is wrong with a value, in the order in which it is found; none if it fits the schema.
 *
 * The value has to be plain JSON: the first place where it is not is then the only issue. The schema should have
 * passed `checkDefinition`.
 */
export function checkValue(schema: LooseSchema, value: unknown, options: ValueOptions = {}): Issue[] {
  const { maxDepth = CARD_LIMITS.valueDepth, maxNodes = CARD_LIMITS.valueNodes } = options;
  const issue = checkJson(value, { maxDepth, maxNodes });
  if (issue) return [issue];
  const found = new Findings(options.maxIssues ?? OWN_LIMITS.schemaIssues);
  const check = new ValueCheck(schema, options.budget ?? OWN_LIMITS.schemaBudget);
  check.visit(schema, value, "", 0, found);
  return found.issues;
}

/** Whether a value fits a schema. */
export function isValid(schema: LooseSchema, value: unknown): boolean {
  return checkValue(schema, value, { maxIssues: 1 }).length === 0;
}

/** Issues up to a cap. */
class Findings {
  readonly issues: Issue[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get full(): boolean {
    return this.issues.length >= this.#max;
  }

  add(path: string, keyword: string, message: string): void {
    if (!this.full) this.issues.push({ path, keyword, message });
  }
}

/** The canonical texts of a schema's options, made once: comparing against them again costs nothing more. */
interface KnownTexts {
  constant?: string;
  options?: ReadonlySet<string>;
}

const known = new WeakMap<object, KnownTexts>();

class ValueCheck {
  readonly #root: LooseSchema;
  #budget: number;

  constructor(root: LooseSchema, budget: number) {
    this.#root = root;
    this.#budget = budget;
  }

  visit(schema: LooseSchema, value: unknown, path: string, hops: number, found: Findings): void {
    if (found.full) return;
    if (this.#budget <= 0) {
      found.add(path, "budget", "Checking this value takes too much work.");
      return;
    }
    this.#budget -= 1;
    if (hasOwn(schema, "$ref") && !this.#follow(schema, value, path, hops, found)) return;
    if (hasOwn(schema, "type") && !hasType(value, schema["type"])) {
      found.add(path, "type", `This must be ${typeWords(schema["type"])}.`);
      return;
    }
    this.#compare(schema, value, path, found);
    if (typeof value === "string") checkText(schema, value, path, found);
    else if (typeof value === "number") checkNumber(schema, value, path, found);
    else if (Array.isArray(value)) {
      if (!this.#array(schema, value, path, found)) return;
    } else if (isPlainObject(value)) {
      if (!this.#object(schema, value, path, found)) return;
    }
    this.#anyOf(schema, value, path, hops, found);
    this.#oneOf(schema, value, path, hops, found);
  }

  /** Checks what a `$ref` names; false when it leads nowhere, which ends the node. */
  #follow(schema: LooseSchema, value: unknown, path: string, hops: number, found: Findings): boolean {
    const target = resolveReference(this.#root, schema["$ref"]);
    if (target === null || hops >= OWN_LIMITS.schemaRefHops) {
      found.add(path, "$ref", "The schema's reference leads nowhere.");
      return false;
    }
    this.visit(target, value, path, hops + 1, found);
    return true;
  }

  #compare(schema: LooseSchema, value: unknown, path: string, found: Findings): void {
    const hasConstant = hasOwn(schema, "const");
    const hasOptions = Array.isArray(schema["enum"]);
    if (!hasConstant && !hasOptions) return;
    const text = this.#text(value);
    if (hasConstant && text !== this.#constant(schema)) {
      found.add(path, "const", "This is not the one value allowed here.");
    }
    if (hasOptions && !this.#options(schema).has(text)) {
      found.add(path, "enum", "This is none of the values allowed here.");
    }
  }

  /** The canonical text of a value, paid for by its length. */
  #text(value: unknown): string {
    const text = canonicalJson(value);
    this.#budget -= Math.ceil(text.length / UNITS_PER_STEP);
    return text;
  }

  #constant(schema: LooseSchema): string {
    const texts = knownTexts(schema);
    texts.constant ??= this.#text(schema["const"]);
    return texts.constant;
  }

  #options(schema: LooseSchema): ReadonlySet<string> {
    const texts = knownTexts(schema);
    texts.options ??= new Set((schema["enum"] as unknown[]).map((option) => this.#text(option)));
    return texts.options;
  }

  /** False when there are too many items: nothing else is then looked at. */
  #array(schema: LooseSchema, value: readonly unknown[], path: string, found: Findings): boolean {
    const { minItems, maxItems, items } = schema;
    if (typeof minItems === "number" && value.length < minItems) {
      found.add(path, "minItems", `There must be at least ${minItems} items.`);
    }
    if (typeof maxItems === "number" && value.length > maxItems) {
      found.add(path, "maxItems", `There may be at most ${maxItems} items.`);
      return false;
    }
    if (schema["uniqueItems"] === true && this.#repeats(value)) {
      found.add(path, "uniqueItems", "No two items may be equal.");
    }
    if (isPlainObject(items)) {
      for (let index = 0; index < value.length && !found.full; index += 1) {
        this.visit(items, value[index], `${path}/${index}`, 0, found);
      }
    }
    return true;
  }

  #repeats(items: readonly unknown[]): boolean {
    const seen = new Set<string>();
    for (const item of items) {
      const text = this.#text(item);
      if (seen.has(text)) return true;
      seen.add(text);
    }
    return false;
  }

  /** False when there are too many members: nothing else is then looked at. */
  #object(schema: LooseSchema, value: Readonly<Record<string, unknown>>, path: string, found: Findings): boolean {
    const keys = Object.keys(value);
    const { minProperties, maxProperties, required } = schema;
    if (typeof minProperties === "number" && keys.length < minProperties) {
      found.add(path, "minProperties", `There must be at least ${minProperties} members.`);
    }
    if (typeof maxProperties === "number" && keys.length > maxProperties) {
      found.add(path, "maxProperties", `There may be at most ${maxProperties} members.`);
      return false;
    }
    for (const name of Array.isArray(required) ? (required as string[]) : []) {
      if (!hasOwn(value, name)) found.add(`${path}/${pointerToken(name)}`, "required", "This member is missing.");
    }
    this.#members(schema, value, keys, path, found);
    return true;
  }

  #members(
    schema: LooseSchema,
    value: Readonly<Record<string, unknown>>,
    keys: readonly string[],
    path: string,
    found: Findings,
  ): void {
    const properties = isPlainObject(schema["properties"]) ? schema["properties"] : {};
    const additional = schema["additionalProperties"];
    for (const key of keys) {
      if (found.full) return;
      const place = `${path}/${pointerToken(key)}`;
      const member = hasOwn(properties, key) ? properties[key] : additional;
      if (isPlainObject(member)) this.visit(member, value[key], place, 0, found);
      else if (member === false) found.add(place, "additionalProperties", "There is no member of this name.");
    }
  }

  #anyOf(schema: LooseSchema, value: unknown, path: string, hops: number, found: Findings): void {
    const branches = schema["anyOf"];
    if (!Array.isArray(branches) || found.full) return;
    if (!branches.some((branch) => this.#fits(branch, value, path, hops))) {
      found.add(path, "anyOf", "This fits none of the shapes allowed here.");
    }
  }

  #oneOf(schema: LooseSchema, value: unknown, path: string, hops: number, found: Findings): void {
    const branches = schema["oneOf"];
    if (!Array.isArray(branches) || found.full) return;
    let fitting = 0;
    for (const branch of branches) {
      if (this.#fits(branch, value, path, hops)) fitting += 1;
      if (fitting > 1) break;
    }
    if (fitting !== 1) found.add(path, "oneOf", "This must fit exactly one of the shapes allowed here.");
  }

  #fits(branch: unknown, value: unknown, path: string, hops: number): boolean {
    const found = new Findings(1);
    if (isPlainObject(branch)) this.visit(branch, value, path, hops, found);
    return !found.full;
  }
}

function knownTexts(schema: LooseSchema): KnownTexts {
  const texts = known.get(schema) ?? {};
  known.set(schema, texts);
  return texts;
}

function checkText(schema: LooseSchema, value: string, path: string, found: Findings): void {
  const { minLength, maxLength, pattern, format } = schema;
  checkLength(value, minLength, maxLength, path, found);
  if (typeof pattern === "string" && !patternFound(pattern, value)) {
    found.add(path, "pattern", "This text does not have the form asked for.");
  }
  const fits = typeof format === "string" ? FORMATS.get(format) : undefined;
  if (fits && !fits(value)) found.add(path, "format", `This must be written as ${String(format)}.`);
}

/** A text of more than twice the allowed units is too long however its pairs are counted: nothing is then counted. */
function checkLength(value: string, min: unknown, max: unknown, path: string, found: Findings): void {
  const tooLong = typeof max === "number" && value.length > max * 2;
  if (!tooLong && typeof min === "number" && pointLength(value) < min) {
    found.add(path, "minLength", `This text must have at least ${min} characters.`);
  }
  if (tooLong || (typeof max === "number" && pointLength(value) > max)) {
    found.add(path, "maxLength", `This text may have at most ${max} characters.`);
  }
}

/** Characters of a text; a high surrogate swallows the unit after it, whatever that is. */
function pointLength(text: string): number {
  return text.replace(/[\ud800-\udbff][\s\S]/g, "_").length;
}

function checkNumber(schema: LooseSchema, value: number, path: string, found: Findings): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) found.add(path, "minimum", `This must be at least ${minimum}.`);
  if (typeof maximum === "number" && value > maximum) found.add(path, "maximum", `This may be at most ${maximum}.`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) {
    found.add(path, "exclusiveMinimum", `This must be above ${exclusiveMinimum}.`);
  }
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) {
    found.add(path, "exclusiveMaximum", `This must be below ${exclusiveMaximum}.`);
  }
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultiple(value / multipleOf)) {
    found.add(path, "multipleOf", `This must be a multiple of ${multipleOf}.`);
  }
}

function isMultiple(quotient: number): boolean {
  return !Number.isFinite(quotient) || Math.abs(quotient - Math.round(quotient)) <= DIVISION_TOLERANCE;
}

function hasType(value: unknown, type: unknown): boolean {
  return Array.isArray(type) ? type.some((name) => isOfType(value, name)) : isOfType(value, type);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isPlainObject(value);
    case "boolean":
    case "number":
    case "string":
      return typeof value === type;
    default:
      return false;
  }
}

function typeWords(type: unknown): string {
  return Array.isArray(type) ? type.join(" or ") : String(type);
}
