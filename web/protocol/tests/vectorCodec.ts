/** Decodes the tagged values of the recorded vectors: an object with a `$$` member stands for something else. */

interface Tagged {
  readonly $$: string;
  readonly [key: string]: unknown;
}

function isTagged(value: object): value is Tagged {
  return Object.prototype.hasOwnProperty.call(value, "$$");
}

export function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  if (isTagged(value)) return decodeTagged(value);
  return objectOf(Object.entries(value).map(([key, member]) => [key, decode(member)]));
}

/** An object whose members are all its own, `__proto__` included. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return made;
}

function decodeTagged(tagged: Tagged): unknown {
  const count = Number(tagged["n"]);
  const numbers = () => Array.from({ length: count }, (_, index) => index);
  switch (tagged.$$) {
    case "num":
      return Number(tagged["text"]);
    case "undef":
      return undefined;
    case "rep":
      return String(tagged["s"]).repeat(count);
    case "cat":
      return (tagged["parts"] as unknown[]).map(decode).join("");
    case "arr":
      return numbers().map(() => decode(tagged["item"]));
    case "seq":
      return numbers().map((index) => Number(tagged["from"]) + index);
    case "strs":
      return numbers().map((index) => `${String(tagged["prefix"])}${index}`);
    case "objn":
      return objectOf(numbers().map((index) => [`${String(tagged["prefix"])}${index}`, decode(tagged["value"])]));
    case "nest":
      return nested(tagged);
    case "nonjson":
      return foreign(String(tagged["kind"]));
    default:
      throw new Error(`unknown tag ${tagged.$$}`);
  }
}

function nested(tagged: Tagged): unknown {
  let value = decode(tagged["leaf"]);
  for (let depth = 0; depth < Number(tagged["depth"]); depth += 1) {
    value = tagged["kind"] === "array" ? [value] : objectOf([[String(tagged["key"]), value]]);
  }
  return value;
}

class Instance {
  readonly member = 1;
}

/** A value that is not JSON. */
function foreign(kind: string): unknown {
  switch (kind) {
    case "date":
      return new Date(0);
    case "map":
      return new Map();
    case "function":
      return () => undefined;
    case "class":
      return new Instance();
    case "symbol":
      return Symbol("value");
    case "regexp":
      return /x/;
    case "bigint":
      return 1n;
    case "boxed":
      return Object(1);
    default:
      throw new Error(`unknown kind ${kind}`);
  }
}
