import type { Timers } from "../connection/client";
import type { Tone } from "../wire/records";
import { createStore } from "./store";

interface Toast {
  id: number;
  message: string;
  tone: Tone;
  /** Who says it, when that is a card. */
  from: string | null;
}

const MAX_SHOWN = 4;

/** The short notices at the edge of the page; each goes by itself, the oldest when there are too many. */
export class Toasts {
  readonly shown = createStore<readonly Toast[]>([]);
  private nextId = 1;

  constructor(private readonly timers: Timers) {}

  show(message: string, tone: Tone = "default", options: { from?: string; durationMs?: number } = {}): void {
    const toast: Toast = { id: this.nextId++, message, tone, from: options.from ?? null };
    const same = (other: Toast) => other.message === message && other.from === toast.from;
    this.shown.update((toasts) => [...toasts.filter((other) => !same(other)), toast].slice(-MAX_SHOWN));
    this.timers.after(options.durationMs ?? (tone === "danger" ? 8_000 : 4_500), () => this.dismiss(toast.id));
  }

  dismiss(id: number): void {
    this.shown.update((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
