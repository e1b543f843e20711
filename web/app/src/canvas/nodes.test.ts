import { describe, expect, test } from "vitest";
import { arrow, note, todo } from "../../tests/makers";
import type { Card } from "../wire/records";
import { edgesFor, nodesFor, type CardNode, type Naming } from "./nodes";

const cards = (...all: Card[]) => new Map(all.map((card) => [card.id, card]));
const label: Naming = {
  cardKey: (card) => card.name,
  card: (card) => card.name,
  arrowKey: (each) => each.direction,
  arrow: (each) => each.id,
};
const first = (nodes: readonly CardNode[]): CardNode => {
  const [node] = nodes;
  if (node === undefined) throw new Error("no node");
  return node;
};

describe("nodes", () => {
  test("stay the same array when no place, size or name changed", () => {
    const before = nodesFor([], cards(note("a"), todo("b")), label, []);
    const after = nodesFor(before, cards(note("a", { content: { text: "new" }, revision: 2 }), todo("b")), label, []);
    expect(after).toBe(before);
  });

  test("only the moved one is another object", () => {
    const before = nodesFor([], cards(note("a"), todo("b")), label, []);
    const after = nodesFor(before, cards(note("a", { x: 50 }), todo("b")), label, []);
    expect(after[0]).not.toBe(before[0]);
    expect(after[0]?.position.x).toBe(50);
    expect(after[1]).toBe(before[1]);
  });

  test("one that the pointer holds stays under the pointer", () => {
    const [held, ...rest] = nodesFor([], cards(note("a"), todo("b")), label, []);
    const dragged = { ...(held as CardNode), dragging: true, position: { x: 99, y: 9 } };
    const after = nodesFor([dragged, ...rest], cards(note("a", { x: 5, z: 3 }), todo("b")), label, []);
    expect(first(after).position).toEqual({ x: 99, y: 9 });
    expect(first(after).zIndex).toBe(3);
  });

  test("a selection touches those selected", () => {
    const before = nodesFor([], cards(note("a"), todo("b")), label, []);
    const after = nodesFor(before, cards(note("a"), todo("b")), label, ["b"]);
    expect(after.map((node) => node.selected)).toEqual([false, true]);
    expect(after[0]).toBe(before[0]);
  });

  test("know their size and ends without being drawn", () => {
    const node = first(nodesFor([], cards(note("a")), label, []));
    expect(node.measured).toEqual({ width: 200, height: 100 });
    expect(node.handles).toHaveLength(2);
  });

  test("removed cards lose theirs", () => {
    const before = nodesFor([], cards(note("a"), todo("b")), label, []);
    expect(nodesFor(before, cards(todo("b")), label, []).map((node) => node.id)).toEqual(["b"]);
  });
});

describe("edges", () => {
  const arrows = new Map([["r", arrow("r", "a", "b")]]);

  test("are left out while one of their cards is not there", () => {
    expect(edgesFor([], arrows, cards(note("a")), label, [])).toEqual([]);
  });

  test("stay the same while only counts change", () => {
    const all = cards(note("a"), note("b"));
    const before = edgesFor([], arrows, all, label, []);
    expect(edgesFor(before, new Map([["r", arrow("r", "a", "b", { paused: true })]]), all, label, [])).toBe(before);
    expect(edgesFor(before, arrows, all, label, ["r"])[0]?.selected).toBe(true);
  });
});
