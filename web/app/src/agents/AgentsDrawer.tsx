import { useMemo } from "react";
import { span, startedOf, statusOf, agentTone, statusKey } from "../cards/agent/state";
import { toldOf } from "../i18n/reasonOf";
import { useNow } from "../panels/useNow";
import { Column } from "../shell/Column";
import { useSession, useT } from "../shell/context";
import { CloseIcon } from "../shell/icons";
import { agentsOf, type LocatedAgent } from "../state/agentWatch";
import { useStore } from "../state/store";
import { allowed, notifying, setNotifying } from "./desktop";
import { goToAgent } from "./going";
import { AnswerButtons } from "./AnswerButtons";
import styles from "./agents.module.css";

const GROUPS = ["waiting", "finished", "working", "resting"] as const;
type Group = (typeof GROUPS)[number];

/** All agents of the open workspaces, those that wait for the person first. */
export function AgentsDrawer() {
  const session = useSession();
  const open = useStore(session.ui, (ui) => ui.agentsOpen);
  return open ? <Drawer /> : null;
}

function Drawer() {
  const session = useSession();
  const t = useT();
  const agents = useAgents();
  const close = () => session.ui.update((ui) => ({ ...ui, agentsOpen: false }));
  return (
    <Column name="agents" className={`${styles["drawer"] ?? ""} files`} aria-label={t("agents.open")}>
      <header className={styles["head"]}>
        <h2>{t("agents.open")}</h2>
        <button type="button" className="icon-btn" aria-label={t("agents.close")} title={`${t("agents.close")} (G)`} onClick={close}>
          <CloseIcon />
        </button>
      </header>
      <div className={styles["groups"]}>
        {agents.length === 0 ? <p className="muted">{t("agents.none")}</p> : null}
        {GROUPS.map((group) => {
          const members = agents.filter((agent) => groupOf(agent) === group);
          if (members.length === 0) return null;
          return (
            <section key={group} aria-label={t(`agents.${group}`)}>
              <h3>
                {t(`agents.${group}`)} <span className="muted">{members.length}</span>
              </h3>
              <ul>
                {members.map((agent) => (
                  <AgentRow key={agent.card.id} agent={agent} />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      <NotifySwitch />
    </Column>
  );
}

/** All agents that this page knows of. */
export function useAgents(): LocatedAgent[] {
  const session = useSession();
  const shown = useStore(session.canvas, (state) => state);
  const others = useStore(session.watch.others, (known) => known);
  return useMemo(() => agentsOf(shown, others), [shown, others]);
}

function groupOf({ card }: LocatedAgent): Group {
  switch (statusOf(card)) {
    case "needs-input":
      return "waiting";
    case "working":
      return "working";
    case "finished":
      return "finished";
    default:
      return "resting";
  }
}

function AgentRow({ agent }: { agent: LocatedAgent }) {
  const session = useSession();
  const t = useT();
  const now = useNow();
  const { card, workspace } = agent;
  const started = startedOf(card);
  const tone = agentTone(card);
  const queued = card.runtime?.queued ?? 0;
  const question = started?.question ?? null;
  const error = started?.error ?? null;
  const words = question?.action ?? (error === null ? null : toldOf(t, error)) ?? started?.title ?? "";
  const since = started === null || started.sinceMs === 0 ? "" : span(now - started.sinceMs, t);
  return (
    <li className={styles["agent"]}>
      <button type="button" className={styles["who"]} title={workspace.path} onClick={() => void goToAgent(session, agent)}>
        <i className={`dot tone-${tone.tone} ${tone.busy ? "is-busy" : ""}`} />
        <span className={styles["name"]}>{card.name}</span>
        <small className="muted">{since}</small>
      </button>
      <small className={styles["facts"]}>
        {[t(statusKey(card)), workspace.name, ...(queued > 0 ? [t("agents.queued", { count: queued })] : [])].join(" · ")}
      </small>
      {words === "" ? null : question === null && error !== null ? (
        <p className={styles["error"]} title={words}>
          {words}
        </p>
      ) : (
        <code className={styles["words"]} title={words}>
          {words}
        </code>
      )}
      {question === null ? null : <AnswerButtons card={card} question={question} />}
    </li>
  );
}

function NotifySwitch() {
  const session = useSession();
  const t = useT();
  const on = useStore(notifying, (known) => known);
  const denied = allowed() === "denied" || allowed() === "unsupported";
  return (
    <label className={`check ${styles["notify"] ?? ""}`}>
      <input
        type="checkbox"
        checked={on}
        disabled={denied && !on}
        onChange={(event) => {
          const wanted = event.target.checked;
          void setNotifying(wanted).then((now) => {
            if (wanted && !now) session.toast((t) => t("agents.notifyDenied"), "warning");
          });
        }}
      />
      <span>
        {t("agents.notify")}
        <small className="muted">{t(denied && !on ? "agents.notifyDenied" : "agents.notifyHint")}</small>
      </span>
    </label>
  );
}
