import { expect, test } from "vitest";
import { matchScore } from "./matchScore";

test("a beginning beats a word, a word beats a middle, a middle beats scattered letters", () => {
  const scores = ["note board", "my note", "keynote", "no time"].map((text) => matchScore(text, "note"));
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(scores.at(-1)).toBeGreaterThan(0);
});

test("every typed word has to occur", () => {
  expect(matchScore("Add: Note", "add note")).toBeGreaterThan(0);
  expect(matchScore("Add: Note", "add zebra")).toBe(0);
});

test("nothing typed fits everything, and letters of any script count", () => {
  expect(matchScore("anything", "  ")).toBe(1);
  expect(matchScore("Добавить: Заметка", "замет")).toBeGreaterThan(0);
});
