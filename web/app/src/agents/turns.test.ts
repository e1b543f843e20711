import { beforeEach, expect, test } from "vitest";
import { agent, running } from "../../tests/agents";
import { finishedAt, isNews, markSeen, seenTurns } from "./turns";

const finished = (id: string, endedAt: number) =>
  agent(id, running({ status: "finished", lastTurn: { startedAt: 1, endedAt, endedAs: "finished" } }));

beforeEach(() => {
  localStorage.clear();
  seenTurns.set(new Map());
});

test("a finished turn is news until it was looked at, and the next one again", () => {
  expect(isNews(finished("a", 5), seenTurns.get())).toBe(true);
  markSeen([finished("a", 5)]);
  expect(isNews(finished("a", 5), seenTurns.get())).toBe(false);
  expect(isNews(finished("a", 9), seenTurns.get())).toBe(true);
  expect(localStorage.getItem("cardloom.seenTurns")).toBe('[["a",5]]');
});

test("an agent that does anything else is no news", () => {
  const card = agent("a", running({ status: "working", lastTurn: { startedAt: 1, endedAt: 5, endedAs: "finished" } }));
  expect(finishedAt(card)).toBeNull();
  expect(isNews(card, new Map())).toBe(false);
});
