import type { JsonObject, JsonValue } from "../json";
import type { ProfileDoc, SessionInfo, SessionModel } from "./info";
import type { Message, MessageFlags, Usage } from "./messages";
import { type AnyPart, member } from "./parts";

/** An event as it came, known or not: it has a type, and what else it has is kept. */
export interface AnyRunEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event of a later version. */
export type UnknownRunEvent = AnyRunEvent;

/** What a client starts a run with: `text` or `parts`, or neither together with `swipeOf`. */
export interface RunStartInput {
  readonly sessionId: string;
  readonly text?: string;
  readonly parts?: readonly AnyPart[];
  readonly runId?: string;
  readonly messageId?: string;
  readonly parentId?: string | null;
  readonly swipeOf?: string;
  readonly model?: SessionModel;
  readonly profile?: string | ProfileDoc;
  readonly name?: string;
  readonly flags?: MessageFlags;
  readonly meta?: JsonObject;
}

interface RunEventOf<Type extends string> extends AnyRunEvent {
  readonly type: Type;
  readonly runId: string;
}

export interface RunStartEvent extends RunEventOf<"run_start"> {
  readonly sessionId: string;
  readonly userMessageId?: string;
  readonly parentId?: string | null;
  readonly model?: SessionModel;
  readonly startedAt?: string;
}

export interface MessageStartEvent extends RunEventOf<"message_start"> {
  readonly messageId: string;
  readonly role: string;
  readonly name?: string;
  readonly parentId?: string | null;
  readonly meta?: JsonObject;
}

/** A part begins; `value` is its skeleton, `part` its place in the message. */
export interface PartStartEvent extends RunEventOf<"part_start"> {
  readonly messageId: string;
  readonly part: number;
  readonly value?: AnyPart;
}

/** Text to append; for a tool call, a piece of the JSON of its arguments. */
export interface PartDeltaEvent extends RunEventOf<"part_delta"> {
  readonly messageId: string;
  readonly part: number;
  readonly delta: string;
}

/** A part is complete; a `value` counts for more than what was gathered. */
export interface PartEndEvent extends RunEventOf<"part_end"> {
  readonly messageId: string;
  readonly part: number;
  readonly value?: AnyPart;
}

export interface MessageEndEvent extends RunEventOf<"message_end"> {
  readonly messageId: string;
  readonly message?: Message;
  readonly meta?: JsonObject;
}

export interface AskOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly kind?: string;
}

export interface AskAnswer {
  readonly optionIds?: readonly string[];
  readonly text?: string;
  readonly cancelled?: boolean;
  readonly timeout?: boolean;
}

/** The run waits for an answer; the same event with `resolved` closes the question everywhere. */
export interface AskEvent extends RunEventOf<"ask"> {
  readonly askId: string;
  readonly kind: "permission" | "question" | "input";
  readonly title: string;
  readonly text?: string;
  readonly options?: readonly AskOption[];
  readonly multiple?: boolean;
  readonly custom?: boolean;
  readonly default?: JsonValue;
  readonly timeoutMs?: number;
  readonly callId?: string;
  readonly messageId?: string;
  readonly data?: JsonValue;
  readonly resolved?: AskAnswer;
}

export interface ActivityEvent extends RunEventOf<"activity"> {
  readonly activityId?: string;
  readonly kind?: string;
  readonly text?: string;
  readonly progress?: number;
  readonly done?: boolean;
  readonly data?: JsonValue;
}

export interface SessionUpdateEvent extends RunEventOf<"session_update"> {
  readonly sessionId: string;
  readonly session: Partial<SessionInfo>;
}

export type RunStatus = "done" | "cancelled" | "error";

export interface RunEndEvent extends RunEventOf<"run_end"> {
  readonly status: RunStatus;
  readonly sessionId?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: Usage;
  readonly stopReason?: string;
}

export type RunEvent =
  | RunStartEvent
  | MessageStartEvent
  | PartStartEvent
  | PartDeltaEvent
  | PartEndEvent
  | MessageEndEvent
  | AskEvent
  | ActivityEvent
  | SessionUpdateEvent
  | RunEndEvent;

export const RUN_EVENT_TYPES = [
  "run_start",
  "message_start",
  "part_start",
  "part_delta",
  "part_end",
  "message_end",
  "ask",
  "activity",
  "session_update",
  "run_end",
] as const satisfies readonly RunEvent["type"][];

/** Files of the workspace changed; the path "" says: read everything again. Not an event of a run. */
export interface WorkspaceUpdateEvent {
  readonly type: "workspace_update";
  readonly paths: readonly string[];
}

/** Whether a value can be an event: an object with a type. */
export function isRunEvent(value: unknown): value is AnyRunEvent {
  const type = member(value, "type");
  return typeof type === "string" && type !== "";
}

/** Whether a value is an event of one of the ten known kinds. */
export function isKnownRunEvent(value: unknown): value is RunEvent {
  return isRunEvent(value) && (RUN_EVENT_TYPES as readonly string[]).includes(value.type);
}

/** Whether a value tells that files changed: its paths must be texts. */
export function isWorkspaceUpdateEvent(value: unknown): value is WorkspaceUpdateEvent {
  const paths = member(value, "paths");
  if (member(value, "type") !== "workspace_update" || !Array.isArray(paths)) return false;
  return paths.every((path) => typeof path === "string");
}

/** The part that a `part_start` begins with; also reads `partType` and `meta` beside each other. */
export function partSkeleton(event: AnyRunEvent): AnyPart {
  const { value, partType, meta } = event;
  if (typeof member(value, "type") === "string") return value as AnyPart;
  const type = typeof partType === "string" && partType !== "" ? partType : "text";
  const text = ["text", "thinking", "error"].includes(type) ? { text: "" } : {};
  return { type, ...text, ...(typeof meta === "object" && meta !== null ? { meta } : {}) };
}

/** How a run ended; also reads the words completed, success and aborted. Anything else is an error. */
export function runStatus(event: AnyRunEvent): RunStatus {
  const word = event["status"];
  if (word === "done" || word === "completed" || word === "success") return "done";
  return word === "cancelled" || word === "aborted" ? "cancelled" : "error";
}
