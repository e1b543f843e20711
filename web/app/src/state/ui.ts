/** What is on the screen of this page alone: selection, panels, and the arrow being drawn. */
export interface UiState {
  selection: Selection;
  /** Zoomed out so far that cards are tiles. */
  overview: boolean;
  inspectorOpen: boolean;
  /** The card whose title is being edited. */
  renaming: string | null;
  drawing: Drawing | null;
  overlay: "palette" | "help" | null;
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

export const NOTHING_SELECTED: Selection = { cardIds: [], arrowIds: [] };

export const INITIAL_UI: UiState = {
  selection: NOTHING_SELECTED,
  overview: false,
  inspectorOpen: true,
  renaming: null,
  drawing: null,
  overlay: null,
};

export function sameSelection(one: Selection, other: Selection): boolean {
  return sameIds(one.cardIds, other.cardIds) && sameIds(one.arrowIds, other.arrowIds);
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
