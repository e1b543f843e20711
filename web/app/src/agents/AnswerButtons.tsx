import { useState } from "react";
import { useSession, useT } from "../shell/context";
import type { AgentCard, AgentChoice, AgentQuestion } from "../wire/records";
import styles from "./agents.module.css";

const ORDER: readonly AgentChoice[] = ["deny", "always", "approve"];

/** Answers an agent's question away from its card; only what the agent takes as an answer is offered. */
export function AnswerButtons({ card, question }: { card: AgentCard; question: AgentQuestion }) {
  const session = useSession();
  const t = useT();
  const [answering, setAnswering] = useState(false);
  if (question.choices.length === 0) return <small className="muted">{t("agent.answerThere")}</small>;
  const answer = (choice: AgentChoice) => {
    setAnswering(true);
    session.client
      .call("agent.answer", { cardId: card.id, choice, ...(question.id !== null && { questionId: question.id }) })
      .catch((error: unknown) => session.report("fail.answer", error))
      .finally(() => setAnswering(false));
  };
  return (
    <span className={styles["answers"]}>
      {ORDER.filter((choice) => question.choices.includes(choice)).map((choice) => (
        <button
          key={choice}
          type="button"
          className={choice === "approve" ? "btn is-primary" : "btn"}
          title={t(`agent.${choice}Hint`)}
          disabled={answering}
          onClick={() => answer(choice)}
        >
          {t(`agent.${choice}`)}
        </button>
      ))}
    </span>
  );
}
