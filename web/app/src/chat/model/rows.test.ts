import { describe, expect, test } from "vitest";
import type { Message } from "@cardloom/protocol/session";
import { heldBy, isStop, pairOf, readable, revealed, rowsOf } from "./rows";

const call = (callId: string) => ({ type: "tool_use", data: {}, meta: { callId, name: "read" } });
const result = (callId: string, text: string) => ({ type: "tool_result", text, meta: { callId } });
const message = (id: string, role: string, ...parts: Message["parts"]): Message => ({ id, role, parts });
const text = (words: string) => ({ type: "text", text: words });

describe("the rows of a thread", () => {
  const calls = message("a1", "assistant", text("look"), call("c1"), call("c2"));
  const results = message("t1", "tool", result("c2", "two"), result("c1", "one"));

  test("results belong to the message with the calls, paired by their ids", () => {
    const [row, last, ...more] = rowsOf([calls, results, message("a2", "assistant", text("done"))]);
    expect(more).toEqual([]);
    expect(row?.absorbed).toEqual(["t1"]);
    expect(row && pairOf(row, calls.parts[1] as never)?.result?.text).toBe("one");
    expect(last?.message.id).toBe("a2");
  });

  test("results without a call before them stand for themselves", () => {
    expect(rowsOf([results]).map((row) => row.message.id)).toEqual(["t1"]);
  });

  test("what the system put in and what is not for people is left out", () => {
    const hidden = { ...message("s1", "system", text("x")), flags: { injected: true } };
    const unseen = { ...message("s2", "user", text("x")), flags: { visible: false } };
    expect(rowsOf([hidden, unseen])).toEqual([]);
  });

  test("rows of messages that did not change are the same objects", () => {
    const before = rowsOf([calls, results]);
    expect(rowsOf([calls, results, message("a2", "assistant", text("more"))], before)[0]).toBe(before[0]);
    const changed = message("t1", "tool", result("c1", "another"));
    expect(rowsOf([calls, changed], before)[0]).not.toBe(before[0]);
  });

  test("ten thousand messages become rows at once", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => message(`m${at}`, at % 2 ? "assistant" : "user", text("x")));
    const rows = rowsOf(many);
    const grown = rowsOf([...many, message("m10000", "user", text("y"))], rows);
    expect(grown).toHaveLength(10_001);
    expect(grown.slice(0, -1).every((row, at) => row === rows[at])).toBe(true);
  });
});

test("values are read as they are or as JSON", () => {
  expect([readable("a"), readable({ b: 1 }), readable(undefined)]).toEqual(["a", '{\n  "b": 1\n}', ""]);
});

test("an answer that was stopped is no failure, whichever program writes it down", () => {
  const told = (code: string) => isStop({ type: "error", text: "x", meta: { code } });
  expect([told("aborted"), told("MessageAbortedError"), told("model_failed")]).toEqual([true, true, false]);
  expect(isStop({ type: "text", text: "aborted", meta: { code: "aborted" } })).toBe(false);
});

test("marks that turn the direction of a text around are shown", () => {
  expect(revealed("x\u202egnp.exe")).toBe("x⟨U+202E⟩gnp.exe");
  expect(readable({ path: "a\u2066b" })).toContain("a⟨U+2066⟩b");
  expect(revealed("مرحبا שלום")).toBe("مرحبا שלום");
});

test("no name hides what a question holds", () => {
  const data: unknown = JSON.parse('{"tool": "run", "__proto__": {"command": "rm -r work"}}');
  expect(heldBy(data).map((held) => held.text).join("")).toContain("rm -r work");
});

test("texts of several lines stand beside the rest of what a call holds", () => {
  expect(heldBy({ tool: "write", arguments: { path: "a", content: "one\ntwo\n" }, diff: "-a\n+b" })).toEqual([
    { name: null, text: readable({ tool: "write", arguments: { path: "a" } }), language: "json" },
    { name: "arguments.content", text: "one\ntwo\n", language: "" },
    { name: "diff", text: "-a\n+b", language: "diff" },
  ]);
  expect(heldBy({ content: "one\n" })).toEqual([{ name: null, text: readable({ content: "one\n" }), language: "json" }]);
  expect(heldBy("a\nb")).toEqual([{ name: null, text: "a\nb", language: "" }]);
  expect(heldBy(undefined)).toEqual([{ name: null, text: "", language: "json" }]);
});
