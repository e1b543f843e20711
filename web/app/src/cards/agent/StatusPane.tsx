import type { ReactNode } from "react";
import { ago, clockTime } from "../../panels/format";
import { useNow } from "../../panels/useNow";
import type { AgentCard, Language } from "../../wire/records";
import { toldOf } from "../../i18n/reasonOf";
import type { Translate } from "../contract";
import styles from "./agent.module.css";
import { harnessName, startedOf, statusKey } from "./state";

/** What the status rests on, and the facts of the program behind it. */
export function StatusPane({ card, t }: { card: AgentCard; t: Translate }) {
  const now = useNow();
  const started = startedOf(card);
  const language = (document.documentElement.lang || "en") as Language;
  const when = (atMs: number) => `${clockTime(atMs, language)} · ${ago(atMs, now, t)}`;
  const facts: [string, ReactNode][] = [[t("card.status"), t(statusKey(card))]];
  if (started !== null) {
    const { evidence, sinceMs, subagents, sessionId, cwd, pid, exitCode } = started;
    if (evidence !== null) {
      facts.push([t("agent.evidence"), `${t(`agentSource.${evidence.source}`)} – ${toldOf(t, evidence.note)}`]);
      facts.push([t("agent.told"), when(evidence.atMs)]);
    }
    if (sinceMs > 0) facts.push([t("agent.since"), when(sinceMs)]);
    if (subagents.length > 0) facts.push([t("agent.subagents"), subagents.join(", ")]);
    if (cwd !== null) facts.push([t("card.folder"), <code key="cwd">{cwd}</code>]);
    if (sessionId !== null) facts.push([t("agent.session"), <code key="session">{sessionId}</code>]);
    if (pid !== null) facts.push([t("card.process"), pid]);
    if (exitCode !== null) facts.push([t("card.exitCode"), exitCode]);
  }
  facts.push([t("agent.harness"), harnessName(card, t)]);
  if (card.content.arguments.length > 0) {
    facts.push([t("agent.arguments"), <code key="arguments">{card.content.arguments.join(" ")}</code>]);
  }
  return (
    <section className={`${styles.pane ?? ""} nowheel nodrag`} aria-label={t("agent.evidenceOf", { name: card.name })}>
      <dl className={styles.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
