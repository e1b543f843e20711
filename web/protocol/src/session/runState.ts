import type { ActivityEvent, AnyRunEvent, AskEvent, RunStatus } from "./events";
import { partSkeleton } from "./events";
import type { Message } from "./messages";
import { type AnyPart, member } from "./parts";

/** One part as far as it has come; `final` counts for more than what was gathered. */
export interface RunPart {
  readonly skeleton: AnyPart;
  readonly gathered: string;
  readonly final: AnyPart | null;
}

/** One message as far as it has come; `end` is its `message_end`. */
export interface RunMessage {
  readonly id: string;
  readonly start: AnyRunEvent;
  readonly parts: ReadonlyMap<number, RunPart>;
  readonly end: AnyRunEvent | null;
}

/** What the events of a run add up to. Whatever did not change is the same object as before. */
export interface RunState {
  readonly start: AnyRunEvent | null;
  readonly messages: readonly RunMessage[];
  readonly asks: readonly AskEvent[];
  readonly activities: readonly ActivityEvent[];
  readonly end: AnyRunEvent | null;
}

export const NO_RUN: RunState = { start: null, messages: [], asks: [], activities: [], end: null };

/** The state after one more event; events that fit nowhere, and unknown ones, change nothing. */
export function runAfter(state: RunState, event: AnyRunEvent): RunState {
  switch (event.type) {
    case "run_start":
      return { ...state, start: event };
    case "message_start":
      return { ...state, messages: begun(state.messages, event) };
    case "part_start":
      return changed(state, event, (message) => withPart(message, event, () => startedPart(event)));
    case "part_delta":
      return changed(state, event, (message) => withPart(message, event, (part) => part && grown(part, event)));
    case "part_end":
      return changed(state, event, (message) => withPart(message, event, (part) => part && completed(part, event)));
    case "message_end":
      return changed(state, event, (message) => ({ ...message, end: event }));
    case "ask":
      return { ...state, asks: asked(state.asks, event as AskEvent) };
    case "activity":
      return { ...state, activities: busy(state.activities, event as ActivityEvent) };
    case "run_end":
      return { ...state, end: event };
    default:
      return state;
  }
}

/** How a run ended, null while it goes on; also reads the words of other engines. */
export function runStatusOf(state: RunState): RunStatus | null {
  switch (state.end?.["status"]) {
    case undefined:
      return state.end === null ? null : "error";
    case "done":
    case "completed":
    case "success":
      return "done";
    case "cancelled":
    case "aborted":
      return "cancelled";
    default:
      return "error";
  }
}

/** A message as it is shown: the stored one once it has ended with it. */
export function shownMessage(message: RunMessage): Message {
  const stored = member(message.end, "message");
  if (typeof stored === "object" && stored !== null) return stored as Message;
  const { role, name } = message.start;
  const parts = [...message.parts].sort(([one], [other]) => one - other).map(([, part]) => shownPart(part));
  return {
    id: message.id,
    role: typeof role === "string" && role !== "" ? role : "assistant",
    ...(typeof name === "string" ? { name } : {}),
    parts,
  };
}

/** A part with what has come of it; arguments of a tool that are no JSON yet stay a text. */
export function shownPart(part: RunPart): AnyPart {
  if (part.final !== null) return part.final;
  if (part.gathered === "") return part.skeleton;
  if (part.skeleton.type !== "tool_use") {
    const before = part.skeleton["text"];
    return { ...part.skeleton, text: (typeof before === "string" ? before : "") + part.gathered };
  }
  try {
    return { ...part.skeleton, data: JSON.parse(part.gathered) as unknown };
  } catch {
    return { ...part.skeleton, data: part.gathered };
  }
}

function idOf(event: AnyRunEvent): string {
  const { messageId } = event;
  return typeof messageId === "string" ? messageId : "";
}

function begun(messages: readonly RunMessage[], start: AnyRunEvent): readonly RunMessage[] {
  const message: RunMessage = { id: idOf(start), start, parts: new Map(), end: null };
  const known = messages.some((one) => one.id === message.id);
  return known ? messages.map((one) => (one.id === message.id ? message : one)) : [...messages, message];
}

function changed(state: RunState, event: AnyRunEvent, change: (message: RunMessage) => RunMessage): RunState {
  const id = idOf(event);
  const at = state.messages.findLastIndex((message) => message.id === id);
  const before = state.messages[at];
  if (before === undefined) return state;
  const after = change(before);
  return after === before ? state : { ...state, messages: state.messages.with(at, after) };
}

function withPart(
  message: RunMessage,
  event: AnyRunEvent,
  change: (part: RunPart | undefined) => RunPart | undefined,
): RunMessage {
  const { part } = event;
  if (typeof part !== "number") return message;
  const before = message.parts.get(part);
  const after = change(before);
  return after === undefined || after === before ? message : { ...message, parts: new Map(message.parts).set(part, after) };
}

function startedPart(event: AnyRunEvent): RunPart {
  return { skeleton: partSkeleton(event), gathered: "", final: null };
}

function grown(part: RunPart, event: AnyRunEvent): RunPart {
  const { delta } = event;
  return typeof delta === "string" ? { ...part, gathered: part.gathered + delta } : part;
}

function completed(part: RunPart, event: AnyRunEvent): RunPart {
  const { value } = event;
  const given = typeof value === "object" && value !== null && !Array.isArray(value);
  return { ...part, final: given ? (value as AnyPart) : shownPart(part) };
}

function asked(asks: readonly AskEvent[], ask: AskEvent): readonly AskEvent[] {
  if (typeof ask.resolved === "object") return asks.filter((one) => one.askId !== ask.askId);
  const known = asks.some((one) => one.askId === ask.askId);
  return known ? asks.map((one) => (one.askId === ask.askId ? ask : one)) : [...asks, ask];
}

function busy(activities: readonly ActivityEvent[], activity: ActivityEvent): readonly ActivityEvent[] {
  const others = activities.filter((one) => one.activityId !== activity.activityId);
  return activity.activityId === undefined || activity.activityId === "" || activity.done === true
    ? others
    : [...others, activity];
}
