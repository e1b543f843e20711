import { CARD_LIMITS, hasOwn, headerAllowed, hostMatches, isLocalHost, secretNames } from "@cardloom/protocol";
import { fromBase64, toBase64 } from "../bytes";
import { CardSdkError } from "../errors";
import type { NetAnswer } from "../types";
import { permissionDenied } from "./gate";
import type { Answers, Params, World } from "./world";

/** A request as it would leave this computer: secrets filled in. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
}

/** What a server answers in a test. A list of texts is sent piece by piece where the card streams. */
export interface ServerAnswer {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | readonly string[];
  readonly json?: unknown;
}

export type Server = (request: SentRequest) => ServerAnswer | Promise<ServerAnswer>;

/** The answers to `net.*`: the checks of a real host, then the server that a test put up. */
export function netAnswers(world: World, server: () => Server): Answers {
  const running = new Map<string, AbortController>();
  let count = 0;
  return {
    "net.fetch": async (params) => {
      checkUrl(world, params.url);
      const headers = checkedHeaders(world, params.headers ?? {});
      count += 1;
      const requestId = params.requestId ?? `n${count}`;
      const abort = new AbortController();
      running.set(requestId, abort);
      try {
        const { signal } = abort;
        const request = { url: params.url, method: params.method ?? "GET", headers, body: bodyOf(params), signal };
        const answer = await server()(request);
        if (signal.aborted) throw new CardSdkError("USER_CANCELLED", "The card took the request back.");
        return answered(world, requestId, params, answer);
      } finally {
        running.delete(requestId);
      }
    },
    "net.abort": ({ requestId }) => running.get(requestId)?.abort(),
  };
}

function checkUrl(world: World, text: string): void {
  const invalid = (message: string) => new CardSdkError("INVALID_PARAMS", message, []);
  if (!URL.canParse(text)) throw invalid("The address cannot be read.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw invalid("An address may not hold a name and a password.");
  if (isLocalHost(url.hostname)) {
    if (!world.effective.has("network.local")) throw permissionDenied("network.local");
    if (!["http:", "https:"].includes(url.protocol)) throw new CardSdkError("HOST_NOT_ALLOWED", "Only http is spoken here.");
    return;
  }
  const hosts = world.manifest.permissions.find(({ id }) => id === "network")?.hosts ?? [];
  const port = url.port === "" ? undefined : Number(url.port);
  if (!world.effective.has("network") || url.protocol !== "https:" || !hostMatches(hosts, url.hostname, port)) {
    throw new CardSdkError("HOST_NOT_ALLOWED", `${url.host} is not among the hosts of the network permission.`);
  }
}

function checkedHeaders(world: World, headers: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]): [string, string] => {
    if (!headerAllowed(name, value)) throw new CardSdkError("INVALID_PARAMS", `The header ${name} is not a card's to send.`, []);
    const missing = secretNames(value).find((key) => !hasOwn(world.secrets, key));
    if (missing !== undefined) throw new CardSdkError("INVALID_PARAMS", `The secret ${missing} is not set.`, []);
    return [name.toLowerCase(), value.replace(/\{\{secret:([^}]+)\}\}/g, (_, key: string) => world.secrets[key] ?? "")];
  });
  return Object.fromEntries(filled);
}

function bodyOf({ body, bodyEncoding }: Params<"net.fetch">): Uint8Array | null {
  if (body === undefined) return null;
  const bytes = bodyEncoding === "base64" ? fromBase64(body) : new TextEncoder().encode(body);
  if (bytes.length > CARD_LIMITS.netRequestBodyBytes) throw new CardSdkError("TOO_LARGE", "The body is too large.");
  return bytes;
}

function answered(world: World, requestId: string, params: Params<"net.fetch">, answer: ServerAnswer): NetAnswer {
  const headers = Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const head = {
    requestId,
    status: answer.status ?? 200,
    statusText: answer.statusText ?? "",
    headers: Object.fromEntries(headers) as Record<string, string>,
    url: params.url,
  };
  const pieces = piecesOf(answer);
  if (params.responseType === "stream") {
    queueMicrotask(() => stream(world, requestId, pieces));
    return head;
  }
  const bytes = new Uint8Array(pieces.flatMap((piece) => [...piece]));
  if (params.responseType === "base64") return { ...head, body: toBase64(bytes) };
  const body = new TextDecoder().decode(bytes);
  return params.responseType === "json" ? { ...head, json: jsonOf(body) } : { ...head, body };
}

function piecesOf({ body, json }: ServerAnswer): readonly Uint8Array[] {
  const whole = body ?? (json === undefined ? "" : JSON.stringify(json));
  if (whole instanceof Uint8Array) return [whole];
  const texts = typeof whole === "string" ? [whole] : whole;
  return texts.map((text) => new TextEncoder().encode(text));
}

function stream(world: World, requestId: string, pieces: readonly Uint8Array[]): void {
  for (const piece of pieces) world.tell("net.chunk", { requestId, chunk: toBase64(piece), encoding: "base64", done: false });
  world.tell("net.chunk", { requestId, chunk: "", encoding: "text", done: true });
}

function jsonOf(body: string): unknown {
  try {
    return body === "" ? null : JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CardSdkError("NETWORK_ERROR", "The answer is no JSON.");
    throw error;
  }
}
