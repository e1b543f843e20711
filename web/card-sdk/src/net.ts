import { isPlainObject } from "@cardloom/protocol";
import { asBytes, toBase64 } from "./bytes";
import { given } from "./given";
import type { HostLink } from "./link";
import { NetResponse } from "./response";
import { BodyStream } from "./stream";
import type { NetAnswer, NetChunk } from "./types";

export interface FetchOptions {
  /** GET, or POST where there is a body. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Values may hold `{{secret:key}}`, which the host fills in. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** A text, bytes, or a value to be written as JSON. */
  readonly body?: unknown;
  /** With `stream` the answer comes as soon as its head does. */
  readonly responseType?: "text" | "json" | "base64" | "stream" | undefined;
  /** 1 to 120 s; 30 s when not given. */
  readonly timeoutMs?: number | undefined;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

/** HTTP by way of the host: a card's page itself reaches no network. Needs network or network.local. */
export class Net {
  readonly #link: HostLink;
  readonly #streams = new Map<string, BodyStream>();
  readonly #prefix = Math.random().toString(36).slice(2, 10);
  #count = 0;

  constructor(link: HostLink) {
    this.#link = link;
    link.closed.addEventListener("abort", () => {
      for (const stream of this.#streams.values()) stream.fail(link.closed.reason);
      this.#streams.clear();
    });
  }

  /**
   * Makes a request; any status is an answer.
   *
   * HOST_NOT_ALLOWED beyond the declared hosts, NETWORK_ERROR when no answer came, TIMEOUT. Aborting rejects with the
   * signal's reason and ends a stream that is being read.
   */
  async fetch(url: string, options: FetchOptions = {}): Promise<NetResponse> {
    const { responseType, timeoutMs, signal } = options;
    signal?.throwIfAborted();
    const requestId = this.#nextId();
    const stream = responseType === "stream" ? this.#openStream(requestId) : null;
    const abort = () => {
      stream?.fail(signal?.reason);
      this.#abort(requestId);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const done = () => signal?.removeEventListener("abort", abort);
    try {
      const params = { url, requestId, ...requestOf(options), ...given({ responseType, timeoutMs }) };
      const answer = (await this.#link.call("net.fetch", params, { signal })) as NetAnswer;
      if (stream === null) done();
      else stream.onEnd(done);
      return new NetResponse(answer, { base64: responseType === "base64", stream });
    } catch (error) {
      done();
      this.#streams.delete(requestId);
      throw error;
    }
  }

  /** Follows the pieces of streamed answers. */
  hear(event: string, data: unknown): void {
    if (event !== "net.chunk") return;
    const chunk = data as NetChunk;
    if (this.#streams.get(chunk.requestId)?.take(chunk)) this.#streams.delete(chunk.requestId);
  }

  #openStream(requestId: string): BodyStream {
    const stream = new BodyStream(() => this.#abort(requestId));
    this.#streams.set(requestId, stream);
    return stream;
  }

  #abort(requestId: string): void {
    this.#streams.delete(requestId);
    this.#link.post("net.abort", { requestId });
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }
}

/** Method, headers and body of a request as the wire has them; what is not needed is left out. */
function requestOf({ method, headers, body }: FetchOptions): Record<string, unknown> {
  const lower = headerRecord(headers);
  const sent: Record<string, unknown> = { method };
  if (body !== undefined && body !== null) {
    sent["method"] = method ?? "POST";
    const bytes = asBytes(body);
    if (bytes !== null) {
      sent["body"] = toBase64(bytes);
      sent["bodyEncoding"] = "base64";
    } else if (typeof body === "string") {
      sent["body"] = body;
    } else {
      sent["body"] = JSON.stringify(body);
      lower["content-type"] ??= "application/json";
    }
  }
  if (Object.keys(lower).length > 0) sent["headers"] = lower;
  return given(sent);
}

function headerRecord(headers: FetchOptions["headers"]): Record<string, string> {
  if (headers === undefined) return {};
  const entries = isPlainObject(headers) ? Object.entries(headers) : [...(headers as Iterable<readonly [string, string]>)];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string]));
}
