import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { PaperAirplaneIcon } from "@heroicons/react/24/outline";
import type { AgentCard } from "../../wire/records";
import type { CardApi } from "../contract";
import { sayFailure } from "../parts/failure";
import { backToCard } from "../parts/leaving";
import styles from "./agent.module.css";
import { agentRuns, statusOf } from "./state";

/** The longest prompt, in UTF-16 units. */
export const PROMPT_CHARS = 20_000;

/** What is being written to each agent, kept while its card is out of sight. */
const drafts = new Map<string, string>();

/** Where the person writes to the agent: Enter sends, or queues while it is busy; it starts an agent that does not run. */
export function PromptBox({ card, api }: { card: AgentCard; api: CardApi }) {
  const { t } = api;
  const [text, setText] = useState(() => drafts.get(card.id) ?? "");
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const runs = agentRuns(card);
  const status = statusOf(card);
  const busy = runs && (status === "working" || status === "needs-input");

  useEffect(() => {
    if (text === "") drafts.delete(card.id);
    else drafts.set(card.id, text);
    const element = field.current;
    if (element === null) return;
    element.style.height = "0";
    element.style.height = `${String(element.scrollHeight)}px`;
  }, [card.id, text]);

  async function send(whenBusy: "queue" | "send") {
    const wanted = text;
    if (sending || wanted.trim() === "") return;
    setSending(true);
    try {
      if (runs) await api.call("agents.prompt", { agentId: card.id, text: wanted, whenBusy });
      else await api.call("agent.start", { cardId: card.id, prompt: wanted });
      setText((now) => (now === wanted ? "" : now));
    } catch (error) {
      sayFailure(api, "agent.prompting", card.name, error);
    } finally {
      setSending(false);
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && field.current !== null) backToCard(field.current);
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void send(event.ctrlKey || event.metaKey ? "send" : "queue");
  }

  const label = !runs ? "agent.startWith" : busy ? "agent.queue" : "agent.send";
  return (
    <div className={`${styles.box ?? ""} nodrag nowheel`}>
      <textarea
        ref={field}
        rows={1}
        data-enter={runs ? undefined : "focus"}
        aria-label={t("agent.promptTo", { name: card.name })}
        placeholder={t(!runs ? "agent.startPlaceholder" : busy ? "agent.queuePlaceholder" : "agent.promptPlaceholder")}
        value={text}
        maxLength={PROMPT_CHARS}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        className={styles.send}
        aria-label={t(label)}
        title={`${t(label)} (Enter)`}
        disabled={sending || text.trim() === ""}
        onClick={() => void send("queue")}
      >
        <PaperAirplaneIcon aria-hidden="true" width={15} />
      </button>
    </div>
  );
}
