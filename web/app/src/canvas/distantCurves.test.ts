import { expect, test } from "vitest";
import { arrow, note, todo } from "../../tests/makers";
import { DistantCurves } from "./distantCurves";
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
  const paths = new DistantCurves().byFamily(arrows, cards, [node("a", 0), node("b", 300), node("t", 600)]);
  expect(paths.map(([family, path]) => [family, path.match(/M/g)?.length])).toEqual([
    ["text", 2],
    ["tasks", 1],
  ]);
});

test("values that pass make no curve anew, a moved card its own alone", () => {
  const curves = new DistantCurves();
  const cards = new Map([note("a"), note("b"), note("c")].map((card) => [card.id, card] as const));
  const arrows = new Map([arrow("1", "a", "b"), arrow("2", "b", "c")].map((each) => [each.id, each] as const));
  const nodes = [node("a", 0), node("b", 300), node("c", 600)];
  const before = curves.byFamily(arrows, cards, nodes);
  const counted = new Map([...arrows].map(([id, each]) => [id, { ...each, stats: { ...each.stats, passed: 7 } }]));
  expect(curves.byFamily(counted, cards, nodes)).toBe(before);
  const moved = curves.byFamily(counted, cards, [node("a", -50), ...nodes.slice(1)]);
  expect(moved).not.toEqual(before);
  expect(moved).toEqual(new DistantCurves().byFamily(arrows, cards, [node("a", -50), ...nodes.slice(1)]));
});

test("a removed arrow leaves no curve behind, and one turned round gets its new colour", () => {
  const curves = new DistantCurves();
  const cards = new Map([note("a"), todo("t")].map((card) => [card.id, card] as const));
  const nodes = [node("a", 0), node("t", 300)];
  const there = arrow("1", "a", "t");
  expect(curves.byFamily(new Map([[there.id, there]]), cards, nodes).map(([family]) => family)).toEqual(["text"]);
  const back = { ...there, direction: "backward" as const };
  expect(curves.byFamily(new Map([[back.id, back]]), cards, nodes).map(([family]) => family)).toEqual(["tasks"]);
  expect(curves.byFamily(new Map(), cards, nodes)).toEqual([]);
});
