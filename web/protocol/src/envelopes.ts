import { CARD_LIMITS, CARD_METHODS } from "./generated";
import type { CardMethodName, ErrorCode } from "./generated";
import { checkJson, hasOwn, isPlainObject, jsonLength } from "./json";

/** Who a message is for: the contract of cards, or the canvas's own. */
export type Namespace = "nscard" | "cardloom";

export interface RequestMessage {
  readonly ns: Namespace;
  readonly v: 1;
  readonly kind: "req";
  readonly id: number;
  readonly method: string;
  readonly params?: unknown;
}

/** Why a call failed; `code` may be one that this version does not know, as the session protocol has its own. */
export interface WireError {
  readonly code: ErrorCode | (string & Record<never, never>);
  readonly message: string;
  readonly data?: unknown;
}

interface Answer {
  readonly ns: Namespace;
  readonly v: number;
  readonly kind: "res";
  readonly id: number;
}

export interface ResultMessage extends Answer {
  readonly ok: true;
  readonly result?: unknown;
}

export interface ErrorMessage extends Answer {
  readonly ok: false;
  readonly error: WireError;
}

export type ResponseMessage = ResultMessage | ErrorMessage;

export interface EventMessage {
  readonly ns: Namespace;
  readonly v: number;
  readonly kind: "evt";
  readonly event: string;
  readonly data?: unknown;
}

/** A refused request; `id` is null when the message had none to answer to. */
export interface RefusedRequest {
  readonly ok: false;
  readonly id: number | null;
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: unknown;
}

export type ParsedRequest = { readonly ok: true; readonly request: RequestMessage } | RefusedRequest;

const VERSION = 1;
const METHOD = /^[a-z][a-zA-Z0-9]*\.[a-z][a-zA-Z0-9]*$/;
const MAX_METHOD_CHARS = 64;
const REQUEST_KEYS = new Set(["ns", "v", "kind", "id", "method", "params"]);

/** Whether a number may identify a request: whole, from 1 to 2^53-1. */
export function isRequestId(id: unknown): id is number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1;
}

/**
 * Reads a request as a host does, refusing it with the code of the first rule it breaks.
 *
 * `maxLength` bounds the UTF-16 units of the whole message's JSON; methods that carry files have a larger one.
 */
export function parseRequest(
  raw: unknown,
  { ns = "nscard", maxLength }: { readonly ns?: Namespace; readonly maxLength?: number } = {},
): ParsedRequest {
  if (!isPlainObject(raw)) return refused(null, "BAD_REQUEST", "The message is not an object.");
  const own = (key: string) => (hasOwn(raw, key) ? raw[key] : undefined);
  const id = isRequestId(own("id")) ? (own("id") as number) : null;
  if (own("ns") !== ns || own("kind") !== "req" || id === null) {
    return refused(id, "BAD_REQUEST", "The message is not a request of this protocol.");
  }
  if (own("v") !== VERSION) return refused(id, "PROTOCOL_MISMATCH", `Only version ${VERSION} is spoken here.`);
  const method = own("method");
  if (typeof method !== "string" || method.length > MAX_METHOD_CHARS || !METHOD.test(method)) {
    return refused(id, "METHOD_NOT_FOUND", "The method is not named like one.");
  }
  const extra = Object.keys(raw).find((key) => !REQUEST_KEYS.has(key));
  if (extra !== undefined) return refused(id, "BAD_REQUEST", `A request has no field ${JSON.stringify(extra)}.`);
  const params = own("params");
  if (params !== undefined) {
    const issue = checkJson(params, { maxDepth: CARD_LIMITS.valueDepth, maxNodes: CARD_LIMITS.valueNodes });
    if (issue) return { ...refused(id, "BAD_REQUEST", "The params are not plain JSON."), data: issue };
  }
  const limit = maxLength ?? maxRequestLength(method);
  if (jsonLength(raw) > limit) return refused(id, "TOO_LARGE", `The request is larger than ${limit} characters.`);
  return { ok: true, request: request(ns, id, method, params) };
}

/** The largest request of a method, in UTF-16 units of its JSON. */
export function maxRequestLength(method: string): number {
  const row = hasOwn(CARD_METHODS, method) ? CARD_METHODS[method as CardMethodName] : undefined;
  return row?.largeRequest ? CARD_LIMITS.largeMessageBytes : CARD_LIMITS.messageBytes;
}

/** Reads what a client receives, an answer or an event; null for anything malformed or of another protocol. */
export function parseIncoming(raw: unknown, ns: Namespace = "nscard"): ResponseMessage | EventMessage | null {
  if (!isPlainObject(raw) || raw["ns"] !== ns || typeof raw["v"] !== "number") return null;
  if (raw["kind"] === "res" && typeof raw["id"] === "number" && typeof raw["ok"] === "boolean") {
    return raw["ok"] ? (raw as unknown as ResultMessage) : { ...(raw as unknown as ErrorMessage), error: readError(raw["error"]) };
  }
  if (raw["kind"] === "evt" && typeof raw["event"] === "string") return raw as unknown as EventMessage;
  return null;
}

/** The error of an answer; what a broken host left out is filled in. */
function readError(raw: unknown): WireError {
  const { code, message, data } = isPlainObject(raw) ? raw : {};
  return {
    code: typeof code === "string" ? code : "INTERNAL",
    message: typeof message === "string" ? message : "The host gave no reason.",
    ...(data !== undefined && { data }),
  };
}

/** Reads a text frame as a client does; null for anything that is no message of this protocol. */
export function parseIncomingText(text: string, ns: Namespace): ResponseMessage | EventMessage | null {
  try {
    return parseIncoming(JSON.parse(text), ns);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether a window message is the one with which a page hands a frame its port; any protocol number passes. */
export function isConnectMessage(raw: unknown): boolean {
  return isPlainObject(raw) && raw["ns"] === "nscard" && raw["type"] === "connect" && typeof raw["protocol"] === "number";
}

/** A request; without params the field is left out. */
export function request(ns: Namespace, id: number, method: string, params?: unknown): RequestMessage {
  const head = { ns, v: VERSION, kind: "req", id, method } as const;
  return params === undefined ? head : { ...head, params };
}

/** An answer that succeeded; a method that gives nothing has no `result`. */
export function resultOf(ns: Namespace, id: number, result?: unknown): ResultMessage {
  const head = { ns, v: VERSION, kind: "res", id, ok: true } as const;
  return result === undefined ? head : { ...head, result };
}

/** An answer that failed. */
export function errorOf(ns: Namespace, id: number, error: WireError): ErrorMessage {
  return { ns, v: VERSION, kind: "res", id, ok: false, error };
}

/** An event; without data the field is left out. */
export function eventOf(ns: Namespace, event: string, data?: unknown): EventMessage {
  const head = { ns, v: VERSION, kind: "evt", event } as const;
  return data === undefined ? head : { ...head, data };
}

function refused(id: number | null, code: ErrorCode, message: string): RefusedRequest {
  return { ok: false, id, code, message };
}
