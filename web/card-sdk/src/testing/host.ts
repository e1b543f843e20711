import { CARD_LIMITS, CARD_METHODS, errorOf, eventOf, hasOwn, parseRequest, resultOf } from "@cardloom/protocol";
import type { AgentStatus, CardMethodName, Language, PeerInfo, PermissionId, RequestMessage, SettingValue, Size } from "@cardloom/protocol";
import type { Card } from "../card";
import { connect } from "../connect";
import type { ConnectOptions } from "../connect";
import type { CardEventData } from "../contract";
import { CardSdkError, isCardSdkError } from "../errors";
import type { HostPort } from "../link";
import type { ToolResult, Visibility } from "../types";
import { check, rateLimited } from "./gate";
import { MemoryPort, settle } from "./memoryPort";
import { netAnswers } from "./netAnswers";
import type { Server } from "./netAnswers";
import { ownAnswers } from "./ownAnswers";
import { RateWindow, TokenBucket } from "./rates";
import { reachAnswers } from "./reachAnswers";
import type { Others } from "./reachAnswers";
import { themeOf, World } from "./world";
import type { Answers, Emitted, MockHostOptions, Params, Person, Shown } from "./world";

const FULL_RETRY_MS = 100;

type AnswerTo = (params: never) => unknown;

/**
 * A host for one card, in memory: the gate of a real host, and what a test lets happen around the card.
 *
 * `calls`, `emitted` and `shown` hold what the card did. Acts return once the card has come to rest; time is the
 * test's own, so that fake timers move it.
 */
export class MockHost {
  /** Every call that came, refused ones too. */
  readonly calls: { readonly method: string; readonly params: unknown }[] = [];
  /** Files, storage, permissions and all else around the card. */
  readonly world: World;
  readonly #answers: Map<string, AnswerTo>;
  readonly #refusals = new Map<string, CardSdkError[]>();
  readonly #windows = new Map<string, RateWindow | null>();
  readonly #rates: boolean;
  readonly #others: Others = {
    question: () => {
      throw new CardSdkError("UNAVAILABLE", "No card answers here: give the host its onQuestion.");
    },
    command: () => ({}),
  };
  #server: Server = () => {
    throw new CardSdkError("NETWORK_ERROR", "No server answers here: give the host its onFetch.");
  };
  #port: MemoryPort | null = null;
  #bucket = new TokenBucket(CARD_LIMITS.requestsPerSecond, CARD_LIMITS.requestBurst);
  #inFlight = 0;
  #ready = false;
  #count = 0;

  /** Throws when the manifest is not valid, with every fault. */
  constructor(options: MockHostOptions) {
    this.world = new World(options);
    this.world.tell = (event, data) => this.#send(event, data);
    this.#rates = options.rates ?? true;
    const answers: Answers = {
      ...ownAnswers(this.world),
      ...reachAnswers(this.world, this.#others),
      ...netAnswers(this.world, () => this.#server),
      ...this.world.files.answers((change) => this.#send("fs.changed", change)),
    };
    this.#answers = new Map(Object.entries(answers) as [string, AnswerTo][]);
  }

  get emitted(): readonly Emitted[] {
    return this.world.emitted;
  }

  get shown(): Shown {
    return this.world.shown;
  }

  /** How the person at this host behaves. */
  get person(): Person {
    return this.world.person;
  }

  // Connecting

  /** A card connected to this host; the one before it, if any, is cut off. */
  connect(options: Omit<ConnectOptions, "port"> = {}): Promise<Card> {
    return connect({ theme: false, ...options, port: this.open() });
  }

  /** A fresh port for whoever connects the card. */
  open(): HostPort {
    this.#port?.close();
    const [ours, theirs] = MemoryPort.pair();
    this.#port = ours;
    this.#bucket = new TokenBucket(CARD_LIMITS.requestsPerSecond, CARD_LIMITS.requestBurst);
    this.#inFlight = 0;
    this.#ready = false;
    this.world.topics.clear();
    ours.onmessage = ({ data }) => void this.#receive(data, ours);
    return theirs;
  }

  /** Lets everything run that can run without time passing. */
  rest(): Promise<void> {
    return settle();
  }

  // What happens to the card

  /** Lets a value arrive at an input. */
  async deliver(
    input: string,
    data: unknown,
    more: Partial<Omit<CardEventData["ports.message"], "input" | "data">> = {},
  ): Promise<void> {
    const { type } = this.world.input(input);
    const sender = { from: "c_peer", fromKind: "custom", output: "out", type, sourceType: type, at: Date.now() };
    await this.event("ports.message", { ...sender, ...more, input, data });
  }

  /** Asks a request input and gives the card's answer. INTERNAL with its words when that is an error, TIMEOUT. */
  ask(input: string, data: unknown, { from = "c_peer", timeoutMs = 30_000 } = {}): Promise<unknown> {
    const port = this.world.input(input);
    const requestId = this.#id("q");
    const deadline = Date.now() + timeoutMs;
    return this.#within(timeoutMs, (waiter) => {
      this.world.asked.set(requestId, { ...waiter, input: port });
      this.#send("ports.request", { requestId, from, input, data, deadline });
      return () => this.world.asked.delete(requestId);
    });
  }

  /** Calls a tool as an agent would. INTERNAL with the card's words when it fails, TIMEOUT, USER_CANCELLED. */
  callTool(
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    {
      agent = { id: "c_agent", name: "Agent" },
      timeoutMs = this.world.manifest.tools.find(({ name }) => name === tool)?.timeoutMs ?? 30_000,
      signal,
      onProgress = () => undefined,
    }: {
      readonly agent?: { readonly id: string; readonly name: string };
      readonly timeoutMs?: number;
      readonly signal?: AbortSignal;
      readonly onProgress?: (message: string) => void;
    } = {},
  ): Promise<ToolResult> {
    const callId = this.#id("t");
    const deadline = Date.now() + timeoutMs;
    return this.#within<ToolResult>(timeoutMs, (waiter) => {
      this.world.calls.set(callId, { ...waiter, progress: onProgress });
      this.#send("tools.call", { callId, tool, args, agent, deadline });
      const forget = () => {
        if (this.world.calls.delete(callId)) this.#send("tools.cancel", { callId });
      };
      signal?.addEventListener("abort", () => {
        forget();
        waiter.reject(new CardSdkError("USER_CANCELLED", "The agent took the call back."));
      });
      return forget;
    });
  }

  /** Draws and removes arrows: these are the joined cards now. */
  async setPeers(...peers: readonly PeerInfo[]): Promise<void> {
    this.world.peers = peers;
    await this.event("ports.peersChanged", peers);
  }

  /** Grants exactly these. */
  async setPermissions(...ids: readonly PermissionId[]): Promise<void> {
    this.world.granted = ids;
    await this.event("permissions.changed", this.world.permissions());
  }

  async setVisibility(state: Visibility): Promise<void> {
    this.world.visibility = state;
    await this.event("lifecycle.visibility", { state });
  }

  async setExpanded(expanded: boolean): Promise<void> {
    this.world.expanded = expanded;
    await this.event("lifecycle.expanded", { expanded });
  }

  async resize(size: Size): Promise<void> {
    this.world.size = size;
    await this.event("lifecycle.resized", size);
  }

  /** Tells the card that its page goes. */
  async suspend(graceMs = 1000): Promise<void> {
    await this.event("lifecycle.suspend", { graceMs });
  }

  async setScheme(scheme: "dark" | "light"): Promise<void> {
    this.world.theme = themeOf(scheme);
    await this.event("theme.changed", this.world.theme);
  }

  async setLanguage(language: Language): Promise<void> {
    this.world.language = language;
    await this.event("i18n.changed", this.world.i18n());
  }

  /** Changes settings as the person does in the form. */
  async changeSettings(values: Readonly<Record<string, SettingValue>>): Promise<void> {
    this.world.values = { ...this.world.values, ...values };
    await this.event("settings.changed", this.world.settings());
  }

  /** Chooses an entry of the card's menu. */
  async chooseMenu(id: string): Promise<void> {
    if (!this.shown.menu.some((item) => item.id === id)) throw new Error(`The card's menu has no entry ${id}.`);
    await this.event("ui.menu", { id });
  }

  /** Changes an agent's status; the card hears what it subscribed to. */
  async setStatus(agentId: string, status: AgentStatus): Promise<void> {
    const before = this.world.agent(agentId);
    const at = Date.now();
    const begins = status === "working" && before.status !== "working";
    const ends = before.status === "working" && status !== "working";
    const { turnStartedAt, ...rest } = before;
    const endedAs = status === "finished" || status === "needs-input" ? status : null;
    const after = {
      ...rest,
      status,
      ...(begins && { turnStartedAt: at }),
      ...(ends && endedAs && { lastTurn: { startedAt: turnStartedAt ?? null, endedAt: at, endedAs } }),
    };
    this.world.agents = this.world.agents.map((agent) => (agent.id === agentId ? after : agent));
    await this.#topic("agents.status", { agentId, status, at });
    if (begins || ends) await this.#topic("agents.turn", { agentId, phase: begins ? "start" : "end", at });
  }

  /** Lets an agent or terminal print; the card hears it when it subscribed to that one and may. */
  async printOutput(agentId: string, text: string): Promise<void> {
    if (!this.world.outputOf.includes(agentId) || !this.world.effective.has("agents.output")) return;
    await this.#topic("agents.output", { agentId, text, at: Date.now() });
  }

  /** Changes a file from outside; its watchers hear of it. */
  async changeFile(path: string, content: string | Uint8Array): Promise<void> {
    for (const change of this.world.files.put(path, content)) await this.event("fs.changed", change);
  }

  /** Lets a joined card's retained output hold a value. */
  keep(cardId: string, output: string, data: unknown): void {
    this.world.kept.set(JSON.stringify([cardId, output]), { data, at: Date.now() });
  }

  /** Sends any event. */
  async event(name: string, data?: unknown): Promise<void> {
    this.#send(name, data);
    await settle();
  }

  // What answers the card

  /** Answers what the card asks of joined cards. */
  onQuestion(question: Others["question"]): void {
    this.#others.question = question;
  }

  /** Answers what the card runs in joined terminals; everything ends with 0 and no output otherwise. */
  onCommand(command: Others["command"]): void {
    this.#others.command = command;
  }

  /** Answers what the card fetches, once hosts and headers passed the checks of a real host. */
  onFetch(server: Server): void {
    this.#server = server;
  }

  /** Answers a method differently; a promise answers later. */
  answerWith<Method extends CardMethodName>(method: Method, answer: (params: Params<Method>) => unknown): void {
    if (!hasOwn(CARD_METHODS, method)) throw new Error(`There is no method ${method}.`);
    this.#answers.set(method, answer as AnswerTo);
  }

  /** Refuses the next call of a method that would otherwise pass. */
  refuseNext(method: CardMethodName, error: CardSdkError): void {
    this.#refusals.set(method, [...(this.#refusals.get(method) ?? []), error]);
  }

  // The gate

  async #receive(raw: unknown, port: MemoryPort): Promise<void> {
    const parsed = parseRequest(raw);
    if (!parsed.ok) {
      if (parsed.id !== null) port.postMessage(errorOf("nscard", parsed.id, parsed));
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
      const { code, message, data } = isCardSdkError(error) ? error : new CardSdkError("INTERNAL", String(error));
      port.postMessage(errorOf("nscard", request.id, { code, message, ...(data !== undefined && { data }) }));
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
      effective: this.world.effective,
      now: Date.now(),
      ready: this.#ready,
      visible: this.world.visibility === "visible",
      joined: (id) => this.world.peers.some(({ cardId }) => cardId === id),
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

  #send(name: string, data: unknown): void {
    this.#port?.postMessage(eventOf("nscard", name, data));
  }

  async #topic<Topic extends keyof CardEventData>(topic: Topic, data: CardEventData[Topic]): Promise<void> {
    if (this.world.topics.has(topic)) await this.event(topic, data);
  }

  #within<Value>(
    timeoutMs: number,
    begin: (waiter: { resolve(value: Value): void; reject(error: unknown): void }) => () => void,
  ): Promise<Value> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const outcome = new Promise<Value>((resolve, reject) => {
      const forget = begin({ resolve, reject });
      timer = setTimeout(() => {
        forget();
        reject(new CardSdkError("TIMEOUT", `The card did not answer within ${timeoutMs} ms.`));
      }, timeoutMs);
    });
    return outcome.finally(() => clearTimeout(timer));
  }

  #id(letter: string): string {
    this.#count += 1;
    return `${letter}${this.#count}`;
  }
}

