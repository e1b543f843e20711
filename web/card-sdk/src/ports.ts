import type { PeerInfo, PortInfo, Ports as OwnPorts } from "@cardloom/protocol";
import type { LiveContext } from "./context";
import type { CardEventData } from "./contract";
import { Desk, answer } from "./desk";
import type { Incoming } from "./desk";
import { reasonOf } from "./errors";
import { given } from "./given";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { PortMessage, PortQuestion, Stop } from "./types";

/** Answers a question; what it returns is checked against the input's `response`, what it throws is the error. */
export type QuestionHandler<Data = unknown> = (data: Data, question: PortQuestion) => unknown;

interface IncomingQuestion extends Incoming {
  readonly data: CardEventData["ports.request"];
}

const MAX_ERROR_CHARS = 1000;
const UNSERVED_MS = 50;

/** Values and questions along the arrows. Needs no permission between cards of packages. */
export class Ports {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #context: LiveContext;
  readonly #desk: Desk<IncomingQuestion, QuestionHandler>;

  constructor(link: HostLink, hub: EventHub, context: LiveContext) {
    this.#link = link;
    this.#hub = hub;
    this.#context = context;
    const unserved = {
      beforeMs: UNSERVED_MS,
      answer: (call: IncomingQuestion) =>
        link.post("ports.respond", { requestId: call.id, error: `no handler for input ${call.name}` }),
    };
    const serve = (call: IncomingQuestion, handler: QuestionHandler, signal: AbortSignal) =>
      this.#serve(call, handler, signal);
    this.#desk = new Desk({ serve, unserved }, link.closed);
  }

  /** The card's own inputs. */
  get inputs(): readonly PortInfo[] {
    return this.#context.value.ports.inputs;
  }

  /** The card's own outputs. */
  get outputs(): readonly PortInfo[] {
    return this.#context.value.ports.outputs;
  }

  /** The cards joined to this one by arrows. */
  get peers(): readonly PeerInfo[] {
    return this.#context.value.peers;
  }

  /** Asks the host for the card's own ports. */
  async describe(): Promise<OwnPorts> {
    const ports = (await this.#link.call("ports.describe")) as OwnPorts;
    this.#context.put({ ports });
    return ports;
  }

  /** Sends a value to every downstream card with a fitting input; gives how many took it. */
  async emit(output: string, data: unknown): Promise<number> {
    return ((await this.#link.call("ports.emit", { port: output, data })) as { delivered: number }).delivered;
  }

  /** Sends a value to one downstream card, to one of its inputs if named; gives 1 when it took it, else 0. */
  async send(to: string, output: string, data: unknown, { input }: { readonly input?: string | undefined } = {}): Promise<number> {
    const params = { to, port: output, data, ...given({ input }) };
    return ((await this.#link.call("ports.send", params)) as { delivered: number }).delivered;
  }

  /** Asks a joined card, whichever way the arrow points, and gives its answer. */
  async request<Answer = unknown>(
    to: string,
    input: string,
    data: unknown,
    { timeoutMs, signal }: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Answer> {
    const params = { to, input, data, ...given({ timeoutMs }) };
    return ((await this.#link.call("ports.request", params, { signal })) as { data: Answer }).data;
  }

  /** The last value of a joined card's retained output, null where there is none yet. */
  async read<Data = unknown>(from: string, output: string): Promise<{ readonly data: Data; readonly at: number } | null> {
    const kept = await this.#link.call("ports.read", { from, port: output });
    return (kept ?? null) as { readonly data: Data; readonly at: number } | null;
  }

  /** Calls a function with each value of one input, or of all. Values from before are kept for the first listener. */
  onMessage<Data = unknown>(
    handler: (data: Data, message: PortMessage<Data>) => void,
    { input }: { readonly input?: string | undefined } = {},
  ): Stop {
    return this.#hub.on("ports.message", (raw) => {
      const message = raw as PortMessage<Data>;
      if (input === undefined || message.input === input) handler(message.data, message);
    });
  }

  /** Answers an input's questions with what a function gives; the function that came last counts. */
  onRequest<Data = unknown>(input: string, handler: QuestionHandler<Data>): Stop {
    return this.#desk.handle(input, handler as QuestionHandler);
  }

  /** Calls a function with all joined cards whenever arrows or the cards' ports change. */
  onPeersChanged(handler: (peers: readonly PeerInfo[]) => void): Stop {
    return this.#hub.on("ports.peersChanged", (peers) => handler(peers as readonly PeerInfo[]));
  }

  /** Follows the events of ports. */
  hear(event: string, data: unknown): void {
    if (event !== "ports.request") return;
    const question = data as CardEventData["ports.request"];
    this.#desk.take({ id: question.requestId, name: question.input, deadline: question.deadline, data: question });
  }

  async #serve({ data }: IncomingQuestion, handler: QuestionHandler, signal: AbortSignal): Promise<void> {
    const { requestId, from, input, deadline } = data;
    const respond = async (outcome: Readonly<Record<string, unknown>>) => {
      if (!signal.aborted) await this.#link.call("ports.respond", { requestId, ...outcome });
    };
    let outcome: { readonly data: unknown } | { readonly error: string };
    try {
      outcome = { data: (await handler(data.data, { requestId, from, input, deadline, signal })) ?? null };
    } catch (error) {
      outcome = { error: reasonOf(error, MAX_ERROR_CHARS) };
    }
    await answer(respond, outcome, (error) => reasonOf(error, MAX_ERROR_CHARS));
  }
}
