import {
  isKnownRunEvent,
  partSkeleton,
  runStatus,
  type ActivityEvent,
  type AnyPart,
  type AnyRunEvent,
  type AskEvent,
  type Message,
  type RunStatus,
  type SessionInfo,
  type Usage,
} from "@cardloom/protocol/session";

/** A run as its events tell it. `writing` are the messages whose end has not come. */
export interface LiveRun {
  readonly runId: string;
  readonly status: RunStatus | "running";
  readonly writing: ReadonlySet<string>;
  readonly asks: readonly AskEvent[];
  readonly activities: readonly ActivityEvent[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Usage | null;
}

/** What a chat shows: the messages of the active path, and the run that adds to them. */
export interface Transcript {
  readonly messages: readonly Message[];
  readonly run: LiveRun | null;
  /** A message of the run's beginning is not here: the history has to be read again. */
  readonly lacks: boolean;
}

export const EMPTY: Transcript = { messages: [], run: null, lacks: false };
const MAX_ACTIVITIES = 20;

export function beginRun(transcript: Transcript, runId: string): Transcript {
  const run: LiveRun = {
    runId,
    status: "running",
    writing: new Set(),
    asks: [],
    activities: [],
    error: null,
    usage: null,
  };
  return { ...transcript, run };
}

/** The transcript after some events of its run; those of later versions are passed over. */
export function applyEvents(transcript: Transcript, events: readonly AnyRunEvent[]): Transcript {
  return events.reduce(applyEvent, transcript);
}

function applyEvent(before: Transcript, event: AnyRunEvent): Transcript {
  if (!isKnownRunEvent(event)) return before;
  switch (event.type) {
    case "run_start": {
      const lacks = event.userMessageId !== undefined && !before.messages.some((one) => one.id === event.userMessageId);
      return { ...beginRun(before, event.runId), lacks: before.lacks || lacks };
    }
    case "message_start":
      return started(before, event.messageId, event.parentId, {
        id: event.messageId,
        role: event.role,
        parts: [],
        ...(event.name === undefined ? {} : { name: event.name }),
        ...(event.meta === undefined ? {} : { meta: event.meta }),
      });
    case "part_start":
      return withPart(before, event.messageId, event.part, () => partSkeleton(event));
    case "part_delta":
      return withPart(before, event.messageId, event.part, (part) => appended(part, event.delta));
    case "part_end":
      return withPart(before, event.messageId, event.part, (part) => event.value ?? finished(part));
    case "message_end": {
      const { message, messageId } = event;
      const ended = withRun(before, (run) => ({ ...run, writing: without(run.writing, messageId) }));
      return message === undefined ? ended : withMessage(ended, messageId, (known) => ({ ...known, ...message }));
    }
    case "ask":
      return withRun(before, (run) => {
        const others = run.asks.filter((one) => one.askId !== event.askId);
        return { ...run, asks: event.resolved === undefined ? [...others, event] : others };
      });
    case "activity":
      return withRun(before, (run) => {
        const others = run.activities.filter((one) => event.activityId === undefined || one.activityId !== event.activityId);
        return { ...run, activities: (event.done === true ? others : [...others, event]).slice(-MAX_ACTIVITIES) };
      });
    case "session_update":
      return before;
    case "run_end":
      return withRun(before, (run) => ({
        ...run,
        status: runStatus(event),
        writing: new Set(),
        asks: [],
        activities: run.activities.filter((one) => one.kind === "warning"),
        error: event.error ?? null,
        usage: event.usage ?? null,
      }));
  }
}

/** The news of a session that events carry. */
export function sessionNews(events: readonly AnyRunEvent[]): Partial<SessionInfo> | null {
  const found = events.filter(isKnownRunEvent).filter((event) => event.type === "session_update");
  return found.length === 0 ? null : Object.assign({}, ...found.map((event) => event.session));
}

/** A message begins: in its place when it is known, else behind its parent, whose other children are no longer shown. */
function started(before: Transcript, id: string, parentId: string | null | undefined, fresh: Message): Transcript {
  const { messages } = before;
  const at = messages.findIndex((one) => one.id === id);
  const parentAt = parentId === undefined || parentId === null ? -1 : messages.findIndex((one) => one.id === parentId);
  const kept = at >= 0 ? at : parentId === null ? 0 : parentAt >= 0 ? parentAt + 1 : messages.length;
  const next = [...messages.slice(0, kept), fresh];
  const lacks = before.lacks || (typeof parentId === "string" && parentAt < 0 && at < 0);
  return withRun({ ...before, messages: next, lacks }, (run) => ({ ...run, writing: new Set([...run.writing, id]) }));
}

function withRun(before: Transcript, change: (run: LiveRun) => LiveRun): Transcript {
  return before.run === null ? before : { ...before, run: change(before.run) };
}

function withMessage(before: Transcript, id: string, change: (message: Message) => Message): Transcript {
  const at = before.messages.findLastIndex((one) => one.id === id);
  const known = before.messages[at];
  return known === undefined ? before : { ...before, messages: before.messages.with(at, change(known)) };
}

function withPart(before: Transcript, id: string, at: number, change: (part: AnyPart) => AnyPart): Transcript {
  return withMessage(before, id, (message) => {
    const parts = [...message.parts];
    while (parts.length <= at) parts.push({ type: "text", text: "" });
    parts[at] = change(parts[at] as AnyPart);
    return { ...message, parts };
  });
}

/** A piece more of a part: of its text, or of the JSON of a call's arguments, which is kept as text until it is whole. */
function appended(part: AnyPart, delta: string): AnyPart {
  if (part.type !== "tool_use") return { ...part, text: textOf(part["text"]) + delta };
  return { ...part, data: textOf(part["data"]) + delta };
}

function finished(part: AnyPart): AnyPart {
  if (part.type !== "tool_use" || typeof part["data"] !== "string") return part;
  try {
    return { ...part, data: JSON.parse(part["data"]) as unknown };
  } catch {
    return part; // what the model wrote is no JSON; it stays as it is
  }
}

/** The read history in place of what is shown; messages that did not change stay the same objects. */
export function withHistory(before: Transcript, history: readonly Message[]): Transcript {
  const known = new Map(before.messages.map((message) => [message.id, message]));
  const messages = history.map((message) => {
    const old = known.get(message.id);
    return old !== undefined && sameMessage(old, message) ? old : message;
  });
  return { ...before, messages, lacks: false };
}

function sameMessage(one: Message, other: Message): boolean {
  return (
    one.hash !== undefined &&
    one.hash === other.hash &&
    one.swipes?.active === other.swipes?.active &&
    one.swipes?.count === other.swipes?.count &&
    JSON.stringify([one.flags, one.meta]) === JSON.stringify([other.flags, other.meta])
  );
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
