import { useMemo } from "react";
import { Row } from "../panels/Row";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Card, UsageRow } from "../wire/records";
import { costText, shortCount } from "./amounts";
import type { Prompting } from "./caused";
import type { Question } from "./desk";
import { useReport } from "./hooks";

/** What an agent spent today for one sender; null when nothing. */
function useCaused({ agentId, senderId }: Prompting): UsageRow | null {
  const question = useMemo((): Question => ({ by: "sender", period: "today", agentId }), [agentId]);
  const { report } = useReport(question);
  const row = report?.rows.find((each) => each.key === senderId);
  return row === undefined || row.requests === 0 ? null : row;
}

/** The words below the line of an arrow into an agent. */
export function CausedLabel({ prompting, at }: { prompting: Prompting; at: { x: number; y: number } }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const row = useCaused(prompting);
  if (row === null) return null;
  return (
    <text className="arrow-label arrow-cost" x={at.x} y={at.y + 15} textAnchor="middle">
      {costText(row, t, language)}
    </text>
  );
}

/** The same as a line of an arrow's details. */
export function CausedRow({ prompting, sender, agent }: { prompting: Prompting; sender: Card; agent: Card }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const row = useCaused(prompting);
  if (row === null) return null;
  const tokens = row.totalTokens === null ? t("usage.notReported") : shortCount(row.totalTokens, language);
  return (
    <Row label={t("chip.caused")}>
      <span title={t("chip.causedHint", { agent: agent.name, name: sender.name })}>
        {costText(row, t, language)} · {tokens}
      </span>
    </Row>
  );
}
