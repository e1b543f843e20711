import { expect, test } from "vitest";
import { findGrouped, matchScore } from "./matchScore";

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

test("each group stands in one piece, whatever its entries score", () => {
  const entries = [
    { group: "Add", label: "Add: Note" },
    { group: "Go", label: "Note of the day" },
    { group: "Add", label: "Add: Keynote" },
    { group: "Go", label: "Footnotes" },
    { group: "Do", label: "Note everything" },
    { group: "Add", label: "Note, sticky" },
  ];
  const groups = (query: string) =>
    findGrouped(entries, query)
      .map(({ group }) => group)
      .filter((group, index, all) => group !== all[index - 1]);
  expect(groups("note")).toEqual(["Add", "Go", "Do"]);
  expect(groups("")).toEqual(["Add", "Go", "Do"]);
  expect(findGrouped(entries, "note")[0]?.label).toBe("Note, sticky");
});
