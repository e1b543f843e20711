import { CARD_LIMITS, checkJson, errorOf, isPlainObject, isRequestId, type JsonValue } from "@cardloom/protocol";

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

/**
 * What may wait on its way to the server, and what a second may bring; a frame that sends more is cut off. One message
 * with more than `messageChars` in its texts is refused before it is written: it could take the page's memory.
 */
export interface RelayLimits {
  readonly messages: number;
  readonly chars: number;
  readonly messagesPerSecond: number;
  readonly charsPerSecond: number;
  readonly messageChars: number;
}

const RELAY_LIMITS: RelayLimits = {
  messages: 512,
  chars: 32 * 1024 * 1024,
  messagesPerSecond: 2000,
  charsPerSecond: 64 * 1024 * 1024,
  messageChars: CARD_LIMITS.largeMessageBytes,
};

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
  private messagesInSecond = 0;
  private charsInSecond = 0;

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
    if (!this.countMessage()) {
      this.end("flooded");
      return;
    }
    const text = this.textOf(message);
    if (text === null) return;
    if (!this.countChars(text.length)) {
      this.end("flooded");
      return;
    }
    if (this.open) {
      if (this.socket.bufferedAmount > this.limits.chars) this.end("flooded");
      else this.socket.send(text);
      return;
    }
    this.waiting.push(text);
    this.waitingChars += text.length;
    if (this.waiting.length > this.limits.messages || this.waitingChars > this.limits.chars) this.end("flooded");
  }

  /** The message as JSON; null where it is none or far too long, which its sender is told if it is a request. */
  private textOf(message: unknown): string | null {
    const issue = checkJson(message);
    if (issue !== null) {
      this.refuse(message, "BAD_REQUEST", `The message is not plain JSON: ${issue.message}`, issue);
    } else if (charsIn(message as JsonValue) > this.limits.messageChars) {
      if (this.countChars(this.limits.messageChars)) this.refuse(message, "TOO_LARGE", "The message is too long.");
      else this.end("flooded");
    } else return JSON.stringify(message);
    return null;
  }

  private refuse(request: unknown, code: "BAD_REQUEST" | "TOO_LARGE", message: string, data?: unknown): void {
    const id = isPlainObject(request) ? request["id"] : null;
    if (!isRequestId(id)) return;
    const error = data === undefined ? { code, message } : { code, message, data };
    this.port.postMessage(errorOf("nscard", id, error as never));
  }

  private fromServer(data: unknown): void {
    if (typeof data !== "string") return;
    this.port.postMessage(JSON.parse(data) as unknown);
  }

  /** Counts a message; false when there were too many within a second. */
  private countMessage(): boolean {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.messagesInSecond = this.charsInSecond = 0;
    }
    this.messagesInSecond += 1;
    return this.messagesInSecond <= this.limits.messagesPerSecond;
  }

  /** Counts what a message holds; false when it was too much within a second. */
  private countChars(chars: number): boolean {
    this.charsInSecond += chars;
    return this.charsInSecond <= this.limits.charsPerSecond;
  }

  private end(why: RelayEnd): void {
    if (this.ended) return;
    this.close();
    this.onEnd(why);
  }
}

/** How many characters the texts and names in a value have together: its JSON has no fewer. */
function charsIn(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((chars: number, member) => chars + charsIn(member as JsonValue), 0);
  let chars = 0;
  for (const [name, member] of Object.entries(value)) chars += name.length + charsIn(member);
  return chars;
}
