import { parseIncomingText, request, type CanvasMethodName, type CanvasResult, type WireError } from "@cardloom/protocol";
import type { Hello } from "../wire/records";
import { CallFailure } from "./failure";

/** As much of a WebSocket as the client uses, so that a test can hand in a plain object. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface Timers {
  nowMs(): number;
  after(delayMs: number, run: () => void): () => void;
}

export type ConnectionState =
  | { phase: "connecting" }
  | { phase: "online"; hello: Hello }
  | { phase: "offline"; attempt: number; retryAtMs: number }
  /** The server answered and did not accept the key. */
  | { phase: "refused"; message: string }
  /** Another version of the protocol, or stopped for good. */
  | { phase: "stopped" };

export interface ClientOptions {
  openSocket(): Socket;
  timers: Timers;
  /** 0 to 1; spreads the reconnects of several pages. */
  random(): number;
  key: string;
  name: string;
  maxInFlight?: number;
  /** Told of each call right before it leaves, so that another can leave first. */
  beforeCall?(method: CanvasMethodName): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(failure: CallFailure): void;
}

type Listener = (data: never) => void;

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * The page's side of the canvas socket: calls matched to answers, events to listeners, and reconnecting with back-off.
 *
 * `client.online` is an event of its own: a greeting has succeeded, and what was attached has to be attached again.
 * A call made while the server is away is refused at once with UNAVAILABLE, and so is every call that was in flight
 * when the socket closed: whether it took effect is seen in the snapshot that follows.
 */
export class CanvasClient {
  private socket: Socket | null = null;
  private current: ConnectionState = { phase: "connecting" };
  private readonly pending = new Map<number, Pending>();
  private readonly waiting: string[] = [];
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly stateListeners = new Set<(state: ConnectionState) => void>();
  private nextId = 1;
  private attempt = 0;
  private pageId: string | null = null;
  private cancelRetry: (() => void) | null = null;
  private readonly maxInFlight: number;

  constructor(private readonly options: ClientOptions) {
    this.maxInFlight = options.maxInFlight ?? 64;
  }

  get state(): ConnectionState {
    return this.current;
  }

  get online(): boolean {
    return this.current.phase === "online";
  }

  start(): void {
    if (this.socket === null) this.connect();
  }

  stop(): void {
    this.setState({ phase: "stopped" });
    this.cancelRetry?.();
    this.drop();
  }

  /** Tries again now instead of at the end of the back-off. */
  retryNow(): void {
    if (this.current.phase !== "offline") return;
    this.cancelRetry?.();
    this.connect();
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  on(event: string, listener: Listener): () => void {
    const known = this.listeners.get(event) ?? new Set();
    known.add(listener);
    this.listeners.set(event, known);
    return () => known.delete(listener);
  }

  call<Method extends CanvasMethodName>(method: Method, params: object): Promise<CanvasResult<Method>> {
    if (!this.online) return Promise.reject(away());
    this.options.beforeCall?.(method);
    return this.request<CanvasResult<Method>>(method, params);
  }

  private request<T>(method: string, params: object): Promise<T> {
    const id = this.nextId++;
    const text = JSON.stringify(request("cardloom", id, method, params));
    return new Promise<T>((resolve, reject) => {
      this.pending.set(id, { resolve: (result) => resolve(result as T), reject });
      if (this.pending.size - this.waiting.length > this.maxInFlight) this.waiting.push(text);
      else this.socket?.send(text);
    });
  }

  private connect(): void {
    this.cancelRetry = null;
    const socket = this.options.openSocket();
    this.socket = socket;
    if (this.current.phase !== "offline") this.setState({ phase: "connecting" });
    socket.onopen = () => void this.greet(socket);
    socket.onmessage = (event) => {
      if (this.socket === socket && typeof event.data === "string") this.receive(event.data);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
  }

  private async greet(socket: Socket): Promise<void> {
    const { key, name } = this.options;
    const resume = this.pageId === null ? {} : { pageId: this.pageId };
    try {
      const hello = await this.request<Hello>("client.hello", { key, client: "page", protocol: 1, name, ...resume });
      if (this.socket !== socket) return;
      this.attempt = 0;
      this.pageId = hello.pageId;
      this.setState({ phase: "online", hello });
      this.dispatch("client.online", {});
    } catch (error) {
      if (this.socket !== socket || !(error instanceof CallFailure)) return;
      if (error.code === "UNAVAILABLE" || error.code === "RATE_LIMITED" || error.code === "INTERNAL") {
        this.lost();
        return;
      }
      this.setState({ phase: "refused", message: error.message });
      this.drop();
    }
  }

  private receive(text: string): void {
    const message = parseIncomingText(text, "cardloom");
    if (message === null) return;
    if (message.kind === "evt") {
      this.dispatch(message.event, message.data);
      return;
    }
    const pending = this.pending.get(message.id);
    if (pending === undefined) return;
    this.pending.delete(message.id);
    const next = this.waiting.shift();
    if (next !== undefined) this.socket?.send(next);
    if (message.ok) pending.resolve(message.result ?? {});
    else pending.reject(refusalOf(message.error));
  }

  private dispatch(event: string, data: unknown): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(data as never);
  }

  private lost(): void {
    this.drop();
    if (this.current.phase === "refused" || this.current.phase === "stopped") return;
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt) * (0.75 + this.options.random() / 2);
    this.attempt += 1;
    this.setState({ phase: "offline", attempt: this.attempt, retryAtMs: this.options.timers.nowMs() + wait });
    this.cancelRetry = this.options.timers.after(wait, () => this.connect());
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    const failed = [...this.pending.values()];
    this.pending.clear();
    this.waiting.length = 0;
    for (const pending of failed) pending.reject(away());
  }

  private setState(state: ConnectionState): void {
    this.current = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }
}

function away(): CallFailure {
  return new CallFailure("UNAVAILABLE", "The server is away.");
}

function refusalOf(error: Partial<WireError> | undefined): CallFailure {
  return new CallFailure(error?.code ?? "INTERNAL", error?.message ?? "The host gave no reason.", error?.data ?? null);
}
