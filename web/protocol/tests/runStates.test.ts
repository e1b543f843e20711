import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type AnyRunEvent, NO_RUN, type RunState, runAfter, runStatusOf, shownMessage } from "../src/session";

interface Seen {
  readonly shown: readonly unknown[];
  readonly asks: readonly unknown[];
  readonly activities: readonly unknown[];
  readonly status: string | null;
}

interface Case {
  readonly events: readonly AnyRunEvent[];
  readonly half: Seen;
  readonly whole: Seen;
  readonly replay: readonly AnyRunEvent[];
}

const file = new URL("../../../wire/run-states.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly Case[] };

function after(events: readonly AnyRunEvent[], from: RunState = NO_RUN): RunState {
  return events.reduce(runAfter, from);
}

function seen(state: RunState): Seen {
  return {
    shown: state.messages.map(shownMessage),
    asks: state.asks,
    activities: state.activities,
    status: runStatusOf(state),
  };
}

describe("what a run adds up to", () => {
  it.each(cases.map((one, number) => [number, one] as const))("is what Python says in case %i", (_, one) => {
    const half = after(one.events.slice(0, Math.floor(one.events.length / 2)));
    expect(seen(half)).toEqual(one.half);
    expect(seen(after(one.events))).toEqual(one.whole);
  });

  it.each(cases.map((one, number) => [number, one] as const))("comes from a replay too, in case %i", (_, one) => {
    const half = after(one.events.slice(0, Math.floor(one.events.length / 2)));
    expect(seen(after(one.replay)).shown).toEqual(one.whole.shown);
    expect(seen(after(one.replay, half)).shown).toEqual(one.whole.shown);
  });

  it("keeps what did not change", () => {
    const start = after([
      { type: "message_start", messageId: "a", role: "assistant" },
      { type: "message_start", messageId: "b", role: "assistant" },
      { type: "part_start", messageId: "b", part: 0, value: { type: "text", text: "" } },
    ]);
    const next = runAfter(start, { type: "part_delta", messageId: "b", part: 0, delta: "x" });
    expect(next.messages[0]).toBe(start.messages[0]);
    expect(next.messages[1]).not.toBe(start.messages[1]);
    expect(runAfter(next, { type: "part_delta", messageId: "ghost", part: 0, delta: "x" })).toBe(next);
    expect(runAfter(next, { type: "weather" })).toBe(next);
  });
});
