import { checkJson, errorOf, isPlainObject, isRequestId } from "@cardloom/protocol";

/** As much of a WebSocket as a relay uses. */
export interface RelaySocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

/** As much of a MessagePort as a relay uses. */
export interface RelayPort {
  postMessage(message: unknown): void;
  close(): void;
  start(): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** What may wait on its way to the server; a frame that sends more is cut off. */
export interface RelayLimits {
  readonly messages: number;
  readonly chars: number;
  readonly messagesPerSecond: number;
}

export const RELAY_LIMITS: RelayLimits = { messages: 512, chars: 32 * 1024 * 1024, messagesPerSecond: 2000 };

/** Why a relay ended: the socket's close code, or that the frame sent more than it may. */
export type RelayEnd = { readonly code: number } | "flooded";

/**
 * Carries the messages of one frame to the server and back, and understands none of them. Every rule is on the server's
 * side; here a message only has to be plain JSON, so that what arrives there is what the card sent.
 */
export class Relay {
  private waiting: string[] = [];
  private waitingChars = 0;
  private open = false;
  private ended = false;
  private second = 0;
  private inSecond = 0;

  constructor(
    private readonly port: RelayPort,
    private readonly socket: RelaySocket,
    private readonly onEnd: (why: RelayEnd) => void,
    private readonly now: () => number,
    private readonly limits: RelayLimits = RELAY_LIMITS,
  ) {
    port.onmessage = (event) => this.fromFrame(event.data);
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.fromServer(event.data);
    socket.onclose = (event) => this.end({ code: event.code });
    port.start();
  }

  /** Ends it from this side; nobody is told. */
  close(): void {
    if (this.ended) return;
    this.ended = true;
    this.waiting = [];
    this.port.onmessage = null;
    this.port.close();
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
  }

  private opened(): void {
    this.open = true;
    for (const text of this.waiting) this.socket.send(text);
    this.waiting = [];
    this.waitingChars = 0;
  }

  private fromFrame(message: unknown): void {
    if (this.ended) return;
    if (!this.counted()) {
      this.end("flooded");
      return;
    }
    const text = this.textOf(message);
    if (text === null) return;
    if (this.open) {
      if (this.socket.bufferedAmount > this.limits.chars) this.end("flooded");
      else this.socket.send(text);
      return;
    }
    this.waiting.push(text);
    this.waitingChars += text.length;
    if (this.waiting.length > this.limits.messages || this.waitingChars > this.limits.chars) this.end("flooded");
  }

  /** The message as JSON; null where it is none, which its sender is told if it is a request. */
  private textOf(message: unknown): string | null {
    const issue = checkJson(message);
    if (issue === null) return JSON.stringify(message);
    const id = isPlainObject(message) ? message["id"] : null;
    if (isRequestId(id)) {
      const error = { code: "BAD_REQUEST" as const, message: `The message is not plain JSON: ${issue.message}`, data: issue };
      this.port.postMessage(errorOf("nscard", id, error as never));
    }
    return null;
  }

  private fromServer(data: unknown): void {
    if (typeof data !== "string") return;
    this.port.postMessage(JSON.parse(data) as unknown);
  }

  /** Counts a message; false when there were too many within a second. */
  private counted(): boolean {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.inSecond = 0;
    }
    this.inSecond += 1;
    return this.inSecond <= this.limits.messagesPerSecond;
  }

  private end(why: RelayEnd): void {
    if (this.ended) return;
    this.close();
    this.onEnd(why);
  }
}
