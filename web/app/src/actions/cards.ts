import { cardBodies } from "../cards/registry";
import type { Card, CardKind } from "../wire/records";
import { boundsOf, freePlace, type Point, type Rect } from "../canvas/geometry";
import type { Session } from "../state/session";

/** What can be added: a kind of the canvas's own, or a package's card. */
export interface Addable {
  kind: Exclude<CardKind, "other">;
  packageId?: string;
}

interface Geometry {
  cardId: string;
  x: number;
  y: number;
  w?: number;
  h?: number;
}

function cardsOf(session: Session): ReadonlyMap<string, Card> {
  return session.canvas.get()?.cards ?? new Map();
}

/** Places promised to cards that the server has not confirmed yet, so that the next card goes elsewhere. */
const promised = new Set<Rect>();

/** Adds a card around a point; `exact` puts it there even if it covers another. */
export function addCard(session: Session, what: Addable, at: Point, exact = false): Promise<Card | null> {
  return session.undo.after(addNow(session, what, at, exact));
}

async function addNow(session: Session, what: Addable, at: Point, exact: boolean): Promise<Card | null> {
  const workspaceId = session.workspaceId;
  if (workspaceId === null) return null;
  const size = sizeOf(session, what);
  const corner = { x: Math.round(at.x - size.w / 2), y: Math.round(at.y - size.h / 2) };
  const place = exact ? corner : freePlace(corner, size, [...cardsOf(session).values(), ...promised]);
  const rect = { ...place, ...size };
  promised.add(rect);
  try {
    const card = await session.client.call("canvas.addCard", { workspaceId, ...what, ...place, ...size });
    session.assume([{ op: "putCard", card }]);
    undoByRemoving(session, "undo.add", [card.id], card.name);
    return card;
  } catch (error) {
    session.report("fail.add", error);
    return null;
  } finally {
    promised.delete(rect);
  }
}

/** How large a new card is: a card of a package as its package says. */
function sizeOf(session: Session, { kind, packageId }: Addable): { w: number; h: number } {
  const known = session.app.get().packages.find((each) => each.packageId === packageId);
  return known?.card.defaultSize ?? cardBodies[kind].defaultSize;
}

/** Copies cards with what they hold: beside themselves, or as a group around a point. */
export function duplicateCards(session: Session, cardIds: readonly string[], at?: Point): Promise<string[]> {
  return session.undo.after(duplicateNow(session, cardIds, at));
}

async function duplicateNow(session: Session, cardIds: readonly string[], at?: Point): Promise<string[]> {
  const made: Card[] = [];
  const shift = at === undefined ? null : shiftTo(session, cardIds, at);
  try {
    for (const cardId of cardIds) {
      const card = cardsOf(session).get(cardId);
      if (card === undefined) continue;
      const place =
        shift === null
          ? freePlace({ x: card.x + 32, y: card.y + 32 }, card, [...cardsOf(session).values(), ...made])
          : { x: card.x + shift.x, y: card.y + shift.y };
      const copy = await session.client.call("canvas.duplicateCard", { cardId, ...place });
      session.assume([{ op: "putCard", card: copy }]);
      made.push(copy);
    }
  } catch (error) {
    session.report("fail.duplicate", error);
  }
  const ids = made.map((card) => card.id);
  if (ids.length > 0) undoByRemoving(session, "undo.duplicate", ids, made[0]?.name ?? "");
  return ids;
}

/** How far a group of cards has to go for its middle to lie at a point. */
function shiftTo(session: Session, cardIds: readonly string[], at: Point): Point {
  const bounds = boundsOf(cardIds.flatMap((id) => cardsOf(session).get(id) ?? []));
  if (bounds === null) return { x: 0, y: 0 };
  return { x: Math.round(at.x - bounds.x - bounds.w / 2), y: Math.round(at.y - bounds.y - bounds.h / 2) };
}

/** Lets the page undo the adding of cards, and bring them back. */
export function undoByRemoving(session: Session, key: "undo.add" | "undo.duplicate", cardIds: string[], name: string): void {
  let arrowIds: string[] = [];
  session.undo.push({
    label: (t) => t(key, { name, count: cardIds.length }),
    undo: async () => {
      arrowIds = await removeAll(session, cardIds);
    },
    redo: () => restore(session, cardIds, arrowIds),
  });
}

/** Removes cards and their arrows. Whoever calls has asked about what runs in them. */
export function removeCards(session: Session, cardIds: readonly string[]): Promise<void> {
  return session.undo.after(removeNow(session, cardIds));
}

async function removeNow(session: Session, cardIds: readonly string[]): Promise<void> {
  const cards = cardsOf(session);
  const known = cardIds.filter((id) => cards.has(id));
  const [first] = known;
  if (first === undefined) return;
  const name = cards.get(first)?.name ?? "";
  try {
    let arrowIds = await removeAll(session, known);
    session.undo.push({
      label: (t) => t("undo.remove", { name, count: known.length }),
      undo: () => restore(session, known, arrowIds),
      redo: async () => {
        arrowIds = await removeAll(session, known);
      },
    });
  } catch (error) {
    session.report("fail.remove", error);
  }
}

async function removeAll(session: Session, cardIds: readonly string[]): Promise<string[]> {
  const arrowIds: string[] = [];
  for (const cardId of cardIds) {
    const gone = await session.client.call("canvas.removeCard", { cardId, force: true });
    arrowIds.push(...gone.arrowIds);
    session.assume([
      ...gone.arrowIds.map((arrowId) => ({ op: "removeArrow", arrowId }) as const),
      { op: "removeCard", cardId },
    ]);
  }
  return arrowIds;
}

/** Brings removed cards and arrows back under their ids, and says so when something had to be started anew. */
export async function restore(
  session: Session,
  cardIds: readonly string[],
  arrowIds: readonly string[],
): Promise<void> {
  const workspaceId = session.workspaceId;
  if (workspaceId === null) return;
  const back = await session.client.call("canvas.restore", { workspaceId, cardIds, arrowIds });
  session.assume([
    ...back.cards.map((card) => ({ op: "putCard", card }) as const),
    ...back.arrows.map((arrow) => ({ op: "putArrow", arrow }) as const),
  ]);
  const names = back.cards.filter((card) => back.restarted.includes(card.id)).map((card) => card.name);
  if (names.length > 0) session.toast((t) => t("toast.restarted", { names: names.join(", ") }), "accent");
}

/** Moves or resizes cards; shown at once, taken back when the server refuses. */
export function arrange(session: Session, wanted: readonly Geometry[], undoable = true): Promise<void> {
  return session.undo.after(arrangeNow(session, wanted, undoable));
}

async function arrangeNow(session: Session, wanted: readonly Geometry[], undoable: boolean): Promise<void> {
  const workspaceId = session.workspaceId;
  const cards = cardsOf(session);
  const changed = wanted.filter((geometry) => differs(geometry, cards.get(geometry.cardId)));
  if (workspaceId === null || changed.length === 0) return;
  const before = changed.map((geometry) => geometryOf(cards, geometry.cardId));
  try {
    await applyGeometry(session, workspaceId, changed, before);
  } catch (error) {
    session.report("fail.move", error);
    return;
  }
  if (!undoable) return;
  session.undo.push({
    label: (t) => t("undo.move", { count: changed.length }),
    undo: () => applyGeometry(session, workspaceId, before, changed),
    redo: () => applyGeometry(session, workspaceId, changed, before),
  });
}

async function applyGeometry(
  session: Session,
  workspaceId: string,
  wanted: readonly Geometry[],
  before: readonly Geometry[],
): Promise<void> {
  session.assume(wanted.map(patchOf));
  try {
    await session.client.call("canvas.arrange", { workspaceId, cards: wanted });
  } catch (error) {
    session.assume(before.map(patchOf));
    throw error;
  }
}

function patchOf({ cardId, ...fields }: Geometry) {
  return { op: "patchCard", cardId, fields } as const;
}

function differs(wanted: Geometry, card: Card | undefined): boolean {
  if (card === undefined) return false;
  const { x, y, w = card.w, h = card.h } = wanted;
  return x !== card.x || y !== card.y || w !== card.w || h !== card.h;
}

function geometryOf(cards: ReadonlyMap<string, Card>, cardId: string): Required<Geometry> {
  const { x, y, w, h } = cards.get(cardId) as Rect;
  return { cardId, x, y, w, h };
}

export function renameCard(session: Session, cardId: string, title: string | null): Promise<void> {
  return session.undo.after(renameNow(session, cardId, title));
}

async function renameNow(session: Session, cardId: string, title: string | null): Promise<void> {
  const before = cardsOf(session).get(cardId);
  const wanted = title === null || title.trim() === "" ? null : title.trim();
  if (before === undefined || before.title === wanted) return;
  const set = async (value: string | null) => {
    const card = await session.client.call("canvas.updateCard", { cardId, title: value });
    session.assume([{ op: "putCard", card }]);
  };
  try {
    await set(wanted);
  } catch (error) {
    session.report("fail.rename", error);
    return;
  }
  session.undo.push({
    label: (t) => t("undo.rename", { name: before.name }),
    undo: () => set(before.title),
    redo: () => set(wanted),
  });
}

export async function stackCards(session: Session, cardIds: readonly string[], z: "front" | "back"): Promise<void> {
  try {
    for (const cardId of cardIds) await session.client.call("canvas.updateCard", { cardId, z });
  } catch (error) {
    session.report("fail.stack", error);
  }
}
