import { SessionError } from "./errors";
import { type AnyRunEvent, isRunEvent, isWorkspaceUpdateEvent, type WorkspaceUpdateEvent } from "./events";
import { member } from "./parts";

const MAX_FRAME_CHARS = 64 * 1024 * 1024;
const BOM = "\ufeff";

/** One dispatched frame: the event name ("" when none was given), its data, and the last id seen so far. */
export interface SseFrame {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** The frame of an event, with an `id` line before it when one is given. Throws when it would break the frame. */
export function serializeRunEvent(event: AnyRunEvent, options: { readonly id?: string } = {}): string {
  if (!isRunEvent(event) || /[\r\n]/.test(event.type)) {
    throw new SessionError("bad_request", "An event needs a type without line ends.");
  }
  if (options.id !== undefined && [...options.id].some((char) => "\r\n\0".includes(char))) {
    throw new SessionError("bad_request", "An event id holds a line end or NUL.");
  }
  const id = options.id === undefined ? "" : `id: ${options.id}\n`;
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The frame of a workspace event. */
export function serializeWorkspaceEvent(event: WorkspaceUpdateEvent, options: { readonly id?: string } = {}): string {
  return serializeRunEvent({ ...event }, options);
}

/** The event of one frame, null for a broken one. Unknown types are events too. */
export function parseRunEvent(frame: unknown): AnyRunEvent | null {
  if (typeof frame !== "string") return null;
  const [first] = blocksOf(frame).flatMap((block) => new Fields().read(block) ?? []);
  return first === undefined ? null : eventOf(first);
}

/** The events of a whole stream in order; broken frames are dropped, a last one without its blank line counts. */
export function parseSSEStream(text: unknown): AnyRunEvent[] {
  if (typeof text !== "string") return [];
  const fields = new Fields();
  return eventsOf(blocksOf(text).flatMap((block) => fields.read(block) ?? []));
}

/** The workspace event of one frame, null for anything else. */
export function parseWorkspaceEvent(frame: unknown): WorkspaceUpdateEvent | null {
  const event = parseRunEvent(frame);
  return isWorkspaceUpdateEvent(event) ? event : null;
}

/** The event in a frame, null when there is none. The type inside the data counts, else the frame's event name. */
export function eventOf(frame: SseFrame): AnyRunEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(frame.data);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  if (isRunEvent(value)) return value;
  const type = member(value, "type");
  return frame.event === "" || (type !== undefined && type !== null) ? null : { ...value, type: frame.event };
}

function eventsOf(frames: readonly SseFrame[]): AnyRunEvent[] {
  return frames.flatMap((frame) => eventOf(frame) ?? []);
}

function blocksOf(text: string): string[] {
  return withLf(text.startsWith(BOM) ? text.slice(1) : text).split("\n\n");
}

function withLf(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/**
 * Turns the pieces of a stream into frames; pieces may be cut anywhere, inside a character or a line end too.
 *
 * `lastId` is the last id that the stream gave, `retryMs` its last reconnection time. A frame that grows beyond
 * `maxFrameChars` before it ends throws.
 */
export class SseParser {
  readonly #fields = new Fields();
  readonly #maxFrameChars: number;
  #decoder = newDecoder();
  #waiting = "";
  #skipLf = false;
  #started = false;

  constructor(options: { readonly maxFrameChars?: number } = {}) {
    this.#maxFrameChars = options.maxFrameChars ?? MAX_FRAME_CHARS;
  }

  get lastId(): string {
    return this.#fields.lastId;
  }

  get retryMs(): number | null {
    return this.#fields.retryMs;
  }

  /** The frames that this piece completes. */
  feed(chunk: Uint8Array | string): SseFrame[] {
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    const blocks = (this.#waiting + this.#normal(text)).split("\n\n");
    this.#waiting = blocks.pop() ?? "";
    if (this.#waiting.length > this.#maxFrameChars) {
      throw new SessionError("bad_request", `A frame of the stream is longer than ${this.#maxFrameChars} characters.`);
    }
    return blocks.flatMap((block) => this.#fields.read(block) ?? []);
  }

  /** The run events in the frames that this piece completes; broken frames are dropped. */
  feedEvents(chunk: Uint8Array | string): AnyRunEvent[] {
    return eventsOf(this.feed(chunk));
  }

  /** Forgets an unfinished frame and begins a new stream; ids stay known, as a reconnection needs them. */
  end(): void {
    this.#decoder = newDecoder();
    this.#waiting = "";
    this.#skipLf = false;
    this.#started = false;
  }

  #normal(text: string): string {
    let rest = text;
    if (!this.#started) {
      this.#started = true;
      if (rest.startsWith(BOM)) rest = rest.slice(1);
    }
    if (this.#skipLf && rest.startsWith("\n")) rest = rest.slice(1);
    this.#skipLf = rest.endsWith("\r"); // an LF that follows belongs to the same line end
    return withLf(rest);
  }
}

function newDecoder() {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** Reads the lines of one block after another; the id and the reconnection time outlive a block. */
class Fields {
  lastId = "";
  retryMs: number | null = null;

  read(block: string): SseFrame | null {
    let event = "";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const raw = colon < 0 ? "" : line.slice(colon + 1);
      const value = raw.startsWith(" ") ? raw.slice(1) : raw;
      if (name === "data") data.push(value);
      else if (name === "event") event = value;
      else if (name === "id" && !value.includes("\0")) this.lastId = value;
      else if (name === "retry" && /^[0-9]+$/.test(value)) this.retryMs = Number(value);
    }
    return data.length > 0 ? { event, data: data.join("\n"), id: this.lastId } : null;
  }
}
