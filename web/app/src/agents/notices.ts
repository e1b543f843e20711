import { startedOf, statusOf } from "../cards/agent/state";
import type { TextKey } from "../i18n/catalogue";
import type { AgentCard } from "../wire/records";
import { finishedAt } from "./turns";

/** What of an agent decides whether somebody is told. */
export interface Told {
  status: string;
  endedAt: number | null;
  words: string;
}

type Notice =
  | { do: "ring" | "update"; title: TextKey; words: string }
  | { do: "withdraw" };

export function toldOf(card: AgentCard): Told {
  const started = startedOf(card);
  const status = statusOf(card);
  const words = started?.question?.detail ?? started?.error ?? started?.reply?.text.trim().slice(0, 160) ?? "";
  return { status, endedAt: finishedAt(card), words };
}

/**
 * What a change of an agent tells the person: a new question or the end of a turn rings, other words for the same are
 * put in their place quietly, and what was told is withdrawn once the agent works again.
 */
export function noticeFor(before: Told | undefined, after: Told, failed: boolean): Notice | null {
  if (before === undefined) return null;
  if (after.status === "needs-input") {
    const title = "notice.needsInput";
    if (before.status !== "needs-input") return { do: "ring", title, words: after.words };
    return before.words === after.words ? null : { do: "update", title, words: after.words };
  }
  if (after.status === "finished") {
    const title = failed ? "notice.failed" : "notice.finished";
    if (before.status !== "finished" || before.endedAt !== after.endedAt) return { do: "ring", title, words: after.words };
    return before.words === after.words ? null : { do: "update", title, words: after.words };
  }
  return before.status === "needs-input" || before.status === "finished" ? { do: "withdraw" } : null;
}
