import { useEffect, useRef, useState } from "react";
import type { AgentChoice, AgentQuestion } from "../../wire/records";
import type { CardApi } from "../contract";
import styles from "./agent.module.css";
import { sayFailure } from "../parts/failure";

/** The keys that answer, pressed with Alt while the card has the focus or is the one selected. */
const ANSWER_KEYS: Readonly<Record<AgentChoice, string>> = { approve: "Y", always: "A", deny: "N" };
const ORDER: readonly AgentChoice[] = ["deny", "always", "approve"];

interface QuestionBannerProps {
  card: { id: string; name: string };
  question: AgentQuestion;
  selected: boolean;
  api: CardApi;
}

/** What the agent asks, in its exact words, and the answers it takes. It goes when the question is not open any more. */
export function QuestionBanner({ card, question, selected, api }: QuestionBannerProps) {
  const { t } = api;
  const root = useRef<HTMLElement>(null);
  const [answering, setAnswering] = useState(false);

  async function answer(choice: AgentChoice) {
    if (answering) return;
    setAnswering(true);
    try {
      const asked = question.id === null ? {} : { questionId: question.id };
      await api.call("agent.answer", { cardId: card.id, choice, ...asked });
    } catch (error) {
      sayFailure(api, "agent.answering", card.name, error);
    } finally {
      setAnswering(false);
    }
  }

  const latest = useRef(answer);
  useEffect(() => {
    latest.current = answer;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const choice = question.choices.find((each) => event.code === `Key${ANSWER_KEYS[each]}`);
      if (choice === undefined || !isMeant(event.target, root.current, selected)) return;
      event.preventDefault();
      event.stopPropagation();
      void latest.current(choice);
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [question, selected]);

  const asks = question.kind === "permission" ? "agent.wants" : "agent.asks";
  return (
    <section ref={root} className={`${styles.question ?? ""} nodrag nowheel`} role="alert">
      <p className={styles.asks}>
        {question.subagent === null
          ? t(asks, { tool: question.tool ?? "" })
          : t("agent.subagentAsks", { name: question.subagent })}
        {question.tool !== null && question.kind === "permission" && <span className="chip tone-warning">{question.tool}</span>}
      </p>
      <pre className={styles.action} tabIndex={0} aria-label={t("agent.action")}>
        {question.action || question.detail}
      </pre>
      <div className={styles.choices}>
        {question.choices.length === 0 && <span>{t("agent.answerThere")}</span>}
        {ORDER.filter((choice) => question.choices.includes(choice)).map((choice) => (
          <button
            key={choice}
            type="button"
            className={choice === "approve" ? "btn is-primary" : "btn"}
            title={`${t(`agent.${choice}Hint`)} (Alt+${ANSWER_KEYS[choice]})`}
            disabled={answering}
            onClick={() => void answer(choice)}
          >
            {t(`agent.${choice}`)}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Whether a key pressed there is meant for this card: its own focus, or nothing else's and it alone is selected. */
function isMeant(target: EventTarget | null, banner: HTMLElement | null, selected: boolean): boolean {
  if (!(target instanceof Element) || target.closest("dialog, .panel, .files, .topbar, .menu") !== null) return false;
  const node = banner?.closest(".react-flow__node") ?? null;
  const holder = target.closest(".react-flow__node");
  if (holder !== null) return holder === node;
  return selected && document.querySelectorAll(".react-flow__node.selected").length === 1;
}
