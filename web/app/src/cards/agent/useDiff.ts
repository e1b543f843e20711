import { useEffect, useState } from "react";
import type { AgentCard, AgentChanges } from "../../wire/records";
import type { CardApi } from "../contract";
import { startedOf } from "./state";

/** What the agent changed in its folder, looked at when it starts, when a turn ends and when its program ends. */
export function useDiff(card: AgentCard, api: CardApi): AgentChanges | null {
  const [changes, setChanges] = useState<AgentChanges | null>(null);
  const started = startedOf(card);
  const rests = started !== null && started.status !== "working" && started.status !== "needs-input";
  const turn = started === null ? null : `${String(started.generation)} ${String(started.lastTurn?.endedAt)} ${String(rests)}`;
  useEffect(() => {
    if (turn === null) return;
    let gone = false;
    const look = () => {
      api
        .call<AgentChanges | null>("agent.diff", { cardId: card.id })
        .then((found) => {
          if (!gone) setChanges(found);
        })
        // Without git, or while the server is away, there is nothing to show.
        .catch(() => undefined);
    };
    look();
    const stop = api.on("client.online", look);
    return () => {
      gone = true;
      stop();
    };
  }, [api, card.id, turn]);
  return changes;
}
