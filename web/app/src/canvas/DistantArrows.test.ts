import { expect, test } from "vitest";
import { arrow, note, todo } from "../../tests/makers";
import { pathsByFamily } from "./DistantArrows";
import type { CardNode } from "./nodes";

const node = (id: string, x: number): CardNode => ({
  id,
  type: "card",
  position: { x, y: 0 },
  width: 100,
  height: 60,
  data: { named: id },
});

test("arrows of one colour become one path, and those of missing cards none", () => {
  const cards = new Map([note("a"), note("b"), todo("t")].map((card) => [card.id, card] as const));
  const arrows = new Map(
    [arrow("1", "a", "b"), arrow("2", "b", "t"), arrow("3", "t", "a"), arrow("4", "a", "gone")].map((each) => [each.id, each] as const),
  );
  const paths = pathsByFamily({ arrows, cards }, [node("a", 0), node("b", 300), node("t", 600)]);
  expect(paths.map(([family, path]) => [family, path.match(/M/g)?.length])).toEqual([
    ["text", 2],
    ["tasks", 1],
  ]);
});
