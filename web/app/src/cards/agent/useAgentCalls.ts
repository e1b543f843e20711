import { useState } from "react";
import type { CardApi, TextKey } from "../contract";
import { sayFailure } from "../parts/failure";

export interface AgentCalls {
  /** The act that is on its way, null while there is none. */
  busy: string | null;
  /** Calls a method once at a time; says what did not work and gives whether it did. */
  act(method: string, params: object, what: TextKey): Promise<boolean>;
}

/** The calls by which the person starts, stops, answers and interrupts one agent. */
export function useAgentCalls(api: CardApi, card: { id: string; name: string }): AgentCalls {
  const [busy, setBusy] = useState<string | null>(null);
  return {
    busy,
    async act(method, params, what) {
      if (busy !== null) return false;
      setBusy(method);
      try {
        await api.call(method, { cardId: card.id, ...params });
        return true;
      } catch (error) {
        sayFailure(api, what, card.name, error);
        return false;
      } finally {
        setBusy(null);
      }
    },
  };
}
