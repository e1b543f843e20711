import { useMemo, useState, type KeyboardEvent } from "react";
import { useSession, useT } from "../shell/context";
import { FitIcon, MinusIcon, PlusIcon } from "../shell/icons";
import type { AgentTimeline } from "../wire/records";
import { openUsage } from "./actions";
import { Choice } from "./Choice";
import { RequestFacts } from "./RequestFacts";
import { TimelineRows } from "./TimelineRows";
import { placeRequests, type Placed } from "./timelineScale";
import { useTimeline } from "./useTimeline";
import styles from "./timeline.module.css";
import pageStyles from "./page.module.css";

const HOUR_MS = 3_600_000;
const SPANS = [
  ["timeline.hour", HOUR_MS],
  ["timeline.sixHours", 6 * HOUR_MS],
  ["timeline.day", 24 * HOUR_MS],
  ["timeline.week", 7 * 24 * HOUR_MS],
] as const;

/** What one agent did and when: its requests over its status and its turns. */
export function TimelineView({ agentId }: { agentId: string }) {
  const session = useSession();
  const t = useT();
  const { timeline, problem, busy, spanMs, show, fit, zoom, move } = useTimeline(agentId, 6 * HOUR_MS);
  const placed = useMemo(() => (timeline === null ? [] : placeRequests(timeline)), [timeline]);
  const [endedAt, setEndedAt] = useState<number | null>(null);
  const at = placed.findIndex(({ request }) => request.endedAt === endedAt);
  const chosen = placed[at] ?? null;
  const choose = (one: Placed | undefined) => {
    if (one !== undefined) setEndedAt(one.request.endedAt);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (step !== 0 && event.shiftKey) move(step / 4);
    else if (step !== 0) choose(at === -1 ? placed.at(step < 0 ? -1 : 0) : placed[Math.min(placed.length - 1, Math.max(0, at + step))]);
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={pageStyles["line"]}>
        <button type="button" className="btn" onClick={() => openUsage(session)}>
          ← {t("timeline.back")}
        </button>
        <Choice
          label={t("usage.period")}
          options={SPANS.map(([label, ms]) => ({ id: String(ms), label: t(label) }))}
          chosen={String(spanMs)}
          onChoose={(id) => show(Number(id))}
        />
        <span className="spring" />
        <div className="buttons">
          <Tool label={t("timeline.fit")} run={fit}>
            <FitIcon size={13} />
          </Tool>
          <Tool label={t("timeline.earlier")} run={() => move(-0.5)}>
            ←
          </Tool>
          <Tool label={t("timeline.later")} run={() => move(0.5)}>
            →
          </Tool>
          <Tool label={t("timeline.wider")} run={() => zoom(2)}>
            <MinusIcon size={13} />
          </Tool>
          <Tool label={t("timeline.closer")} run={() => zoom(0.5)}>
            <PlusIcon size={13} />
          </Tool>
        </div>
      </div>
      {problem === null ? null : (
        <p className="notice tone-danger" role="alert">
          {t("usage.failed")}: {problem}
        </p>
      )}
      {timeline === null ? (
        <p role="status">{problem === null ? t("usage.reading") : ""}</p>
      ) : (
        <div
          className={styles["timeline"]}
          role="group"
          aria-label={t("timeline.requests")}
          aria-busy={busy}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <TimelineRows timeline={timeline} placed={placed} chosen={chosen} onChoose={choose} />
        </div>
      )}
      {timeline === null ? null : <Notes timeline={timeline} />}
      <div role="status">{chosen === null ? null : <RequestFacts request={chosen.request} />}</div>
    </>
  );
}

function Notes({ timeline }: { timeline: AgentTimeline }) {
  const t = useT();
  const { requests, statuses, turns, usageReadable, requestTimes, truncated } = timeline;
  const empty = requests.length + turns.length === 0 && statuses.length === 0;
  return (
    <div className={pageStyles["notes"]}>
      {usageReadable ? null : <p className="notice tone-warning">{t("timeline.noLog")}</p>}
      {truncated ? <p className="notice tone-warning">{t("timeline.truncated", { count: requests.length })}</p> : null}
      {empty ? <p>{t("timeline.empty")}</p> : null}
      <p className="muted">
        {requests.length > 0 ? t(requestTimes === "start-end" ? "timeline.barsHint" : "timeline.ticksHint") : null} {t("timeline.keys")}
      </p>
    </div>
  );
}

function Tool({ label, run, children }: { label: string; run(): void; children: React.ReactNode }) {
  return (
    <button type="button" className="btn" aria-label={label} title={label} onClick={run}>
      {children}
    </button>
  );
}
