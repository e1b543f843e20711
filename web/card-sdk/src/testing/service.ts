import { CARD_LIMITS, CARD_METHODS, errorOf, eventOf, hasOwn, parseRequest, resultOf } from "@cardloom/protocol";
import type { CardMethodName, RequestMessage } from "@cardloom/protocol";
import { CardSdkError, isCardSdkError } from "../errors";
import { check, rateLimited } from "./gate";
import type { MemoryPort } from "./memoryPort";
import { RateWindow, TokenBucket } from "./rates";
import type { Answers, Params, World } from "./world";

type AnswerTo = (params: never) => unknown;

const FULL_RETRY_MS = 100;

/** What a host does with the calls of one card: the crowd at the door, the gate, the answer. */
export class Service {
  /** Every call that came, refused ones too. */
  readonly calls: { readonly method: string; readonly params: unknown }[] = [];
  readonly #world: World;
  readonly #rates: boolean;
  readonly #answers: Map<string, AnswerTo>;
  readonly #refusals = new Map<string, CardSdkError[]>();
  readonly #windows = new Map<string, RateWindow | null>();
  #port: MemoryPort | null = null;
  #bucket = freshBucket();
  #inFlight = 0;
  #ready = false;

  constructor(world: World, answers: Answers, { rates }: { readonly rates: boolean }) {
    this.#world = world;
    this.#rates = rates;
    this.#answers = new Map(Object.entries(answers) as [string, AnswerTo][]);
  }

  /** Serves a fresh port; the one before it is closed. */
  serve(port: MemoryPort): void {
    this.#port?.close();
    this.#port = port;
    this.#bucket = freshBucket();
    this.#inFlight = 0;
    this.#ready = false;
    this.#world.topics.clear();
    port.onmessage = ({ data }) => void this.#receive(data, port);
  }

  send(name: string, data: unknown): void {
    this.#port?.postMessage(eventOf("nscard", name, data));
  }

  answerWith<Method extends CardMethodName>(method: Method, answer: (params: Params<Method>) => unknown): void {
    if (!hasOwn(CARD_METHODS, method)) throw new Error(`There is no method ${method}.`);
    this.#answers.set(method, answer as AnswerTo);
  }

  refuseNext(method: CardMethodName, error: CardSdkError): void {
    this.#refusals.set(method, [...(this.#refusals.get(method) ?? []), error]);
  }

  async #receive(raw: unknown, port: MemoryPort): Promise<void> {
    const parsed = parseRequest(raw);
    if (!parsed.ok) {
      if (parsed.id !== null) port.postMessage(failure(parsed.id, parsed));
      return;
    }
    const { request } = parsed;
    this.calls.push({ method: request.method, params: request.params });
    this.#inFlight += 1;
    try {
      this.#checkCrowd();
      const result = await this.#call(request);
      if (request.method === "host.ready") this.#ready = true;
      port.postMessage(resultOf("nscard", request.id, result));
    } catch (error) {
      port.postMessage(failure(request.id, isCardSdkError(error) ? error : new CardSdkError("INTERNAL", String(error))));
    } finally {
      if (port === this.#port) this.#inFlight -= 1;
    }
  }

  #checkCrowd(): void {
    const waitMs = this.#rates ? this.#bucket.take(Date.now()) : 0;
    if (waitMs > 0) throw rateLimited(waitMs, "Too many requests");
    if (this.#inFlight > CARD_LIMITS.inFlightRequests) throw rateLimited(FULL_RETRY_MS, "Too many unanswered requests");
  }

  #call({ method, params = {} }: RequestMessage): unknown {
    const row = hasOwn(CARD_METHODS, method) ? CARD_METHODS[method as CardMethodName] : undefined;
    if (row !== undefined && !this.#windows.has(method)) this.#windows.set(method, RateWindow.forRow(row));
    const refusal = check(method, row && { ...row, built: true }, {
      params,
      effective: this.#world.effective,
      now: Date.now(),
      ready: this.#ready,
      visible: this.#world.visibility === "visible",
      joined: (id) => this.#world.peers.some(({ cardId }) => cardId === id),
      rate: this.#rates ? (this.#windows.get(method) ?? null) : null,
    });
    const refused = refusal ?? this.#refusals.get(method)?.shift();
    if (refused) throw refused;
    const answer = this.#answers.get(method);
    if (answer === undefined) {
      throw new CardSdkError("METHOD_NOT_FOUND", `The mock host has no answer to ${method}: give it one with answerWith.`);
    }
    return answer((params ?? {}) as never);
  }
}

function freshBucket(): TokenBucket {
  return new TokenBucket(CARD_LIMITS.requestsPerSecond, CARD_LIMITS.requestBurst);
}

function failure(id: number, { code, message, data }: { readonly code: string; readonly message: string; readonly data?: unknown }): unknown {
  return errorOf("nscard", id, { code, message, ...(data !== undefined && { data }) });
}
