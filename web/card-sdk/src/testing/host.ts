import type { AgentStatus, CardMethodName, Language, PeerInfo, PermissionId, SettingValue, Size } from "@cardloom/protocol";
import type { Card } from "../card";
import { connect } from "../connect";
import type { ConnectOptions } from "../connect";
import type { CardEventData } from "../contract";
import { CardSdkError } from "../errors";
import type { HostPort } from "../link";
import type { ToolResult, Visibility } from "../types";
import { MemoryPort, settle } from "./memoryPort";
import { netAnswers } from "./netAnswers";
import type { Server } from "./netAnswers";
import { ownAnswers } from "./ownAnswers";
import { reachAnswers } from "./reachAnswers";
import type { Others } from "./reachAnswers";
import { Service } from "./service";
import { themeOf, World } from "./world";
import type { Answers, Emitted, MockHostOptions, Params, Person, Shown } from "./world";

/**
 * A host for one card, in memory: the gate of a real host, and what a test lets happen around the card.
 *
 * `calls`, `emitted` and `shown` hold what the card did. Acts return once the card has come to rest; time is the
 * test's own, so that fake timers move it.
 */
export class MockHost {
  /** Files, storage, permissions and all else around the card. */
  readonly world: World;
  readonly #service: Service;
  readonly #others: Others = {
    question: () => {
      throw new CardSdkError("UNAVAILABLE", "No card answers here: give the host its onQuestion.");
    },
    command: () => ({}),
  };
  #server: Server = () => {
    throw new CardSdkError("NETWORK_ERROR", "No server answers here: give the host its onFetch.");
  };
  #count = 0;

  /** Throws when the manifest is not valid, with every fault. */
  constructor(options: MockHostOptions) {
    this.world = new World(options);
    this.world.tell = (event, data) => this.#service.send(event, data);
    const answers: Answers = {
      ...ownAnswers(this.world),
      ...reachAnswers(this.world, this.#others),
      ...netAnswers(this.world, () => this.#server),
      ...this.world.files.answers((change) => this.#service.send("fs.changed", change)),
    };
    this.#service = new Service(this.world, answers, { rates: options.rates ?? true });
  }

  /** Every call that came, refused ones too. */
  get calls(): Service["calls"] {
    return this.#service.calls;
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
    const [ours, theirs] = MemoryPort.pair();
    this.#service.serve(ours);
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
      this.#service.send("ports.request", { requestId, from, input, data, deadline });
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
      this.#service.send("tools.call", { callId, tool, args, agent, deadline });
      const forget = () => {
        if (this.world.calls.delete(callId)) this.#service.send("tools.cancel", { callId });
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
    this.#service.send(name, data);
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
    this.#service.answerWith(method, answer);
  }

  /** Refuses the next call of a method that would otherwise pass. */
  refuseNext(method: CardMethodName, error: CardSdkError): void {
    this.#service.refuseNext(method, error);
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

