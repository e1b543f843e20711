import type { CardMethodName, CardMethodParams, Chrome, Size, Tone } from "@cardloom/protocol";
import { Agents, Terminals } from "./agents";
import { ChromeLanes } from "./chrome";
import { LiveContext } from "./context";
import type { CardEventData, CardMethodResults } from "./contract";
import { Files } from "./files";
import { given } from "./given";
import { Host } from "./host";
import { EventHub } from "./hub";
import { Lifecycle } from "./lifecycle";
import type { CallOptions, HostLink } from "./link";
import { Log } from "./log";
import { Net } from "./net";
import { Permissions } from "./permissions";
import { Ports } from "./ports";
import { CardSettings } from "./settings";
import { Storage } from "./storage";
import { Tools } from "./tools";
import { Topics } from "./topics";
import type { CardContext, CardInstance, I18n, Stop, Theme, UsageSummary, WorkspaceInfo } from "./types";
import { Ui } from "./ui";

export type OverviewParts = CardMethodParams["card.setOverview"];
export type AttentionLevel = CardMethodParams["card.attention"]["level"];
export type SpawnOptions = CardMethodParams["card.spawn"];

/** A name that the table does not have: what it has is typed, so that a wrong parameter is no other overload. */
type Unlisted<Name extends string, Known extends string> = Name extends Known ? never : Name;

/** A card that has met its host; `connect` gives it. */
export class Card {
  readonly host: Host;
  readonly lifecycle: Lifecycle;
  readonly ports: Ports;
  readonly agents: Agents;
  readonly terminals: Terminals;
  readonly tools: Tools;
  readonly storage: Storage;
  readonly settings: CardSettings;
  readonly permissions: Permissions;
  readonly ui: Ui;
  readonly fs: Files;
  readonly net: Net;
  /** Lines to the card's log panel. */
  readonly log: Log;
  readonly #link: HostLink;
  readonly #context: LiveContext;
  readonly #hub: EventHub;
  readonly #topics: Topics;
  readonly #chrome: ChromeLanes;

  /** Takes over a link on which hands were shaken, with the events that came since. */
  constructor(link: HostLink, context: CardContext) {
    this.#link = link;
    this.#context = new LiveContext(context);
    this.log = new Log(link);
    this.#hub = new EventHub((event, error) => this.log.error(`a listener of ${event} failed:`, error));
    this.#topics = new Topics(link, this.log);
    this.#chrome = new ChromeLanes(link, this.#context);
    this.host = new Host(link, this.#context);
    this.lifecycle = new Lifecycle(this.#hub, this.#context);
    this.ports = new Ports(link, this.#hub, this.#context);
    this.agents = new Agents(link, this.#hub, this.#topics);
    this.terminals = new Terminals(link);
    this.tools = new Tools(link, this.log);
    this.storage = new Storage(link, this.#hub, this.#topics);
    this.settings = new CardSettings(link, this.#hub, this.#context);
    this.permissions = new Permissions(link, this.#hub, this.#context);
    this.ui = new Ui(link, this.#hub);
    this.fs = new Files(link, this.#hub);
    this.net = new Net(link);
    link.start((event, data) => this.#hear(event, data));
  }

  // What it knows

  /** All that the host told, kept current. Its parts are replaced, never changed in place. */
  get context(): CardContext {
    return this.#context.value;
  }

  /** The card's id on the canvas. */
  get id(): string {
    return this.context.instance.instanceId;
  }

  get instance(): CardInstance {
    return this.context.instance;
  }

  get workspace(): WorkspaceInfo {
    return this.context.workspace;
  }

  get theme(): Theme {
    return this.context.theme;
  }

  get i18n(): I18n {
    return this.context.i18n;
  }

  /** What is shown around the card. */
  get chrome(): Chrome {
    return this.context.chrome;
  }

  /** Why this page was loaded. */
  get launch(): CardContext["launch"] {
    return this.context.launch;
  }

  /** Aborts when the connection to the host ends. */
  get closed(): AbortSignal {
    return this.#link.closed;
  }

  // What it hears

  /** Calls a function with the data of every event of that name. */
  on<Event extends keyof CardEventData>(event: Event, handler: (data: CardEventData[Event]) => void): Stop;
  on<Event extends string>(event: Unlisted<Event, keyof CardEventData>, handler: (data: unknown) => void): Stop;
  on(event: string, handler: (data: never) => void): Stop {
    const stopListening = this.#hub.on(event, handler as (data: unknown) => void);
    const stopWanting = Topics.isPlain(event) ? this.#topics.want(event) : null;
    return () => {
      stopListening();
      stopWanting?.();
    };
  }

  /** Calls a function after every change of the context. */
  onContextChanged(listener: () => void): Stop {
    return this.#context.onChange(listener);
  }

  // What it does

  /** Makes any call of the contract; everything else here is made of these. */
  request<Method extends CardMethodName>(
    method: Method,
    params?: CardMethodParams[Method],
    options?: CallOptions,
  ): Promise<CardMethodResults[Method]>;
  request<Method extends string>(
    method: Unlisted<Method, CardMethodName>,
    params?: unknown,
    options?: CallOptions,
  ): Promise<unknown>;
  request(method: string, params: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#link.call(method, params, options);
  }

  /** Asks the host who the card is. */
  async getInfo(): Promise<CardInstance> {
    const instance = await this.request("card.getInfo");
    this.#context.put({ instance });
    return instance;
  }

  /** Sets the title, up to 120 characters; null gives the default one back. */
  setTitle(title: string | null): Promise<void> {
    return this.#chrome.title.set({ title });
  }

  /** Sets the chip in the header, up to 80 characters; null takes it away. */
  setStatus(
    text: string | null,
    { tone, busy }: { readonly tone?: Tone | undefined; readonly busy?: boolean | undefined } = {},
  ): Promise<void> {
    return this.#chrome.status.set({ text, ...given({ tone, busy }) });
  }

  /** Sets the badge: a count, or up to 12 characters; null takes it away. */
  setBadge(value: number | string | null, { tone }: { readonly tone?: Tone | undefined } = {}): Promise<void> {
    const count = typeof value === "number" ? value : null;
    const text = typeof value === "string" ? value : null;
    return this.#chrome.badge.set({ count, text, ...given({ tone }) });
  }

  /** Replaces the whole tile shown when the canvas is zoomed out; null empties it. */
  setOverview(parts: OverviewParts | null): Promise<void> {
    return this.#chrome.overview.set(given(parts ?? {}));
  }

  /** Asks for the user's attention; `none` takes the wish back. It outlives reloads until it is taken back. */
  attention(level: AttentionLevel, message = ""): Promise<void> {
    return this.#chrome.attention.set({ level, ...(message !== "" && { message }) });
  }

  /** Resizes the card within the limits of its manifest; gives the size it got. */
  requestResize(w: number, h: number): Promise<Size> {
    return this.request("card.requestResize", { w, h });
  }

  /** Opens an https address in the browser if the user agrees; tells whether. */
  async openLink(url: string): Promise<boolean> {
    return (await this.request("card.openLink", { url })).opened;
  }

  /** Brings another card of the workspace into view. */
  async focus(cardId: string): Promise<void> {
    await this.request("card.focus", { cardId });
  }

  /** Adds a card beside this one; gives its id. An arrow asked for with `connect` waits for the user's consent. */
  async spawn(options: SpawnOptions): Promise<string> {
    return (await this.request("card.spawn", given(options) as SpawnOptions)).cardId;
  }

  /** Puts text on the clipboard. NOT_VISIBLE without a page of Cardloom, UNAVAILABLE when its browser refuses. */
  async copyText(text: string): Promise<void> {
    await this.request("clipboard.writeText", { text });
  }

  /** Tokens and money of the workspace. */
  usage(period: UsageSummary["period"] = "today"): Promise<UsageSummary> {
    return this.request("usage.summary", { period });
  }

  /** Ends the connection. Calls without an answer fail as UNAVAILABLE. */
  close(): void {
    this.#link.close();
  }

  #hear(event: string, data: unknown): void {
    this.#context.take(event, data);
    if (event === "host.ping") this.#link.post("host.pong", { seq: (data as CardEventData["host.ping"]).seq });
    let taken = false;
    this.#guarded(event, () => {
      for (const part of [this.tools, this.ports, this.net, this.ui]) part.hear(event, data);
      taken = this.fs.hear(event, data);
    });
    if (!taken || this.#hub.count(event) > 0) this.#hub.emit(event, data);
  }

  /** Runs what may call a card author's function; its fault is told and ends nothing. */
  #guarded(event: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.log.error(`a handler of ${event} failed:`, error);
    }
  }
}
