import { readFileSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { ADAPTERS } from "./adapters";
import { decode } from "./vectorCodec";

interface Case {
  readonly id: string;
  readonly input: unknown;
  readonly expect: unknown;
  readonly upstream_defect?: boolean;
}

const FOLDER = new URL("../../../tests/vectors/cards/", import.meta.url);
let passed = 0;

/** The recorded cases of a file. A file without `cases` is a table. */
function casesOf(name: string): readonly Case[] {
  const document = JSON.parse(readFileSync(new URL(name, FOLDER), "utf-8")) as { cases?: Case[] };
  return document.cases ?? [];
}

function resultOf(adapter: (input: never) => unknown, input: unknown): unknown {
  try {
    return adapter(input as never);
  } catch (error) {
    return { raised: String(error) };
  }
}

/** Equality of JSON values as the protocol has it: -0 is 0, and the order of members is free. */
function agree(got: unknown, expected: unknown): boolean {
  if (typeof got !== "object" || got === null || typeof expected !== "object" || expected === null) {
    return got === expected || (Number.isNaN(got) && Number.isNaN(expected));
  }
  if (Array.isArray(got) !== Array.isArray(expected)) return false;
  const keys = Object.keys(got);
  const same = keys.length === Object.keys(expected).length && keys.every((key) => Object.hasOwn(expected, key));
  return same && keys.every((key) => agree(got[key as never], expected[key as never]));
}

describe("recorded behaviour", () => {
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".json"))) {
    const cases = casesOf(name).filter((one) => one.upstream_defect !== true);
    if (cases.length === 0) continue;
    const adapter = ADAPTERS[name.slice(0, -".json".length)];
    test(`every case of ${name} gives what was recorded`, () => {
      expect(adapter, `an adapter for ${name}`).toBeDefined();
      const failures = cases.flatMap(({ id, input, expect: recorded }) => {
        const got = adapter === undefined ? undefined : resultOf(adapter, decode(input));
        const expected = decode(recorded);
        if (agree(got, expected)) passed += 1;
        return agree(got, expected) ? [] : [{ id, got, expected }];
      });
      expect(failures).toEqual([]);
    });
  }

  afterAll(() => {
    process.stdout.write(`${passed} recorded cases passed\n`);
  });
});
