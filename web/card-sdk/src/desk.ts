import { CardSdkError } from "./errors";
import type { Stop } from "./types";

/** A call that came in: by which id it is answered, who is to answer it, until when (epoch time). */
export interface Incoming {
  readonly id: string;
  readonly name: string;
  readonly deadline: number;
}

interface Open<Call extends Incoming> {
  readonly call: Call;
  readonly abort: AbortController;
  readonly timers: ReturnType<typeof setTimeout>[];
  begun: boolean;
}

export interface DeskRules<Call extends Incoming, Handler> {
  /** Runs a handler and answers; `signal` tells when nobody waits any more. What it throws is lost. */
  serve(call: Call, handler: Handler, signal: AbortSignal): Promise<void>;
  /** Answers a call for which no handler came, so many milliseconds before its deadline; without it nothing is said. */
  readonly unserved?: { readonly beforeMs: number; answer(call: Call): void };
}

/** Calls from outside and their handlers. A call waits for its handler until its deadline; then it is forgotten. */
export class Desk<Call extends Incoming, Handler> {
  readonly #rules: DeskRules<Call, Handler>;
  readonly #handlers = new Map<string, Handler>();
  readonly #open = new Map<string, Open<Call>>();

  constructor(rules: DeskRules<Call, Handler>, closed: AbortSignal) {
    this.#rules = rules;
    closed.addEventListener("abort", () => {
      for (const id of [...this.#open.keys()]) this.end(id, closed.reason);
    });
  }

  /** Lets a handler answer the calls of a name; the handler that came last counts. */
  handle(name: string, handler: Handler): Stop {
    this.#handlers.set(name, handler);
    for (const open of [...this.#open.values()]) if (open.call.name === name) this.#begin(open);
    return () => {
      if (this.#handlers.get(name) === handler) this.#handlers.delete(name);
    };
  }

  /** Takes a call in. */
  take(call: Call): void {
    const open: Open<Call> = { call, abort: new AbortController(), timers: [], begun: false };
    this.#open.set(call.id, open);
    const leftMs = call.deadline - Date.now();
    const late = () => this.end(call.id, new CardSdkError("TIMEOUT", `The time to answer ${call.name} is over.`));
    open.timers.push(setTimeout(late, leftMs));
    const { unserved } = this.#rules;
    if (unserved) open.timers.push(setTimeout(() => this.#giveUp(open), leftMs - unserved.beforeMs));
    this.#begin(open);
  }

  /** Ends a call without an answer: its handler is told by the signal. */
  end(id: string, reason: unknown): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#forget(open);
    open.abort.abort(reason);
  }

  #begin(open: Open<Call>): void {
    const handler = this.#handlers.get(open.call.name);
    if (handler === undefined || open.begun) return;
    open.begun = true;
    void this.#rules.serve(open.call, handler, open.abort.signal).finally(() => this.#forget(open));
  }

  #giveUp(open: Open<Call>): void {
    if (open.begun) return;
    this.#forget(open);
    this.#rules.unserved?.answer(open.call);
  }

  #forget(open: Open<Call>): void {
    for (const timer of open.timers) clearTimeout(timer);
    this.#open.delete(open.call.id);
  }
}

/** Answers with the outcome; when that is refused, with the refusal. Once the call is over nothing is said. */
export async function answer(
  respond: (outcome: Readonly<Record<string, unknown>>) => Promise<unknown>,
  outcome: Readonly<Record<string, unknown>>,
  errorText: (error: unknown) => string,
): Promise<void> {
  try {
    await respond(outcome);
  } catch (error) {
    const over = error instanceof CardSdkError && ["NOT_FOUND", "UNAVAILABLE"].includes(error.code);
    if (!over && !("error" in outcome)) await answer(respond, { error: errorText(error) }, errorText);
  }
}
