import type { Edge, Node } from "@xyflow/react";
import { Position } from "@xyflow/react";
import type { Arrow, Card } from "../wire/records";

/** What the accessible name was made of, so that it is made anew only when that changed. */
export type CardNodeData = { named: string };
export type CardNode = Node<CardNodeData, "card">;
export type ArrowEdge = Edge<{ named: string }, "arrow">;

/** Makes the accessible names, and a short key that changes exactly when a name does. */
export interface Naming {
  cardKey(card: Card): string;
  card(card: Card): string;
  arrowKey(arrow: Arrow): string;
  arrow(arrow: Arrow): string;
}

/**
 * The nodes that show these cards. A card whose place, size and name did not change keeps its node object, so that a
 * change of one card renders one card. A card held by the pointer stays where the pointer has it.
 */
export function nodesFor(
  before: readonly CardNode[],
  cards: ReadonlyMap<string, Card>,
  naming: Naming,
  selectedIds: readonly string[],
): CardNode[] {
  const selected = new Set(selectedIds);
  const known = new Map(before.map((node) => [node.id, node]));
  let same = before.length === cards.size;
  const after: CardNode[] = [];
  for (const card of cards.values()) {
    const old = known.get(card.id);
    const node = nodeFor(old, card, naming, selected.has(card.id));
    if (node !== old || before[after.length] !== node) same = false;
    after.push(node);
  }
  return same ? (before as CardNode[]) : after;
}

function nodeFor(old: CardNode | undefined, card: Card, naming: Naming, selected: boolean): CardNode {
  const named = naming.cardKey(card);
  if (old !== undefined) {
    const held = old.dragging === true || old.resizing === true;
    const x = held ? old.position.x : card.x;
    const y = held ? old.position.y : card.y;
    const w = held ? (old.width ?? card.w) : card.w;
    const h = held ? (old.height ?? card.h) : card.h;
    const placed = old.position.x === x && old.position.y === y && old.width === w && old.height === h;
    if (placed && old.zIndex === card.z && old.data.named === named && old.selected === selected) return old;
    return {
      ...old,
      position: { x, y },
      width: w,
      height: h,
      measured: { width: w, height: h },
      handles: handlesFor(w, h),
      zIndex: card.z,
      ariaLabel: old.data.named === named ? old.ariaLabel : naming.card(card),
      data: old.data.named === named ? old.data : { named },
      selected,
    };
  }
  return {
    id: card.id,
    type: "card",
    position: { x: card.x, y: card.y },
    width: card.w,
    height: card.h,
    measured: { width: card.w, height: card.h },
    handles: handlesFor(card.w, card.h),
    zIndex: card.z,
    ariaLabel: naming.card(card),
    ariaRole: "group",
    domAttributes: { "aria-roledescription": undefined },
    selected,
    dragHandle: ".card-grip",
    data: { named },
  };
}

/** Given by hand, so that a card outside the screen need not be drawn once to be measured. */
function handlesFor(w: number, h: number): NonNullable<Node["handles"]> {
  return [
    { type: "source", position: Position.Right, x: w, y: h / 2, width: 1, height: 1 },
    { type: "target", position: Position.Left, x: 0, y: h / 2, width: 1, height: 1 },
  ];
}

/** The edges that show these arrows; an arrow keeps its edge object as long as it joins the same cards. */
export function edgesFor(
  before: readonly ArrowEdge[],
  arrows: ReadonlyMap<string, Arrow>,
  cards: ReadonlyMap<string, Card>,
  naming: Naming,
  selectedIds: readonly string[],
): ArrowEdge[] {
  const chosen = new Set(selectedIds);
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const after: ArrowEdge[] = [];
  for (const arrow of arrows.values()) {
    if (!cards.has(arrow.a) || !cards.has(arrow.b)) continue;
    const old = known.get(arrow.id);
    const named = naming.arrowKey(arrow);
    const selected = chosen.has(arrow.id);
    if (old !== undefined && old.data?.named === named && old.selected === selected) after.push(old);
    else after.push({ ...(old ?? newEdge(arrow)), ariaLabel: naming.arrow(arrow), data: { named }, selected });
  }
  const same = after.length === before.length && after.every((edge, index) => edge === before[index]);
  return same ? (before as ArrowEdge[]) : after;
}

function newEdge(arrow: Arrow): ArrowEdge {
  return {
    id: arrow.id,
    type: "arrow",
    source: arrow.a,
    target: arrow.b,
    ariaRole: "button",
    // Tab goes from card to card; the arrows of a card are reached from it, with A.
    domAttributes: { "aria-roledescription": undefined, "aria-describedby": undefined, tabIndex: -1 },
  };
}
