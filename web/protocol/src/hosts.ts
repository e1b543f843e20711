import { FORBIDDEN_HEADERS, FORBIDDEN_HEADER_PREFIXES } from "./generated";

/** One entry of a network permission: a DNS name or everything below it; no port means 443. */
export interface HostPattern {
  readonly host: string;
  readonly wildcard: boolean;
  readonly port?: number;
}

const DEFAULT_PORT = 443;
const MAX_PORT = 65_535;
const MAX_NAME_CHARS = 253;
const MAX_HEADER_VALUE_CHARS = 8192;

const OWN_HEADERS: ReadonlySet<string> = new Set(FORBIDDEN_HEADERS);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HEADER_VALUE_BREAKERS = /[\r\n\0]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SECRET = /\{\{secret:([a-zA-Z][a-zA-Z0-9_-]{0,63})\}\}/g;

/**
 * Reads a host pattern such as `*.example.com:8443`; null when it is not one.
 *
 * The text must already be in lower case. Addresses and this computer's names are another permission's.
 */
export function parseHostPattern(text: unknown): HostPattern | null {
  if (typeof text !== "string") return null;
  const trimmed = text.trim();
  const colon = trimmed.lastIndexOf(":");
  const port = colon < 0 ? DEFAULT_PORT : parsePort(trimmed.slice(colon + 1));
  if (port === null) return null;
  const name = colon < 0 ? trimmed : trimmed.slice(0, colon);
  const wildcard = name.startsWith("*.");
  const host = wildcard ? name.slice(2) : name;
  if (!isPublicName(host)) return null;
  return port === DEFAULT_PORT ? { host, wildcard } : { host, wildcard, port };
}

/** The canonical text of a host pattern. */
export function hostPatternText({ host, wildcard, port }: HostPattern): string {
  return `${wildcard ? "*." : ""}${host}${port === undefined ? "" : `:${port}`}`;
}

/**
 * Whether any of the patterns covers a request; patterns that are none are passed over.
 *
 * Letter case and one final dot of the requested host are ignored. A wildcard covers any depth below its name, never
 * the name itself.
 */
export function hostMatches(patterns: readonly unknown[], host: string, port: number = DEFAULT_PORT): boolean {
  const wanted = withoutFinalDot(host.toLowerCase());
  return patterns.some((text) => {
    const pattern = parseHostPattern(text);
    if (!pattern || (pattern.port ?? DEFAULT_PORT) !== port) return false;
    return pattern.wildcard ? wanted.endsWith(`.${pattern.host}`) : wanted === pattern.host;
  });
}

/** Whether a requested host is this computer by name or address, which needs `network.local`. */
export function isLocalHost(host: string): boolean {
  const name = withoutFinalDot(host.toLowerCase());
  return ["localhost", "127.0.0.1", "::1", "[::1]"].includes(name) || name.endsWith(".localhost");
}

/** Whether a card may send this request header. */
export function headerAllowed(name: unknown, value: unknown): boolean {
  if (typeof name !== "string" || typeof value !== "string") return false;
  if (!HEADER_NAME.test(name) || HEADER_VALUE_BREAKERS.test(value)) return false;
  const lower = name.toLowerCase();
  const reserved = OWN_HEADERS.has(lower) || FORBIDDEN_HEADER_PREFIXES.some((prefix) => lower.startsWith(prefix));
  return !reserved && value.length <= MAX_HEADER_VALUE_CHARS;
}

/** The keys of the `{{secret:key}}` placeholders of a text, in order, repeats kept. */
export function secretNames(text: string): string[] {
  return Array.from(text.matchAll(SECRET), ([, key = ""]) => key);
}

function withoutFinalDot(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

function parsePort(text: string): number | null {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= MAX_PORT ? port : null;
}

function isPublicName(name: string): boolean {
  const labels = name.split(".");
  const last = labels[labels.length - 1] ?? "";
  if (name.length > MAX_NAME_CHARS || labels.length < 2 || last === "localhost" || /^[0-9]+$/.test(last)) return false;
  return labels.every((label) => LABEL.test(label));
}
