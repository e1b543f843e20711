import { lazy, useRef, useState } from "react";
import { PlayIcon } from "@heroicons/react/24/outline";
import type { AgentCard, StartedAgent } from "../../wire/records";
import { quotedOf } from "../../i18n/reasonOf";
import type { CardBodyProps } from "../contract";
import { Awaited } from "../parts/Awaited";
import terminalStyles from "../terminal/terminal.module.css";
import { AgentBar, type Face } from "./AgentBar";
import { PromptBox } from "./PromptBox";
import { QuestionBanner } from "./QuestionBanner";
import { QueuePanel } from "./QueuePanel";
import { ReplyPane } from "./ReplyPane";
import { StatusPane } from "./StatusPane";
import styles from "./agent.module.css";
import { agentRuns, harnessName, startedOf } from "./state";
import { useAgentCalls } from "./useAgentCalls";
import { useDiff } from "./useDiff";

const TerminalView = lazy(() => import("../terminal/TerminalView"));

/** An agent: its terminal, what it does and asks, the prompts that wait, and where one writes to it. */
export function AgentBody({ card, api, selected }: CardBodyProps<AgentCard>) {
  const { t } = api;
  const [face, setFace] = useState<Face>("screen");
  const root = useRef<HTMLDivElement>(null);
  const calls = useAgentCalls(api, card);
  const changes = useDiff(card, api);
  const started = startedOf(card);
  const question = started?.question ?? null;
  const start = () => void calls.act("agent.start", {}, "agent.starting");
  const ended = started !== null && !agentRuns(card) ? started : null;

  return (
    <div ref={root} className={styles.agent}>
      <AgentBar card={card} api={api} calls={calls} changes={changes} face={face} onFace={setFace} />
      {question === null ? null : (
        <QuestionBanner key={question.id} card={card} question={question} selected={selected} api={api} />
      )}
      {started === null ? null : <Trouble started={started} api={api} />}
      <div className={styles.middle}>
        {started === null ? (
          <div className={styles.unstarted}>
            <p>{t("agent.unstarted", { harness: harnessName(card, t) })}</p>
            <button type="button" className="btn is-primary nodrag" disabled={calls.busy !== null} onClick={start}>
              <PlayIcon aria-hidden="true" width={13} />
              {t("agent.start")}
            </button>
          </div>
        ) : (
          <div className={terminalStyles.terminal}>
            <Awaited text={t("terminal.loading")} className={terminalStyles.waiting}>
              <TerminalView key={card.id} card={{ id: card.id, name: card.name, runtime: started }} api={api} onStart={start} />
            </Awaited>
          </div>
        )}
        {face === "reply" && <ReplyPane card={card} reply={started?.reply ?? null} api={api} />}
        {face === "evidence" && <StatusPane card={card} t={t} />}
      </div>
      {ended === null ? null : (
        <div className={`${terminalStyles.notice ?? ""} nodrag`} role="status">
          <p>
            {ended.exitCode === null
              ? t("terminal.ended", { shell: harnessName(card, t) })
              : t("terminal.endedWith", { shell: harnessName(card, t), code: ended.exitCode })}
          </p>
          <button type="button" className="btn is-primary" disabled={calls.busy !== null} onClick={start}>
            <PlayIcon aria-hidden="true" width={13} />
            {t("terminal.startAgain")}
          </button>
        </div>
      )}
      <QueuePanel card={card} api={api} />
      <PromptBox card={card} api={api} />
    </div>
  );
}

/** How the last turn failed, or what is tried again. */
function Trouble({ started, api }: { started: StartedAgent; api: CardBodyProps["api"] }) {
  const { error, retrying } = started;
  if (error === null && retrying === null) return null;
  return (
    <p className={retrying === null ? styles.failed : styles.retrying} role="status">
      {retrying === null ? api.t("agent.failed", { why: error === null ? "" : quotedOf(api.t, error) }) : api.t("agent.retrying", { why: quotedOf(api.t, retrying) })}
    </p>
  );
}
