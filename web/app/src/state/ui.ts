import type { FileRef } from "../files/fileRef";

/** What is on the screen of this page alone: selection, panels, and the arrow being drawn. */
export interface UiState {
  selection: Selection;
  detail: Detail;
  inspectorOpen: boolean;
  filesOpen: boolean;
  /** The card whose title is being edited. */
  renaming: string | null;
  drawing: Drawing | null;
  carrying: Carrying | null;
  overlay: "palette" | "help" | "packages" | "usage" | "budgets" | null;
  /** Where the agent will lie that is being made; `exact`: there, even over another card. */
  newAgent: { at: { x: number; y: number }; exact: boolean } | null;
  agentsOpen: boolean;
  /** The agent whose timeline the page of usage shows. */
  timelineOf: string | null;
  /** The card whose settings form is open. */
  settingsOf: string | null;
}

/** How much of a card can be seen at this zoom: its body, a tile with a few large or larger words, or a coloured block. */
export type Detail = "full" | "tile" | "far" | "block";

const TILE_BELOW = 0.45;
const FAR_BELOW = 0.38;
const BLOCK_BELOW = 0.2;

export function detailAt(zoom: number): Detail {
  if (zoom >= TILE_BELOW) return "full";
  if (zoom >= FAR_BELOW) return "tile";
  return zoom >= BLOCK_BELOW ? "far" : "block";
}

export interface Selection {
  cardIds: readonly string[];
  arrowIds: readonly string[];
}

/** An arrow being drawn: from a card outwards, or backwards from where it shall end. */
export interface Drawing {
  cardId: string;
  outgoing: boolean;
  /** The card under the pointer or picked by keys. */
  targetId: string | null;
  byKeyboard: boolean;
}

/** A file on its way from the drawer to a card. */
export interface Carrying {
  ref: FileRef;
  /** The card under the pointer. */
  targetId: string | null;
}

export const NOTHING_SELECTED: Selection = { cardIds: [], arrowIds: [] };

export const INITIAL_UI: UiState = {
  selection: NOTHING_SELECTED,
  detail: "full",
  inspectorOpen: true,
  filesOpen: false,
  renaming: null,
  drawing: null,
  carrying: null,
  overlay: null,
  newAgent: null,
  agentsOpen: false,
  timelineOf: null,
  settingsOf: null,
};

/** A selection without what is no longer there; the same object when all of it is. */
export function keepExisting(selection: Selection, exists: { card(id: string): boolean; arrow(id: string): boolean }): Selection {
  const kept = { cardIds: selection.cardIds.filter(exists.card), arrowIds: selection.arrowIds.filter(exists.arrow) };
  return sameSelection(kept, selection) ? selection : kept;
}

export function sameSelection(one: Selection, other: Selection): boolean {
  return sameIds(one.cardIds, other.cardIds) && sameIds(one.arrowIds, other.arrowIds);
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
