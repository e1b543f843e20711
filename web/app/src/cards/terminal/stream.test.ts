import { describe, expect, test } from "vitest";
import { charCount, OutputStream, type Repaint } from "./stream";

function setUp() {
  const seen: string[] = [];
  const acks: number[] = [];
  const failures: unknown[] = [];
  const attaches: { resolve(repaint: Repaint): void; reject(error: Error): void }[] = [];
  const parses: (() => void)[] = [];
  const stream = new OutputStream({
    attach: () => new Promise((resolve, reject) => attaches.push({ resolve, reject })),
    ack: (offset) => {
      acks.push(offset);
      return new Promise(() => undefined);
    },
    paint: ({ data }, done) => (seen.push(`[${data}]`), parses.push(done)),
    write: (data, done) => (seen.push(data), parses.push(done)),
    onAttached: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  const output = (offset: number, data: string, generation = 1) => stream.receive({ generation, offset, data });
  async function attached(offset = 10, data = "$ ", generation = 1) {
    const done = stream.attach();
    attaches.at(-1)?.resolve({ generation, offset, data, cols: 80, rows: 24 });
    await done;
  }
  const parseAll = () => parses.splice(0).forEach((done) => done());
  return { stream, seen, acks, failures, attaches, output, attached, parseAll };
}

describe("the output of a terminal", () => {
  test("follows the repaint without a hole", async () => {
    const { seen, output, attached } = setUp();
    await attached();
    output(13, "one");
    output(16, "two");
    expect(seen).toEqual(["[$ ]", "one", "two"]);
  });

  test("is drawn once, though it comes twice or overlaps", async () => {
    const { seen, output, attached } = setUp();
    await attached();
    output(10, "old");
    output(13, "one");
    output(13, "one");
    output(15, "netw");
    expect(seen).toEqual(["[$ ]", "one", "tw"]);
  });

  test("counts a character of two units once", async () => {
    const { seen, output, attached, attaches } = setUp();
    await attached();
    output(12, "😀a");
    output(14, "bc");
    expect(seen).toEqual(["[$ ]", "😀a", "bc"]);
    output(15, "a😀".slice(1));
    expect(attaches).toHaveLength(1);
    expect(charCount("a😀b")).toBe(3);
  });

  test("with a hole leads to a new repaint", async () => {
    const { seen, output, attached, attaches } = setUp();
    await attached();
    output(20, "later");
    expect(seen).toEqual(["[$ ]"]);
    expect(attaches).toHaveLength(2);
  });

  test("that comes while attaching waits for the repaint", async () => {
    const { stream, seen, output, attaches } = setUp();
    const done = stream.attach();
    output(8, "in the repaint");
    output(12, "ab");
    attaches[0]?.resolve({ generation: 1, offset: 10, data: "$ ", cols: 80, rows: 24 });
    await done;
    expect(seen).toEqual(["[$ ]", "ab"]);
  });

  test("of a terminal started anew replaces the old screen", async () => {
    const { stream, seen, output, attached } = setUp();
    await attached(500, "old");
    stream.resync({ generation: 2, offset: 0, data: "", cols: 80, rows: 24 });
    output(2, "$ ", 2);
    output(502, "xx", 1);
    expect(seen).toEqual(["[old]", "[]", "$ "]);
  });

  test("of a generation nobody told of leads to a new repaint", async () => {
    const { output, attached, attaches } = setUp();
    await attached();
    output(3, "new", 2);
    expect(attaches).toHaveLength(2);
  });

  test("is no longer drawn after the stop", async () => {
    const { stream, seen, output, attached } = setUp();
    await attached();
    stream.stop();
    output(13, "one");
    expect(seen).toEqual(["[$ ]"]);
  });
});

describe("what was drawn", () => {
  test("is acknowledged after it was parsed, never before", async () => {
    const { acks, attached, parseAll } = setUp();
    await attached();
    expect(acks).toEqual([]);
    parseAll();
    expect(acks).toEqual([10]);
  });
});

test("a terminal that cannot be attached says why, and can be tried again", async () => {
  const { stream, failures, attaches, attached, seen } = setUp();
  const done = stream.attach();
  attaches[0]?.reject(new Error("the folder is gone"));
  await done;
  expect(failures).toEqual([new Error("the folder is gone")]);
  await attached();
  expect(seen).toEqual(["[$ ]"]);
});
