import { isPlainObject } from "@cardloom/protocol";
import { matchToolPair, type AnyPart, type Message, type ToolPair } from "@cardloom/protocol/session";

/** A message as a row of the thread, with the results that other messages hold for its calls. */
export interface Row {
  readonly message: Message;
  readonly pairs: readonly ToolPair[];
  /** The messages that were drawn into this one because they only hold results of its calls. */
  readonly absorbed: readonly string[];
}

/**
 * The rows of a thread: what the system put in is left out, and a message of results belongs to the calls before it.
 *
 * Rows of messages that did not change are the same objects as before, so that they are not drawn again.
 */
export function rowsOf(messages: readonly Message[], before: readonly Row[] = []): readonly Row[] {
  const known = new Map(before.map((row) => [row.message.id, row]));
  const rows: Row[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (message.flags?.injected === true || message.flags?.visible === false) continue;
    const results: Message[] = [];
    if (message.parts.some((part) => part.type === "tool_use")) {
      while (isResults(messages[at + 1])) results.push(messages[++at] as Message);
    }
    rows.push(reused(known.get(message.id), message, results));
  }
  return rows;
}

function reused(old: Row | undefined, message: Message, results: readonly Message[]): Row {
  const parts: AnyPart[] = [message, ...results].flatMap((one) => one.parts);
  const pairs = matchToolPair(parts);
  const absorbed = results.map((one) => one.id);
  if (old?.message === message && old.absorbed.join() === absorbed.join() && samePairs(old.pairs, pairs)) return old;
  return { message, pairs, absorbed };
}

function isResults(message: Message | undefined): boolean {
  return message?.role === "tool" && message.parts.every((part) => part.type === "tool_result");
}

function samePairs(some: readonly ToolPair[], others: readonly ToolPair[]): boolean {
  return (
    some.length === others.length &&
    some.every((pair, at) => pair.use === others[at]?.use && pair.result === others[at]?.result)
  );
}

/** The pairs of a row that begin with a call of this part, or hold this result. */
export function pairOf(row: Row, part: AnyPart): ToolPair | undefined {
  return row.pairs.find((pair) => pair.use === part || pair.result === part);
}

/** What a part's meta says under a name, when that is a text. */
export function metaText(part: AnyPart, name: string): string | null {
  const { meta } = part;
  const value = isPlainObject(meta) ? meta[name] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
}

/** A value as a person reads it: texts as they are, the rest as JSON. */
export function readable(value: unknown): string {
  if (value === undefined) return "";
  return revealed(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

/** A text whose hidden marks of direction are shown, so that a name or an action reads as what it is. */
export function revealed(text: string): string {
  return text.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** A piece of what a call or a question holds; `name` is the path of a text of several lines. */
interface Held {
  readonly name: string | null;
  readonly text: string;
  readonly language: string;
}

/** What a call or a question holds: JSON, and beside it the texts of several lines, which JSON makes unreadable. */
export function heldBy(data: unknown): Held[] {
  if (!isPlainObject(data)) return [{ name: null, text: readable(data), language: typeof data === "string" ? "" : "json" }];
  const long: Held[] = [];
  const rest = shortened(data, "", long);
  const first: Held[] = Object.keys(rest).length > 0 || long.length === 0 ? [{ name: null, text: readable(rest), language: "json" }] : [];
  return [...first, ...long];
}

function shortened(data: Readonly<Record<string, unknown>>, path: string, long: Held[]): Record<string, unknown> {
  // Without a prototype: a member that is called __proto__ has to be seen like any other.
  const rest = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === "string" && value.trimEnd().includes("\n")) {
      long.push({ name: path + key, text: readable(value), language: /^(?:diff|patch)$/.test(key) ? "diff" : "" });
    } else rest[key] = isPlainObject(value) ? shortened(value, `${path}${key}.`, long) : value;
  }
  return rest;
}

/** How programs write down that a person stopped them: no failure to be told of as one. */
const STOPS: ReadonlySet<string> = new Set(["aborted", "MessageAbortedError"]);

/** Whether a part of the type `error` only says that the answer was stopped. */
export function isStop(part: AnyPart): boolean {
  return part.type === "error" && STOPS.has(metaText(part, "code") ?? "");
}
