import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { AgentStatus, AgentTimeline, Language, TimelineTurn, Tone } from "../wire/records";
import { duration } from "./amounts";
import { axisTicks, shareOf, type Placed } from "./timelineScale";
import styles from "./timeline.module.css";

const TONES: Readonly<Record<AgentStatus, Tone>> = {
  working: "accent",
  "needs-input": "warning",
  finished: "success",
  idle: "default",
  exited: "default",
};
const LANE_PX = 15;
/** Words that begin behind this share of the axis would be cut. */
const LAST_LABEL = 0.95;

interface TimelineRowsProps {
  timeline: AgentTimeline;
  placed: readonly Placed[];
  chosen: Placed | null;
  onChoose(placed: Placed): void;
}

/** The rows of a timeline, one below the other over the same time: requests, status, turns, and the clock. */
export function TimelineRows({ timeline, placed, chosen, onChoose }: TimelineRowsProps) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const lanes = Math.max(1, ...placed.map(({ lane }) => lane + 1));
  const ticks = axisTicks(timeline, new Date(timeline.since).getTimezoneOffset());
  const left = (atMs: number) => `${String(shareOf(atMs, timeline) * 100)}%`;
  const width = (from: number, to: number) => `${String((shareOf(to, timeline) - shareOf(from, timeline)) * 100)}%`;
  return (
    <>
      <span className={styles["rowName"]}>{t("timeline.requests")}</span>
      <div className={styles["requests"]} style={{ height: `${String(lanes * LANE_PX + 6)}px` }}>
        <Grid ticks={ticks} left={left} />
        {placed.map((one) => (
          <Request
            key={`${String(one.request.endedAt)} ${String(one.lane)} ${String(one.from)}`}
            placed={one}
            chosen={one === chosen}
            onChoose={onChoose}
          />
        ))}
      </div>
      <span className={styles["rowName"]}>{t("timeline.statuses")}</span>
      <div className={styles["strip"]}>
        {timeline.statuses.map((segment) => (
          <i
            key={segment.from}
            className={`tone-${TONES[segment.status]}`}
            data-status={segment.status}
            title={`${t(`agentStatus.${segment.status}`)} · ${duration(segment.to - segment.from, t)}`}
            style={{ left: left(segment.from), width: width(segment.from, segment.to) }}
          />
        ))}
      </div>
      <span className={styles["rowName"]}>{t("timeline.turns")}</span>
      <div className={styles["strip"]}>
        {timeline.turns.map((turn) => (
          <b
            key={turn.start}
            className={styles["turn"]}
            data-counted={turn.counted}
            title={turnWords(turn, t)}
            style={{ left: left(turn.start), width: width(turn.start, turn.end ?? timeline.until) }}
          />
        ))}
      </div>
      <span className={styles["rowName"]} />
      <div className={styles["axis"]} aria-hidden="true">
        {ticks.filter((atMs) => shareOf(atMs, timeline) < LAST_LABEL).map((atMs) => (
          <small key={atMs} style={{ left: left(atMs) }}>
            {tickLabel(atMs, timeline.until - timeline.since, language)}
          </small>
        ))}
      </div>
    </>
  );
}

function Grid({ ticks, left }: { ticks: readonly number[]; left(atMs: number): string }) {
  return ticks.map((atMs) => <u key={atMs} className={styles["gridLine"]} style={{ left: left(atMs) }} />);
}

interface RequestProps {
  placed: Placed;
  chosen: boolean;
  onChoose(placed: Placed): void;
}

function Request({ placed, chosen, onChoose }: RequestProps) {
  const { request, lane, from, to } = placed;
  const tick = request.startedAt === null;
  return (
    <i
      className={tick ? styles["tick"] : styles["bar"]}
      data-request={tick ? "tick" : "bar"}
      data-chosen={chosen}
      data-subagent={request.subagent !== undefined}
      style={{
        left: `${String(from * 100)}%`,
        top: `${String(lane * LANE_PX + 3)}px`,
        ...(tick ? {} : { width: `${String((to - from) * 100)}%` }),
      }}
      onPointerEnter={() => onChoose(placed)}
    />
  );
}

function turnWords(turn: TimelineTurn, t: ReturnType<typeof useT>): string {
  const words = turn.end === null ? t("timeline.turnRuns") : t("timeline.turn", { duration: duration(turn.end - turn.start, t) });
  return turn.counted ? words : `${words}. ${t("timeline.uncounted")}`;
}

const DAY_MS = 86_400_000;

function tickLabel(atMs: number, spanMs: number, language: Language): string {
  const date = new Date(atMs);
  if (spanMs > 3 * DAY_MS) return date.toLocaleDateString(language, { day: "numeric", month: "short" });
  const fine = spanMs < 10 * 60_000;
  return date.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hour12: false, ...(fine && { second: "2-digit" }) });
}
