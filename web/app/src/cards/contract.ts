import type { ComponentType } from "react";
import type { TextKey, Translate } from "../i18n/catalogue";
import type { Told } from "../state/toasts";
import type { Card, CardKind, Tone } from "../wire/records";

export type { Card, CardKind, Tone, Told, Translate, TextKey };

/** One step of this page's undo history. Both ways are calls to the server; a rejected one is shown and dropped. */
export interface UndoEntry {
  label: Told;
  undo(): Promise<void>;
  redo(): Promise<void>;
}

/** What a card body may do. The object changes only with the language. */
export interface CardApi {
  /** Calls a method of the canvas; rejects with `CallFailure` (code, message, data). */
  call<T>(method: string, params: object): Promise<T>;
  /** Listens to an event of the server by name; gives the function that stops it. */
  on(event: string, listener: (data: never) => void): () => void;
  t: Translate;
  pushUndo(entry: UndoEntry): void;
  /** Lets undo and redo wait for something that is under way and pushes its entry when it has landed. */
  holdUndo<T>(action: Promise<T>): Promise<T>;
  toast(told: Told, tone?: Tone): void;
}

export interface CardBodyProps<Shown extends Card = Card> {
  card: Shown;
  api: CardApi;
  selected: boolean;
  /** False below the zoom at which text can be read; the shell then shows the overview tile over the body. */
  readable: boolean;
}

/** The few words that stand for a card when it is too small to read. */
export interface OverviewText {
  primary: string;
  secondary?: string;
  /** 0 to 1. */
  progress?: number;
  tone?: Tone;
}

export interface IconProps {
  size?: number;
}

/**
 * How a kind of card is shown. The shell draws the frame, the header (icon, title, meta, chrome status and badge) and
 * the ports; the body fills the rest. Wrap what scrolls in xyflow's `nowheel`, what is dragged or selected in `nodrag`.
 *
 * Enter on a focused card focuses the body's first `[data-enter]` element and clicks it when the value is "click".
 * A body lets Escape through (or not, as the terminal does) for the shell to take the focus back.
 */
export interface CardBody {
  component: ComponentType<CardBodyProps>;
  icon: ComponentType<IconProps>;
  label: TextKey;
  defaultSize: { w: number; h: number };
  minSize: { w: number; h: number };
  /** True: the body draws the whole card and the shell no header, as for a sticky. */
  bare?: boolean;
  /** The muted words behind the title, such as "3 open". */
  headerMeta?(card: Card, t: Translate): string;
  /** The dot before the title; null for none. */
  headerTone?(card: Card): { tone: Tone; busy: boolean } | null;
  overview(card: Card, t: Translate): OverviewText;
  /** True: the body keeps running while the overview tile hides it, as a terminal must. */
  keepMounted?: boolean;
  /** True: something runs in this card, and deleting it asks first. */
  running?(card: Card): boolean;
  hints?: { keys: string; label: TextKey }[];
}

export type CardBodies = Record<CardKind, CardBody>;
