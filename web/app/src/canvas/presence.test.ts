import { expect, test } from "vitest";
import { note } from "../../tests/makers";
import { visibilities } from "./presence";

const view = { x: 0, y: 0, w: 1000, h: 800 };

test("a card is seen, seen as a tile, or out of sight", () => {
  const cards = [note("in", { x: 10, y: 10 }), note("edge", { x: 990, y: 10 }), note("out", { x: 2000, y: 0 })];
  expect([...visibilities(cards, view, false).values()]).toEqual(["visible", "visible", "hidden"]);
  expect([...visibilities(cards, view, true).values()]).toEqual(["overview", "overview", "hidden"]);
});
