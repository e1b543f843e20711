import { confirmArrow, reversed, setDirection, setPaused } from "../actions/arrows";
import { stackCards } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import { arrowsOf } from "../state/canvas";
import type { Session } from "../state/session";
import { openCardMenuByKey } from "./cardMenu";
import { drawWithKeys, HEADINGS } from "./drawing";
import { nearestTowards, type Heading } from "./geometry";
import { nudge } from "./nudge";
import type { ViewportTools } from "./viewport";

const STEP = 16;
const STEPS: Record<Heading, { x: number; y: number }> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

/** What a key does with the selected cards; false when it is not one of theirs. */
export function onCardKey(
  session: Session,
  viewport: ViewportTools,
  cardId: string,
  target: HTMLElement,
  event: KeyboardEvent,
): boolean {
  const heading = HEADINGS[event.key];
  const { cardIds } = session.ui.get().selection;
  if (heading !== undefined) {
    const step = STEPS[heading];
    const size = event.shiftKey ? 1 : STEP;
    nudge(session, cardIds, { x: step.x * size, y: step.y * size }, event.altKey);
    return true;
  }
  if (event.altKey) return false;
  switch (event.key) {
    case "Enter":
      return enterBody(cardId, target);
    case "F2": {
      const card = session.canvas.get()?.cards.get(cardId);
      if (card === undefined || cardBodies[card.kind].bare === true) return enterBody(cardId, target);
      session.ui.update((ui) => ({ ...ui, renaming: cardId }));
      return true;
    }
    case "a":
    case "A":
      return walkArrows(session, cardId);
    case "c":
    case "C":
      drawWithKeys(session, cardId);
      return true;
    case "]":
      void stackCards(session, cardIds, "front");
      return true;
    case "[":
      void stackCards(session, cardIds, "back");
      return true;
    case "z":
    case "Z":
      viewport.fit(cardIds);
      return true;
    case "ContextMenu":
      return openCardMenuByKey(session, cardId);
    case "F10":
      return event.shiftKey && openCardMenuByKey(session, cardId);
    default:
      return false;
  }
}

/** What a key does with the selected arrow; false when it is not one of its. */
export function onArrowKey(session: Session, arrowId: string, event: KeyboardEvent): boolean {
  const arrow = session.canvas.get()?.arrows.get(arrowId);
  if (arrow === undefined) return false;
  switch (event.key.toLowerCase()) {
    case "enter":
      if (arrow.pending) void confirmArrow(session, arrowId);
      else session.ui.update((ui) => ({ ...ui, inspectorOpen: true }));
      return true;
    case "a":
      return walkArrows(session, walked ?? arrow.a, arrowId);
    case "r":
      void setDirection(session, arrowId, reversed(arrow.direction));
      return true;
    case "b":
      void setDirection(session, arrowId, arrow.direction === "both" ? "forward" : "both");
      return true;
    case "p":
      void setPaused(session, arrowId, !arrow.paused);
      return true;
    default:
      return false;
  }
}

/** The card whose arrows are being gone through. */
let walked: string | null = null;

/** Focuses a card's next arrow; after the last one the card again. */
function walkArrows(session: Session, cardId: string, after?: string): boolean {
  const state = session.canvas.get();
  if (state === null) return false;
  const ids = arrowsOf(state, cardId).map((arrow) => arrow.id);
  const next = after === undefined ? ids[0] : ids[ids.indexOf(after) + 1];
  walked = cardId;
  session.ui.update((ui) => ({
    ...ui,
    selection: next === undefined ? { cardIds: [cardId], arrowIds: [] } : { cardIds: [], arrowIds: [next] },
  }));
  const selector = next === undefined ? ".react-flow__node" : ".react-flow__edge";
  document.querySelector<HTMLElement>(`${selector}[data-id="${CSS.escape(next ?? cardId)}"]`)?.focus({ preventScroll: true });
  return true;
}

/** Moves the focus into a card's body, at the place the body marked for it. */
function enterBody(cardId: string, target: HTMLElement): boolean {
  if (target.closest("button") !== null) return false;
  const card = document.querySelector<HTMLElement>(`[data-card-id="${CSS.escape(cardId)}"] .card-body`);
  const entry = card?.querySelector<HTMLElement>("[data-enter]") ?? firstFocusable(card);
  if (entry === null || entry === undefined) return false;
  entry.focus({ preventScroll: true });
  if (entry.dataset["enter"] === "click") entry.click();
  return true;
}

function firstFocusable(within: HTMLElement | null | undefined): HTMLElement | null {
  return within?.querySelector<HTMLElement>("input, textarea, button, [tabindex='0']") ?? null;
}

/** Moves the focus and the selection to the nearest card in a direction. */
export function focusTowards(session: Session, viewport: ViewportTools, heading: Heading): boolean {
  const cards = session.canvas.get()?.cards;
  const [cardId] = session.ui.get().selection.cardIds;
  const from = cardId === undefined ? undefined : cards?.get(cardId);
  if (cards === undefined) return false;
  const others = [...cards.values()].filter((card) => card.id !== cardId);
  const next = from === undefined ? others[0] : nearestTowards(from, others, heading);
  if (next === undefined || next === null) return true;
  session.ui.update((ui) => ({ ...ui, selection: { cardIds: [next.id], arrowIds: [] } }));
  const node = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(next.id)}"]`);
  if (node === null) viewport.goTo(next.id);
  else node.focus({ preventScroll: true });
  return true;
}
