import { describe, expect, test } from "vitest";
import { promptingAlong } from "./caused";

const note = { id: "n", kind: "note" as const };
const agent = { id: "a", kind: "agent" as const };
const other = { id: "b", kind: "agent" as const };

describe("who prompts an agent along an arrow", () => {
  test.each([
    ["forward", note, agent, ["n→a"]],
    ["backward", note, agent, []],
    ["both", note, agent, ["n→a"]],
    ["backward", agent, note, ["n→a"]],
    ["both", agent, other, ["a→b", "b→a"]],
    ["forward", note, note, []],
  ] as const)("along an arrow that goes %s", (direction, a, b, expected) => {
    const found = promptingAlong({ direction, pending: false }, a, b);
    expect(found.map(({ senderId, agentId }) => `${senderId}→${agentId}`)).toEqual(expected);
  });

  test("an arrow that waits for its owner carries nothing", () => {
    expect(promptingAlong({ direction: "forward", pending: true }, note, agent)).toEqual([]);
  });
});
