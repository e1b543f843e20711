import {
  CARD_LIMITS,
  CARD_METHODS,
  OWN_LIMITS,
  checkJson,
  checkValue,
  hasOwn,
  jsonLength,
  maxRequestLength,
  parseIncoming,
  request,
} from "@cardloom/protocol";
import type { CardMethodName, EventMessage, ResponseMessage } from "@cardloom/protocol";
import { CardSdkError } from "./errors";

/** One end of the channel to the host: a MessagePort, or what a test puts in its place. */
export interface HostPort {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

export interface CallOptions {
  /** Ends the wait for the answer; the host is not told. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly method: string;
  readonly params: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const MAX_EARLY_EVENTS = 500;

/**
 * Calls and events on one port.
 *
 * At most 64 calls wait for the host; more stand in line and get their number when it is their turn. Events that come
 * before `start` are kept, up to 500.
 */
export class HostLink {
  readonly #port: HostPort;
  readonly #maxInFlight: number;
  readonly #closing = new AbortController();
  readonly #inFlight = new Map<number, Waiting>();
  #queue: Waiting[] = [];
  #early: EventMessage[] = [];
  #onEvent: ((event: string, data: unknown) => void) | null = null;
  #lastId = 0;

  constructor(port: HostPort, { maxInFlight = CARD_LIMITS.inFlightRequests }: { readonly maxInFlight?: number } = {}) {
    this.#port = port;
    this.#maxInFlight = maxInFlight;
    port.onmessage = ({ data }) => this.#receive(data);
  }

  /** Aborted when the link is closed; the reason is the error that calls then fail with. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Hands over the events that came so far, then every later one as it comes. */
  start(onEvent: (event: string, data: unknown) => void): void {
    this.#onEvent = onEvent;
    const early = this.#early;
    this.#early = [];
    for (const { event, data } of early) onEvent(event, data);
  }

  /**
   * Makes a call and gives its result.
   *
   * What the table knows of a method is checked here first, so that a bad call costs the host nothing: BAD_REQUEST for
   * params that are no JSON, INVALID_PARAMS, TOO_LARGE. UNAVAILABLE once the link is closed.
   */
  async call(method: string, params: unknown = {}, { signal }: CallOptions = {}): Promise<unknown> {
    if (this.closed.aborted) throw this.closed.reason;
    checkParams(method, params);
    signal?.throwIfAborted();
    let giveUp = (): void => undefined;
    try {
      return await new Promise((resolve, reject) => {
        const waiting: Waiting = { method, params, resolve, reject };
        giveUp = () => this.#giveUp(waiting, signal?.reason);
        signal?.addEventListener("abort", giveUp);
        this.#queue.push(waiting);
        this.#pump();
      });
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Makes a call whose outcome nobody needs. */
  post(method: string, params: unknown): void {
    this.call(method, params).catch(() => undefined);
  }

  /** Ends everything: calls without an answer fail as UNAVAILABLE. */
  close(): void {
    if (this.closed.aborted) return;
    this.#port.onmessage = null;
    this.#port.close();
    const error = new CardSdkError("UNAVAILABLE", "The connection to the host is closed.");
    const left = [...this.#inFlight.values(), ...this.#queue];
    this.#inFlight.clear();
    this.#queue = [];
    this.#closing.abort(error);
    for (const { reject } of left) reject(error);
  }

  #pump(): void {
    while (this.#inFlight.size < this.#maxInFlight) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#lastId += 1;
      const message = request("nscard", this.#lastId, next.method, next.params);
      const limit = maxRequestLength(next.method);
      if (jsonLength(message) > limit) {
        next.reject(new CardSdkError("TOO_LARGE", `${next.method}: the message is longer than ${limit} characters.`));
      } else {
        this.#inFlight.set(message.id, next);
        this.#port.postMessage(message);
      }
    }
  }

  /** A call sent keeps its place in the window until it is answered, since the host works on it. */
  #giveUp(waiting: Waiting, reason: unknown): void {
    this.#queue = this.#queue.filter((other) => other !== waiting);
    waiting.reject(reason);
  }

  #receive(raw: unknown): void {
    const message = parseIncoming(raw);
    if (message?.kind === "res") this.#settle(message);
    else if (message?.kind === "evt") this.#hear(message);
  }

  #settle(message: ResponseMessage): void {
    const waiting = this.#inFlight.get(message.id);
    if (waiting === undefined) return;
    this.#inFlight.delete(message.id);
    if (message.ok) waiting.resolve(message.result);
    else waiting.reject(new CardSdkError(message.error.code, message.error.message, message.error.data));
    this.#pump();
  }

  #hear(message: EventMessage): void {
    if (this.#onEvent !== null) this.#onEvent(message.event, message.data);
    else if (this.#early.length < MAX_EARLY_EVENTS) this.#early.push(message);
  }
}

function checkParams(method: string, params: unknown): void {
  const bad = checkJson(params, { maxDepth: CARD_LIMITS.valueDepth, maxNodes: CARD_LIMITS.valueNodes });
  if (bad) throw new CardSdkError("BAD_REQUEST", `${method}${bad.path}: ${bad.message}.`, bad);
  if (!hasOwn(CARD_METHODS, method)) return;
  const { params: schema } = CARD_METHODS[method as CardMethodName];
  const issues = checkValue(schema, params, { maxIssues: OWN_LIMITS.paramsIssues });
  const [first] = issues;
  if (first) throw new CardSdkError("INVALID_PARAMS", `${method}${first.path}: ${first.message}`, issues);
}
