import type { Arrow, ArrowActivityEvent, CanvasChanged, Card, Change, Dialog, Snapshot, Workspace } from "../wire/records";

/** One workspace as this page knows it. Every value in it is replaced, never written to. */
export interface CanvasState {
  workspace: Workspace;
  seq: number;
  cards: ReadonlyMap<string, Card>;
  arrows: ReadonlyMap<string, Arrow>;
  dialogs: readonly Dialog[];
}

export function fromSnapshot(snapshot: Snapshot): CanvasState {
  return {
    workspace: snapshot.workspace,
    seq: snapshot.seq,
    cards: new Map(snapshot.cards.map((card) => [card.id, card])),
    arrows: new Map(snapshot.arrows.map((arrow) => [arrow.id, arrow])),
    dialogs: snapshot.dialogs,
  };
}

/**
 * The state after a `canvas.changed` event. "gap" when events between are missing, so that the page asks for a new
 * snapshot; an event that the snapshot already contained changes nothing.
 */
export function applyEvent(state: CanvasState, event: CanvasChanged): CanvasState | "gap" {
  if (event.workspaceId !== state.workspace.id || event.seq <= state.seq) return state;
  if (event.seq !== state.seq + 1) return "gap";
  return { ...applyChanges(state, event.changes), seq: event.seq };
}

export function applyChanges(state: CanvasState, changes: readonly Change[]): CanvasState {
  const cards = new Map(state.cards);
  const arrows = new Map(state.arrows);
  let { workspace, dialogs } = state;
  let cardsTouched = false;
  let arrowsTouched = false;
  for (const change of changes) {
    switch (change.op) {
      case "putCard":
        cards.set(change.card.id, change.card);
        cardsTouched = true;
        break;
      case "patchCard": {
        const card = cards.get(change.cardId);
        if (card === undefined) break;
        cards.set(card.id, { ...card, ...change.fields } as Card);
        cardsTouched = true;
        break;
      }
      case "removeCard":
        cardsTouched = cards.delete(change.cardId) || cardsTouched;
        dialogs = dialogs.filter((dialog) => dialog.cardId !== change.cardId);
        break;
      case "putArrow":
        arrows.set(change.arrow.id, change.arrow);
        arrowsTouched = true;
        break;
      case "removeArrow":
        arrowsTouched = arrows.delete(change.arrowId) || arrowsTouched;
        break;
      case "patchWorkspace":
        workspace = { ...workspace, ...change.fields };
        break;
    }
  }
  return {
    ...state,
    workspace,
    dialogs: dialogs.length === state.dialogs.length ? state.dialogs : dialogs,
    cards: cardsTouched ? cards : state.cards,
    arrows: arrowsTouched ? arrows : state.arrows,
  };
}

/** New counts of arrows; arrows that are gone meanwhile are left out. */
export function applyActivity(state: CanvasState, activity: ArrowActivityEvent): CanvasState {
  if (activity.workspaceId !== state.workspace.id) return state;
  const arrows = new Map(state.arrows);
  for (const { arrowId, stats } of activity.arrows) {
    const arrow = arrows.get(arrowId);
    if (arrow !== undefined) arrows.set(arrowId, { ...arrow, stats });
  }
  return { ...state, arrows };
}

/** Takes in a question. One that is known keeps its place: it got more time. */
export function openDialog(state: CanvasState, dialog: Dialog): CanvasState {
  if (dialog.workspaceId !== state.workspace.id) return state;
  if (!state.dialogs.some((known) => known.id === dialog.id)) return { ...state, dialogs: [...state.dialogs, dialog] };
  return { ...state, dialogs: state.dialogs.map((known) => (known.id === dialog.id ? dialog : known)) };
}

export function closeDialog(state: CanvasState, dialogId: string): CanvasState {
  const dialogs = state.dialogs.filter((dialog) => dialog.id !== dialogId);
  return dialogs.length === state.dialogs.length ? state : { ...state, dialogs };
}

/** The arrow between two cards, whichever way it was drawn. There is at most one. */
export function arrowBetween(state: CanvasState, one: string, other: string): Arrow | null {
  for (const arrow of state.arrows.values()) {
    if ((arrow.a === one && arrow.b === other) || (arrow.a === other && arrow.b === one)) return arrow;
  }
  return null;
}

export function arrowsOf(state: CanvasState, cardId: string): Arrow[] {
  return [...state.arrows.values()].filter((arrow) => arrow.a === cardId || arrow.b === cardId);
}
