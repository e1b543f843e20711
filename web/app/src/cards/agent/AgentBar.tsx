import { ArrowPathIcon, ChatBubbleLeftIcon, PlayIcon, PowerIcon, StopIcon } from "@heroicons/react/24/outline";
import { useNow } from "../../panels/useNow";
import { MenuButton, type MenuEntry } from "../../shell/Menu";
import { MoreIcon } from "../../shell/icons";
import type { AgentCard, AgentChanges } from "../../wire/records";
import { toldOf } from "../../i18n/reasonOf";
import type { CardApi, Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import styles from "./agent.module.css";
import { agentRuns, agentTone, span, startedOf, statusKey, statusOf } from "./state";
import type { AgentCalls } from "./useAgentCalls";

/** What the middle of the card shows. */
export type Face = "screen" | "reply" | "evidence";

interface AgentBarProps {
  card: AgentCard;
  api: CardApi;
  calls: AgentCalls;
  changes: AgentChanges | null;
  face: Face;
  onFace(face: Face): void;
}

/** The line under the title: status with its evidence, what is worked on and for how long, the folder, and the switches. */
export function AgentBar({ card, api, calls, changes, face, onFace }: AgentBarProps) {
  const { t } = api;
  const started = startedOf(card);
  const tone = agentTone(card);
  const turn = (wanted: Face) => onFace(face === wanted ? "screen" : wanted);
  const evidence = started?.evidence ?? null;
  const turnStartedAtMs = started?.turnStartedAtMs ?? null;
  const said = evidence === null ? t("agent.noEvidence") : `${t(`agentSource.${evidence.source}`)} – ${toldOf(t, evidence.note)}`;
  return (
    <div className={`${styles.bar ?? ""} nodrag`}>
      <button
        type="button"
        className={styles.status}
        aria-pressed={face === "evidence"}
        aria-label={t("agent.statusIs", { status: t(statusKey(card)) })}
        title={said}
        onClick={() => turn("evidence")}
      >
        <i className={`dot tone-${tone.tone} ${tone.busy ? "is-busy" : ""}`} />
        {t(statusKey(card))}
      </button>
      {turnStartedAtMs === null ? null : <TurnClock sinceMs={turnStartedAtMs} t={t} />}
      <span className={styles.session} title={started?.title ?? undefined}>
        {started?.title ?? ""}
      </span>
      {started !== null && started.subagents.length > 0 && (
        <span className="chip tone-accent" title={started.subagents.join(", ")}>
          {t("agent.subagentCount", { count: started.subagents.length })}
        </span>
      )}
      <FolderChip card={card} changes={changes} t={t} />
      {(started?.dangerous ?? card.content.dangerous) && (
        <span className="chip tone-danger" title={t("agent.dangerousHint")}>
          {t("agent.dangerous")}
        </span>
      )}
      <Switches card={card} api={api} calls={calls} replied={face === "reply"} onReply={() => turn("reply")} />
    </div>
  );
}

/** How long the turn lasts by now. */
function TurnClock({ sinceMs, t }: { sinceMs: number; t: Translate }) {
  const now = useNow(1_000);
  return (
    <span className={styles.clock} role="timer" title={t("agent.turn")}>
      {span(now - sinceMs, t)}
    </span>
  );
}

/** The branch of a folder of its own, and what changed since its last commit. */
function FolderChip({ card, changes, t }: { card: AgentCard; changes: AgentChanges | null; t: Translate }) {
  const branch = card.content.worktree?.branch ?? null;
  const changed = changes !== null && changes.files > 0;
  if (branch === null && !changed) return null;
  const facts = changes === null ? "" : t("agent.changedFiles", { count: changes.files });
  return (
    <span className={styles.folder} title={[branch ?? changes?.branch, facts].filter(Boolean).join(" · ")}>
      {branch !== null && <span className={styles.branch}>⎇ {branch}</span>}
      {changed && (
        <>
          <span>{facts}</span>
          <b className={styles.added}>+{changes.added}</b>
          <b className={styles.removed}>−{changes.removed}</b>
        </>
      )}
    </span>
  );
}

interface SwitchesProps {
  card: AgentCard;
  api: CardApi;
  calls: AgentCalls;
  replied: boolean;
  onReply(): void;
}

function Switches({ card, api, calls, replied, onReply }: SwitchesProps) {
  const { t } = api;
  const started = startedOf(card);
  const runs = agentRuns(card);
  const status = statusOf(card);
  const inTurn = runs && (status === "working" || status === "needs-input");
  const busy = calls.busy !== null;

  async function restartFresh() {
    if (runs && !(await calls.act("agent.stop", {}, "agent.stopping"))) return;
    await calls.act("agent.start", { fresh: true }, "agent.starting");
  }

  const entries: MenuEntry[] = [
    {
      id: "fresh",
      label: t(runs ? "agent.restartFresh" : "agent.startFresh"),
      description: t("agent.freshHint"),
      icon: <ArrowPathIcon width={15} />,
      run: () => void restartFresh(),
    },
    {
      id: "dangerous",
      label: t(card.content.dangerous ? "agent.makeSafe" : "agent.makeDangerous"),
      ...(runs && { description: t("agent.nextStart") }),
      ...(!card.content.dangerous && { tone: "danger" as const }),
      run: () => void calls.act("agent.configure", { dangerous: !card.content.dangerous }, "agent.configuring"),
    },
  ];
  return (
    <span className={styles.switches}>
      {started !== null && started.reply !== null && (
        <button
          type="button"
          className={styles.toggle}
          aria-label={t("agent.reply")}
          aria-pressed={replied}
          title={t("agent.reply")}
          onClick={onReply}
        >
          <ChatBubbleLeftIcon aria-hidden="true" width={15} />
        </button>
      )}
      {inTurn && (
        <IconButton
          icon={StopIcon}
          label={t("agent.interrupt")}
          disabled={busy}
          onClick={() => void calls.act("agent.interrupt", {}, "agent.interrupting")}
        />
      )}
      {runs ? (
        <IconButton
          icon={PowerIcon}
          label={t("agent.stop")}
          disabled={busy}
          onClick={() => void calls.act("agent.stop", {}, "agent.stopping")}
        />
      ) : (
        <IconButton
          icon={PlayIcon}
          label={t("agent.start")}
          disabled={busy}
          onClick={() => void calls.act("agent.start", {}, "agent.starting")}
        />
      )}
      <MenuButton className={styles.toggle ?? ""} label={t("agent.more")} align="end" disabled={busy} entries={entries}>
        <MoreIcon size={14} />
      </MenuButton>
    </span>
  );
}
