import { useEffect, type RefObject } from "react";
import { confirmArrow, reversed, setDirection, setPaused } from "../actions/arrows";
import { duplicateCards, stackCards } from "../actions/cards";
import { cardBodies } from "../cards/registry";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { NOTHING_SELECTED } from "../state/ui";
import { openCardMenuByKey } from "./cardMenu";
import { drawWithKeys, HEADINGS } from "./drawing";
import { nearestTowards, type Heading } from "./geometry";
import { nudge } from "./nudge";
import { askAndRemove } from "./removing";
import { revealed, useViewport, type ViewportTools } from "./viewport";

const STEP = 16;
const STEPS: Record<Heading, { x: number; y: number }> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

/** The keys of the canvas: they act on the focused card or arrow, else on the selection. */
export function useCanvasKeys(box: RefObject<HTMLDivElement | null>): void {
  const session = useSession();
  const viewport = useViewport();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const stop = new AbortController();
    const signal = stop.signal;
    element.addEventListener("focusin", (event) => followFocus(session, event), { signal });
    window.addEventListener(
      "keydown",
      (event) => {
        if (event.defaultPrevented || session.ui.get().drawing !== null) return;
        if (onKey(session, viewport, event)) event.preventDefault();
      },
      { signal },
    );
    return () => stop.abort();
  }, [session, viewport, box]);
}

/** A card or arrow reached by Tab becomes the selection, so that every other key acts on what one sees focused. */
function followFocus(session: Session, event: FocusEvent): void {
  const target = event.target as HTMLElement;
  if (!target.matches(".react-flow__node, .react-flow__edge") || !target.matches(":focus-visible")) return;
  const id = target.dataset["id"];
  if (id === undefined) return;
  const isCard = target.classList.contains("react-flow__node");
  const { selection } = session.ui.get();
  if ((isCard ? selection.cardIds : selection.arrowIds).includes(id)) return;
  session.ui.update((ui) => ({
    ...ui,
    selection: isCard ? { cardIds: [id], arrowIds: [] } : { cardIds: [], arrowIds: [id] },
  }));
}

/** Whether the key was one of ours. */
function onKey(session: Session, viewport: ViewportTools, event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (isTyping(target)) return false;
  const inBody = target.closest(".card-body") !== null;
  if (event.key === "Escape") return escape(session, target, inBody);
  if (inBody || target.closest(".panel, .topbar, .menu, dialog") !== null) return false;
  const { selection } = session.ui.get();
  if (event.ctrlKey || event.metaKey) return onControlKey(session, viewport, event);
  const [cardId] = selection.cardIds;
  const [arrowId] = selection.arrowIds;
  if ((event.key === "Delete" || event.key === "Backspace") && (cardId ?? arrowId) !== undefined) {
    askAndRemove(session, selection);
    return true;
  }
  if (cardId !== undefined && onCardKey(session, viewport, cardId, target, event)) return true;
  if (cardId === undefined && arrowId !== undefined && onArrowKey(session, arrowId, event)) return true;
  return onViewKey(session, viewport, event);
}

function isTyping(target: HTMLElement): boolean {
  return target.isContentEditable || target.closest("input, textarea, select, .xterm") !== null;
}

function escape(session: Session, target: HTMLElement, inBody: boolean): boolean {
  const node = inBody ? target.closest<HTMLElement>(".react-flow__node") : null;
  if (node !== null) {
    node.focus({ preventScroll: true });
    return true;
  }
  session.ui.update((ui) => ({ ...ui, selection: NOTHING_SELECTED }));
  return true;
}

function onControlKey(session: Session, viewport: ViewportTools, event: KeyboardEvent): boolean {
  const { selection } = session.ui.get();
  const heading = HEADINGS[event.key];
  if (heading !== undefined) return focusTowards(session, viewport, heading);
  switch (event.key.toLowerCase()) {
    case "a": {
      const cardIds = [...(session.canvas.get()?.cards.keys() ?? [])];
      session.ui.update((ui) => ({ ...ui, selection: { cardIds, arrowIds: [] } }));
      return true;
    }
    case "d":
      void duplicateCards(session, selection.cardIds).then((cardIds) => selectCards(session, cardIds));
      return true;
    case "c":
      if (selection.cardIds.length === 0 || getSelection()?.isCollapsed === false) return false;
      copied = selection.cardIds;
      return true;
    case "v":
      void duplicateCards(session, copied, viewport.pointer()).then((cardIds) => selectCards(session, cardIds));
      return true;
    default:
      return false;
  }
}

/** The cards that Ctrl-V brings again; only this page's own. */
let copied: readonly string[] = [];

function selectCards(session: Session, cardIds: readonly string[]): void {
  const [first] = cardIds;
  if (first === undefined) return;
  session.ui.update((ui) => ({ ...ui, selection: { cardIds, arrowIds: [] } }));
  revealed.set({ cardId: first });
}

function onCardKey(
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

function onArrowKey(session: Session, arrowId: string, event: KeyboardEvent): boolean {
  const arrow = session.canvas.get()?.arrows.get(arrowId);
  if (arrow === undefined) return false;
  switch (event.key.toLowerCase()) {
    case "enter":
      if (arrow.pending) void confirmArrow(session, arrowId);
      else session.ui.update((ui) => ({ ...ui, inspectorOpen: true }));
      return true;
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

function onViewKey(session: Session, viewport: ViewportTools, event: KeyboardEvent): boolean {
  switch (event.key) {
    case "+":
    case "=":
      viewport.zoomBy(1.25);
      return true;
    case "-":
      viewport.zoomBy(0.8);
      return true;
    case "0":
      viewport.zoomTo(1);
      return true;
    case "1":
    case "!":
      viewport.fit();
      return true;
    case "i":
      session.ui.update((ui) => ({ ...ui, inspectorOpen: !ui.inspectorOpen }));
      return true;
    case "?":
      session.ui.update((ui) => ({ ...ui, overlay: "help" }));
      return true;
    default:
      return false;
  }
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

function focusTowards(session: Session, viewport: ViewportTools, heading: Heading): boolean {
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
