import type { Timers } from "../connection/client";
import type { Translate } from "../i18n/catalogue";
import type { Tone } from "../wire/records";
import { createStore } from "./store";

/** Words by the texts of whatever language the page is read in. */
export type ByTexts = (t: Translate) => string;

/** What is said: as it is, or by texts. */
export type Told = string | ByTexts;

export function wordsOf(told: Told, t: Translate): string {
  return typeof told === "string" ? told : told(t);
}

interface Toast {
  id: number;
  message: string;
  told: Told;
  tone: Tone;
  /** Who says it, when that is a card. */
  from: string | null;
}

const MAX_SHOWN = 4;

/** The short notices at the edge of the page; each goes by itself, the oldest when there are too many. */
export class Toasts {
  readonly shown = createStore<readonly Toast[]>([]);
  private nextId = 1;

  constructor(
    private readonly timers: Timers,
    private readonly texts: () => Translate,
  ) {}

  show(told: Told, tone: Tone = "default", options: { from?: string; durationMs?: number } = {}): void {
    const message = wordsOf(told, this.texts());
    const toast: Toast = { id: this.nextId++, message, told, tone, from: options.from ?? null };
    const same = (other: Toast) => other.message === message && other.from === toast.from;
    this.shown.update((toasts) => [...toasts.filter((other) => !same(other)), toast].slice(-MAX_SHOWN));
    this.timers.after(options.durationMs ?? (tone === "danger" ? 8_000 : 4_500), () => this.dismiss(toast.id));
  }

  /** Says what is shown once more, in the language that the page has now. */
  sayAgain(): void {
    this.shown.update((toasts) => toasts.map((toast) => ({ ...toast, message: wordsOf(toast.told, this.texts()) })));
  }

  dismiss(id: number): void {
    this.shown.update((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
