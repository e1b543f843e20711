import { CARD_EVENTS, OWN_LIMITS, hasOwn } from "@cardloom/protocol";
import type { CardEventName } from "@cardloom/protocol";
import type { Stop } from "./types";

export type Handler = (data: unknown) => void;

/** Told of what a listener threw. */
export type Report = (event: string, error: unknown) => void;

/**
 * Who listens to which event, and what waits for a first listener.
 *
 * Of the events that the table calls buffered, up to 100 wait while nobody listens. The first listener of the event
 * gets them all in the next microtask, and what it does not want is gone.
 */
export class EventHub {
  readonly #report: Report;
  readonly #maxWaiting: number;
  readonly #listeners = new Map<string, Handler[]>();
  readonly #waiting = new Map<string, unknown[]>();
  readonly #heirs = new Map<string, Handler>();

  constructor(report: Report, { maxWaiting = OWN_LIMITS.bufferedMessages }: { readonly maxWaiting?: number } = {}) {
    this.#report = report;
    this.#maxWaiting = maxWaiting;
  }

  /** Calls `handler` with the data of every event of that name. */
  on(event: string, handler: Handler): Stop {
    // A wrapper of its own, so that one function registered twice is called twice and can be stopped once.
    const listener: Handler = (data) => handler(data);
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    if (this.#waiting.has(event) && !this.#heirs.has(event)) {
      this.#heirs.set(event, listener);
      queueMicrotask(() => this.#handOver(event));
    }
    return () => {
      const others = (this.#listeners.get(event) ?? []).filter((other) => other !== listener);
      this.#listeners.set(event, others);
      if (this.#heirs.get(event) === listener) this.#heirs.delete(event);
    };
  }

  /** How many listen to an event. */
  count(event: string): number {
    return this.#listeners.get(event)?.length ?? 0;
  }

  /** Tells everybody who listens, or keeps the event for the first who will. */
  emit(event: string, data: unknown): void {
    this.#handOver(event);
    const listeners = this.#listeners.get(event) ?? [];
    for (const listener of listeners) this.#call(event, listener, data);
    if (listeners.length === 0 && isBuffered(event)) this.keep(event, data);
  }

  /** Keeps an event for the first listener to come; over the limit it is dropped. */
  keep(event: string, data: unknown): void {
    const waiting = this.#waiting.get(event) ?? [];
    if (waiting.length < this.#maxWaiting) waiting.push(data);
    this.#waiting.set(event, waiting);
  }

  /** Takes those kept events out that `wanted` names. */
  claim(event: string, wanted: (data: unknown) => boolean): readonly unknown[] {
    const waiting = this.#waiting.get(event) ?? [];
    this.#waiting.set(
      event,
      waiting.filter((data) => !wanted(data)),
    );
    return waiting.filter(wanted);
  }

  #handOver(event: string): void {
    const heir = this.#heirs.get(event);
    if (heir === undefined) return;
    const waiting = this.#waiting.get(event) ?? [];
    this.#heirs.delete(event);
    this.#waiting.delete(event);
    for (const data of waiting) this.#call(event, heir, data);
  }

  #call(event: string, listener: Handler, data: unknown): void {
    try {
      listener(data);
    } catch (error) {
      this.#report(event, error);
    }
  }
}

function isBuffered(event: string): boolean {
  return hasOwn(CARD_EVENTS, event) && CARD_EVENTS[event as CardEventName].buffered;
}
