import { startedOf, statusOf } from "../cards/agent/state";
import { createStore } from "../state/store";
import type { AgentCard } from "../wire/records";

const KEPT = "cardloom.seenTurns";
const MAX_KEPT = 200;

/** When the last turn ended that the person has looked at, by card; kept in this browser. */
export const seenTurns = createStore<ReadonlyMap<string, number>>(remembered());

/** When the turn ended that left the agent finished; null while it does anything else. */
export function finishedAt(card: AgentCard): number | null {
  if (statusOf(card) !== "finished") return null;
  const started = startedOf(card);
  return started?.lastTurn?.endedAt ?? started?.sinceMs ?? null;
}

/** Whether a turn ended that nobody has looked at yet. */
export function isNews(card: AgentCard, seen: ReadonlyMap<string, number>): boolean {
  const endedAt = finishedAt(card);
  return endedAt !== null && endedAt > (seen.get(card.id) ?? 0);
}

export function markSeen(cards: readonly AgentCard[]): void {
  const news = cards.filter((card) => isNews(card, seenTurns.get()));
  if (news.length === 0) return;
  const seen = new Map(seenTurns.get());
  for (const card of news) {
    seen.delete(card.id);
    seen.set(card.id, finishedAt(card) ?? 0);
  }
  const kept = new Map([...seen].slice(-MAX_KEPT));
  seenTurns.set(kept);
  localStorage.setItem(KEPT, JSON.stringify([...kept]));
}

function remembered(): ReadonlyMap<string, number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    if (!Array.isArray(kept)) return new Map();
    return new Map(kept.filter((pair): pair is [string, number] => Array.isArray(pair) && typeof pair[1] === "number"));
  } catch {
    // Another program wrote there; nothing has been seen then.
    return new Map();
  }
}
