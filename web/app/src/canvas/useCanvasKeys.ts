import { useEffect, type RefObject } from "react";
import { toggleAgents } from "../actions/agents";
import { duplicateCards } from "../actions/cards";
import { toggleFiles } from "../files/actions";
import { useSession } from "../shell/context";
import type { Session } from "../state/session";
import { NOTHING_SELECTED } from "../state/ui";
import { HEADINGS } from "./drawing";
import { focusTowards, onArrowKey, onCardKey } from "./elementKeys";
import { askAndRemove } from "./removing";
import { revealed, useViewport, type ViewportTools } from "./viewport";

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
  if (inBody || target.closest(".panel, .files, .topbar, .menu, dialog") !== null) return false;
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
    case "f":
      toggleFiles(session);
      return true;
    case "g":
      toggleAgents(session);
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
