import { expect, test } from "vitest";
import { detailAt, keepExisting, sameSelection } from "./ui";

test("a card shows less the farther away it is", () => {
  expect([1, 0.45, 0.44, 0.38, 0.37, 0.2, 0.19, 0.05].map(detailAt)).toEqual([
    "full",
    "full",
    "tile",
    "tile",
    "far",
    "far",
    "block",
    "block",
  ]);
});

test("selections are equal when they hold the same in the same order", () => {
  const one = { cardIds: ["a", "b"], arrowIds: [] };
  expect(sameSelection(one, { cardIds: ["a", "b"], arrowIds: [] })).toBe(true);
  expect(sameSelection(one, { cardIds: ["b", "a"], arrowIds: [] })).toBe(false);
  expect(sameSelection(one, { cardIds: ["a"], arrowIds: [] })).toBe(false);
});

test("what was deleted leaves the selection, and what stays keeps it as it was", () => {
  const selection = { cardIds: ["a", "b"], arrowIds: ["r"] };
  const all = { card: () => true, arrow: () => true };
  expect(keepExisting(selection, all)).toBe(selection);
  expect(keepExisting(selection, { ...all, card: (id) => id === "b" })).toEqual({ cardIds: ["b"], arrowIds: ["r"] });
});
