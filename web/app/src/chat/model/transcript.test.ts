import { describe, expect, test } from "vitest";
import type { AnyRunEvent, Message } from "@cardloom/protocol/session";
import { applyEvents, EMPTY, withHistory, type Transcript } from "./transcript";

const said = (id: string, role: string, text: string): Message => ({ id, role, parts: [{ type: "text", text }] });
const history = [said("u1", "user", "hello"), said("a1", "assistant", "hi")];
const known: Transcript = { ...EMPTY, messages: history };
const event = (type: string, more: object): AnyRunEvent => ({ type, runId: "r1", ...more });
const begin = event("run_start", { sessionId: "s1", userMessageId: "u1" });
const opened = (id: string, more: object = {}) => event("message_start", { messageId: id, role: "assistant", ...more });
const part = (id: string, value: object, at = 0) => event("part_start", { messageId: id, part: at, value });
const delta = (id: string, text: string, at = 0) => event("part_delta", { messageId: id, part: at, delta: text });
const texts = ({ messages }: Transcript) => messages.map((message) => message.parts.map((one) => one["text"]).join("|"));

describe("a transcript", () => {
  test("an answer grows piece by piece behind what was said", () => {
    const after = applyEvents(known, [begin, opened("a2"), part("a2", { type: "text", text: "" }), delta("a2", "one "), delta("a2", "two")]);
    expect(texts(after)).toEqual(["hello", "hi", "one two"]);
    expect(after.run?.writing).toEqual(new Set(["a2"]));
    expect(after.messages[0]).toBe(history[0]);
  });

  test("a message told again from its start has nothing twice", () => {
    const events = [begin, opened("a2"), part("a2", { type: "text", text: "" }), delta("a2", "one")];
    const again = [begin, opened("a2"), part("a2", { type: "text", text: "one two" })];
    expect(texts(applyEvents(applyEvents(known, events), again))).toEqual(["hello", "hi", "one two"]);
  });

  test("an alternative takes the place of what stood behind the same parent", () => {
    const after = applyEvents(known, [event("run_start", { sessionId: "s1" }), opened("a2", { parentId: "u1" })]);
    expect(after.messages.map((message) => message.id)).toEqual(["u1", "a2"]);
  });

  test("an alternative of the very first message leaves nothing before it", () => {
    const after = applyEvents(known, [event("run_start", { sessionId: "s1" }), opened("g2", { parentId: null })]);
    expect(after.messages.map((message) => message.id)).toEqual(["g2"]);
  });

  test("arguments of a call are read once they are whole, and kept as they are when they are no JSON", () => {
    const call = { type: "tool_use", meta: { callId: "c1", name: "write" } };
    const end = event("part_end", { messageId: "a2", part: 0 });
    const dataOf = (pieces: string[]) =>
      applyEvents(known, [begin, opened("a2"), part("a2", call), ...pieces.map((piece) => delta("a2", piece)), end]).messages.at(-1)?.parts[0]?.["data"];
    expect(dataOf(['{"pa', 'th":"x"}'])).toEqual({ path: "x" });
    expect(dataOf(['{"pa', "th"])).toBe('{"path');
  });

  test("the value of a part's end counts for more than its pieces", () => {
    const end = event("part_end", { messageId: "a2", part: 0, value: { type: "text", text: "whole" } });
    expect(texts(applyEvents(known, [begin, opened("a2"), delta("a2", "ha"), end])).at(-1)).toBe("whole");
  });

  test("a question is open until it is told as settled", () => {
    const ask = event("ask", { askId: "q1", kind: "permission", title: "Write?" });
    const open = applyEvents(known, [begin, ask, ask]);
    expect(open.run?.asks.map((one) => one.askId)).toEqual(["q1"]);
    expect(applyEvents(open, [{ ...ask, resolved: { cancelled: true } }]).run?.asks).toEqual([]);
  });

  test("the end closes everything and says how it was", () => {
    const after = applyEvents(known, [begin, opened("a2"), event("run_end", { status: "error", error: { code: "x", message: "no" } })]);
    expect(after.run).toMatchObject({ status: "error", error: { message: "no" }, asks: [] });
    expect(after.run?.writing.size).toBe(0);
  });

  test("a run of another page lacks the line that began it", () => {
    expect(applyEvents(known, [event("run_start", { sessionId: "s1", userMessageId: "u9" })]).lacks).toBe(true);
    expect(applyEvents(known, [begin]).lacks).toBe(false);
  });

  test("events and parts of later versions change nothing and break nothing", () => {
    const after = applyEvents(known, [begin, event("hologram", { x: 1 }), opened("a2"), part("a2", { type: "smell", data: 1 })]);
    expect(after.messages.at(-1)?.parts).toEqual([{ type: "smell", data: 1 }]);
  });

  test("a history read again keeps the objects of messages that are the same", () => {
    const hashed = history.map((message) => ({ ...message, hash: message.id }));
    const before = { ...EMPTY, messages: hashed };
    const swiped = { ...hashed[1], swipes: { active: 0, count: 2 } } as Message;
    const after = withHistory(before, [{ ...hashed[0] } as Message, swiped]);
    expect(after.messages[0]).toBe(hashed[0]);
    expect(after.messages[1]).toBe(swiped);
  });
});
