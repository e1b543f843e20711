import { connect } from "../actions/arrows";
import type { Session } from "../state/session";
import { createStore } from "../state/store";
import { focusWhenDrawn } from "./focusing";
import { nearestTowards, type Heading, type Point, type Rect } from "./geometry";

/** Where the pointer is while an arrow is drawn, in pixels of the window; null when keys draw it. */
export const drawingPointer = createStore<Point | null>(null);

const CLICK_SLOP_PX = 5;

/**
 * Draws an arrow with the pointer: press on a port, drag, let go over a card. A press without a drag keeps the arrow
 * at the pointer until the next press. Escape gives up.
 */
export function drawWithPointer(session: Session, cardId: string, outgoing: boolean, at: Point): void {
  if (!session.online) {
    session.toast((t) => t("fail.away"), "warning");
    return;
  }
  begin(session, cardId, outgoing, false);
  drawingPointer.set(at);
  let dragged = false;
  let sticky = false;
  const stop = new AbortController();
  const finish = (done: boolean) => {
    stop.abort();
    const targetId = session.ui.get().drawing?.targetId ?? null;
    end(session);
    if (done && targetId !== null) void land(session, cardId, outgoing, targetId);
  };
  const listen = <Name extends keyof WindowEventMap>(name: Name, run: (event: WindowEventMap[Name]) => void) =>
    window.addEventListener(name, run, { signal: stop.signal, capture: true });
  listen("pointermove", (event) => {
    const point = { x: event.clientX, y: event.clientY };
    if (Math.hypot(point.x - at.x, point.y - at.y) > CLICK_SLOP_PX) dragged = true;
    drawingPointer.set(point);
    aim(session, cardUnder(point));
  });
  listen("pointerup", () => {
    if (dragged || sticky) finish(true);
    else sticky = true;
  });
  listen("pointerdown", (event) => {
    if (sticky) event.stopPropagation();
  });
  listen("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    finish(false);
  });
  listen("blur", () => finish(false));
}

/** Draws an arrow with the keys: arrow keys pick the card, Enter draws, Escape gives up. */
export function drawWithKeys(session: Session, cardId: string): void {
  begin(session, cardId, true, true);
  step(session, "right");
  const stop = new AbortController();
  const onKey = (event: KeyboardEvent) => {
    const heading = HEADINGS[event.key];
    if (heading !== undefined) step(session, heading);
    else if (event.key === "Tab") cycle(session, event.shiftKey ? -1 : 1);
    else if (event.key === "Enter" || event.key === " ") {
      const targetId = session.ui.get().drawing?.targetId ?? null;
      stop.abort();
      end(session);
      if (targetId !== null) void land(session, cardId, true, targetId).then(focusArrow);
    } else if (event.key === "Escape") {
      stop.abort();
      end(session);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("keydown", onKey, { signal: stop.signal, capture: true });
  window.addEventListener(
    "pointerdown",
    () => {
      stop.abort();
      end(session);
    },
    { signal: stop.signal, capture: true },
  );
}

export const HEADINGS: Readonly<Record<string, Heading>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

function begin(session: Session, cardId: string, outgoing: boolean, byKeyboard: boolean): void {
  session.ui.update((ui) => ({ ...ui, drawing: { cardId, outgoing, byKeyboard, targetId: null } }));
}

function end(session: Session): void {
  drawingPointer.set(null);
  session.ui.update((ui) => ({ ...ui, drawing: null }));
}

function aim(session: Session, targetId: string | null): void {
  session.ui.update((ui) => {
    if (ui.drawing === null) return ui;
    const wanted = targetId === ui.drawing.cardId ? null : targetId;
    return wanted === ui.drawing.targetId ? ui : { ...ui, drawing: { ...ui.drawing, targetId: wanted } };
  });
}

/** Joins the two cards and selects the arrow; gives its id, or null when none was drawn. */
async function land(session: Session, cardId: string, outgoing: boolean, targetId: string): Promise<string | null> {
  const arrow = await (outgoing ? connect(session, cardId, targetId) : connect(session, targetId, cardId));
  if (arrow === null) return null;
  session.ui.update((ui) => ({ ...ui, selection: { cardIds: [], arrowIds: [arrow.id] } }));
  return arrow.id;
}

/** Keys act on what is selected, so the focus goes there too. */
function focusArrow(arrowId: string | null): void {
  if (arrowId !== null) focusWhenDrawn(`.react-flow__edge[data-id="${CSS.escape(arrowId)}"]`);
}

function step(session: Session, heading: Heading): void {
  const drawing = session.ui.get().drawing;
  const cards = session.canvas.get()?.cards;
  if (drawing === null || cards === undefined) return;
  const from = cards.get(drawing.targetId ?? drawing.cardId);
  if (from === undefined) return;
  const others = [...cards.values()].filter((card) => card.id !== drawing.cardId && card.id !== from.id);
  const next = nearestTowards<Rect & { id: string }>(from, others, heading);
  if (next !== null) aim(session, next.id);
  else if (drawing.targetId === null && others[0] !== undefined) aim(session, others[0].id);
}

function cycle(session: Session, by: number): void {
  const drawing = session.ui.get().drawing;
  const cards = session.canvas.get()?.cards;
  if (drawing === null || cards === undefined) return;
  const ids = [...cards.keys()].filter((id) => id !== drawing.cardId);
  if (ids.length === 0) return;
  const at = drawing.targetId === null ? -1 : ids.indexOf(drawing.targetId);
  aim(session, ids[(at + by + ids.length) % ids.length] ?? null);
}

/** The card at a point of the window, by its id. */
export function cardUnder(point: Point): string | null {
  for (const element of document.elementsFromPoint(point.x, point.y)) {
    const card = element.closest<HTMLElement>("[data-card-id]");
    if (card !== null) return card.dataset["cardId"] ?? null;
  }
  return null;
}
