import { hasOwn } from "@cardloom/protocol";
import { fromBase64 } from "./bytes";
import { CardSdkError } from "./errors";
import type { BodyStream } from "./stream";
import type { NetAnswer } from "./types";

/** The headers of an answer; names are found in any letter case. */
export class NetHeaders implements Iterable<readonly [string, string]> {
  readonly #values: ReadonlyMap<string, string>;

  constructor(headers: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  [Symbol.iterator](): Iterator<readonly [string, string]> {
    return this.#values.entries();
  }
}

/** The answer to `net.fetch`. A streamed body comes through `chunks`, `lines` or `bytesInPieces`, once. */
export class NetResponse {
  readonly requestId: string;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: NetHeaders;
  /** Whether the body was longer than 10 MiB and is cut. */
  readonly truncated: boolean;
  readonly #answer: NetAnswer;
  readonly #base64: boolean;
  readonly #stream: BodyStream | null;

  constructor(answer: NetAnswer, { base64, stream }: { readonly base64: boolean; readonly stream: BodyStream | null }) {
    this.requestId = answer.requestId;
    this.url = answer.url;
    this.status = answer.status;
    this.statusText = answer.statusText;
    this.headers = new NetHeaders(answer.headers);
    this.truncated = answer.truncated ?? false;
    this.#answer = answer;
    this.#base64 = base64;
    this.#stream = stream;
  }

  /** Whether the status is from 200 to 299. */
  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  /** The body as bytes. */
  async bytes(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.bytesInPieces()) pieces.push(piece);
    const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  /** The body as text, read as UTF-8. */
  async text(): Promise<string> {
    let text = "";
    for await (const chunk of this.chunks()) text += chunk;
    return text;
  }

  /** The body as a JSON value, null for an empty one. NETWORK_ERROR when it is none. */
  async json<Value = unknown>(): Promise<Value> {
    if (hasOwn(this.#answer, "json")) return this.#answer.json as Value;
    const text = await this.text();
    try {
      return (text === "" ? null : JSON.parse(text)) as Value;
    } catch (error) {
      if (error instanceof SyntaxError) throw new CardSdkError("NETWORK_ERROR", `${this.url} did not answer with JSON.`);
      throw error;
    }
  }

  /** The body as it comes, in bytes. */
  async *bytesInPieces(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#stream !== null) yield* this.#stream.bytes();
    else yield this.#wholeBody();
  }

  /** The body as it comes, in text. */
  async *chunks(): AsyncGenerator<string, void, undefined> {
    const decoder = new TextDecoder();
    for await (const piece of this.bytesInPieces()) {
      const text = decoder.decode(piece, { stream: true });
      if (text !== "") yield text;
    }
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  }

  /** The body line by line, without line ends. */
  async *lines(): AsyncGenerator<string, void, undefined> {
    let open = "";
    for await (const chunk of this.chunks()) {
      const lines = (open + chunk).split("\n");
      open = lines.pop() ?? "";
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    if (open !== "") yield open;
  }

  [Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    return this.chunks();
  }

  #wholeBody(): Uint8Array {
    const { body, json } = this.#answer;
    if (this.#base64) return fromBase64(body ?? "");
    return new TextEncoder().encode(body ?? (json === undefined ? "" : JSON.stringify(json)));
  }
}
