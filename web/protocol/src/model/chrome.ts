/** What surrounds a card's body. */

import type { Tone } from "../generated";

export interface StatusChip {
  readonly text: string;
  readonly tone: Tone;
  readonly busy: boolean;
}

export interface Badge {
  readonly count: number | null;
  readonly text: string | null;
  readonly tone: Tone;
}

/** The tile shown instead of the card's body when the canvas is zoomed out; `progress` runs from 0 to 1. */
export interface OverviewTile {
  readonly primary: string | null;
  readonly secondary: string | null;
  readonly progress: number | null;
  readonly tone: Tone;
  readonly icon: string | null;
}

export interface Attention {
  readonly level: "info" | "needs-input";
  readonly message: string | null;
}

/** What surrounds a card's body: everything the card itself may set about its appearance. */
export interface Chrome {
  readonly title: string | null;
  readonly status: StatusChip | null;
  readonly badge: Badge | null;
  readonly overview: OverviewTile | null;
  readonly attention: Attention | null;
}
