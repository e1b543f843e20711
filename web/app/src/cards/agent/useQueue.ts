import { useEffect, useState } from "react";
import type { AgentCard, QueuedPrompt } from "../../wire/records";
import type { CardApi, TextKey } from "../contract";
import { failureOf } from "../../connection/failure";
import { sayFailure } from "../parts/failure";

export interface Queue {
  prompts: readonly QueuedPrompt[];
  edit(promptId: string, text: string): void;
  move(promptId: string, index: number): void;
  cancel(promptId: string): void;
  sendNow(promptId: string): void;
}

/** The prompts that wait for an agent, read again whenever the server says that they changed. */
export function useQueue(card: AgentCard, api: CardApi): Queue {
  const [prompts, setPrompts] = useState<readonly QueuedPrompt[]>([]);
  const told = card.runtime !== null;
  const queued = card.runtime?.queued ?? 0;
  const revision = card.runtime?.queueRevision ?? 0;

  useEffect(() => {
    let gone = false;
    const read = () => {
      api
        .call<{ prompts: readonly QueuedPrompt[] }>("queue.list", { cardId: card.id })
        .then((found) => {
          if (!gone) setPrompts(found.prompts);
        })
        // What is shown stays; it is read again with the next change, or when the server is back.
        .catch(() => undefined);
    };
    if (!told || queued > 0 || revision > 0) read();
    const stop = api.on("client.online", read);
    return () => {
      gone = true;
      stop();
    };
  }, [api, card.id, told, queued, revision]);

  const change = (method: string, what: TextKey, params: object) => {
    api
      .call<{ prompts?: readonly QueuedPrompt[] }>(method, { cardId: card.id, ...params })
      .then((now) => {
        if (now.prompts !== undefined) setPrompts(now.prompts);
      })
      .catch((error: unknown) => {
        sayFailure(api, what, card.name, error);
        if (failureOf(error).code === "NOT_FOUND" && "promptId" in params) {
          setPrompts((known) => known.filter((prompt) => prompt.id !== params.promptId));
        }
      });
  };
  return {
    prompts,
    edit: (promptId, text) => change("queue.edit", "queue.editing", { promptId, text }),
    move: (promptId, index) => change("queue.move", "queue.moving", { promptId, index }),
    cancel: (promptId) => change("queue.cancel", "queue.cancelling", { promptId }),
    sendNow: (promptId) => change("queue.send", "queue.sending", { promptId }),
  };
}
