import type { JsonValue } from "../json";

/** A part as it came, known or not: it has a type, and what else it has is kept. */
export interface AnyPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface TextPart extends AnyPart {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingPart extends AnyPart {
  readonly type: "thinking";
  readonly text: string;
  readonly meta?: { readonly signature?: string };
}

/** A call of a tool; `data` holds the arguments. */
export interface ToolUsePart extends AnyPart {
  readonly type: "tool_use";
  readonly data: JsonValue;
  readonly meta: { readonly callId: string; readonly name: string };
}

/** A tool's answer. `data` is the truth where both are given, `text` its readable form. */
export interface ToolResultPart extends AnyPart {
  readonly type: "tool_result";
  readonly data?: JsonValue;
  readonly text?: string;
  readonly meta: { readonly callId: string; readonly name?: string; readonly error?: boolean };
}

export interface FilePart extends AnyPart {
  readonly type: "file";
  readonly text?: string;
  readonly meta: {
    readonly name: string;
    readonly mime?: string;
    readonly url?: string;
    readonly ref?: string;
    readonly tokens?: number;
  };
}

export interface ImagePart extends AnyPart {
  readonly type: "image";
  readonly text?: string;
  readonly meta: {
    readonly mime?: string;
    readonly url?: string;
    readonly ref?: string;
    readonly alt?: string;
    readonly tokens?: number;
  };
}

export interface ErrorPart extends AnyPart {
  readonly type: "error";
  readonly text: string;
  readonly meta?: { readonly code?: string };
}

/** Anything else; `meta.hint` says how to show it, and `meta` may hold more. */
export interface CustomPart extends AnyPart {
  readonly type: "custom";
  readonly data?: JsonValue;
  readonly text?: string;
  readonly meta: { readonly hint: string; readonly [field: string]: JsonValue };
}

export type Part =
  | TextPart
  | ThinkingPart
  | ToolUsePart
  | ToolResultPart
  | FilePart
  | ImagePart
  | ErrorPart
  | CustomPart;

/** A part of a later version. */
export type UnknownPart = AnyPart;

export const PART_TYPES = [
  "text",
  "thinking",
  "tool_use",
  "tool_result",
  "file",
  "image",
  "error",
  "custom",
] as const satisfies readonly Part["type"][];

/** A tool call and its result; either may be missing. */
export interface ToolPair {
  readonly callId: string;
  readonly use?: ToolUsePart;
  readonly result?: ToolResultPart;
}

/** The member of that name of a value that may be anything. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

export const isTextPart = (value: unknown): value is TextPart => member(value, "type") === "text";
export const isThinkingPart = (value: unknown): value is ThinkingPart => member(value, "type") === "thinking";
export const isToolUsePart = (value: unknown): value is ToolUsePart => member(value, "type") === "tool_use";
export const isToolResultPart = (value: unknown): value is ToolResultPart => member(value, "type") === "tool_result";
export const isFilePart = (value: unknown): value is FilePart => member(value, "type") === "file";
export const isImagePart = (value: unknown): value is ImagePart => member(value, "type") === "image";
export const isErrorPart = (value: unknown): value is ErrorPart => member(value, "type") === "error";
export const isCustomPart = (value: unknown): value is CustomPart => member(value, "type") === "custom";

/** Whether a value is a part of one of the eight known kinds. */
export function isKnownPart(value: unknown): value is Part {
  const type = member(value, "type");
  return typeof type === "string" && (PART_TYPES as readonly string[]).includes(type);
}

/** The plain text of a message: its text parts joined without a separator. */
export function derivedText(message: { readonly parts?: readonly unknown[] }): string {
  return (Array.isArray(message.parts) ? message.parts : [])
    .map((part: unknown) => (isTextPart(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

/**
 * Joins tool calls with their results by `callId`, wherever the results stand.
 *
 * One pair a call in the order of the calls, then results without a call. Repeated ids pair first with first; the empty
 * id matches only itself. Where results live in other messages, give the parts of all of them.
 */
export function matchToolPair(parts: readonly unknown[]): ToolPair[] {
  const results = parts.filter(isToolResultPart);
  const taken = new Set<ToolResultPart>();
  const pairs: ToolPair[] = parts.filter(isToolUsePart).map((use) => {
    const callId = callIdOf(use);
    const result = results.find((one) => !taken.has(one) && callIdOf(one) === callId);
    if (result === undefined) return { callId, use };
    taken.add(result);
    return { callId, use, result };
  });
  const rest = results.filter((one) => !taken.has(one)).map((result) => ({ callId: callIdOf(result), result }));
  return [...pairs, ...rest];
}

function callIdOf(part: AnyPart): string {
  const callId = member(part["meta"], "callId");
  return typeof callId === "string" ? callId : "";
}

/** The parts of what is appended: `parts` where given, even none; else `text`; else one empty text. */
export function partsOf(input: { readonly parts?: readonly AnyPart[]; readonly text?: string }): readonly AnyPart[] {
  return input.parts ?? [{ type: "text", text: input.text ?? "" }];
}

/** The parts with `text` in place of the first text part and without the others; at the end when there was none. */
export function replaceTextParts(parts: readonly AnyPart[], text: string): AnyPart[] {
  const first = parts.findIndex(isTextPart);
  const kept = parts.flatMap((part, at): AnyPart[] => {
    if (!isTextPart(part)) return [part];
    return at === first ? [{ type: "text", text }] : [];
  });
  return first < 0 ? [...kept, { type: "text", text }] : kept;
}
