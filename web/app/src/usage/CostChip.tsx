import { useMemo, useState } from "react";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { TurnEstimate } from "../wire/records";
import { openTimeline } from "./actions";
import { costText, money, shortCount, tokensText } from "./amounts";
import type { Question } from "./desk";
import { useReport } from "./hooks";
import { isReadable } from "./readable";
import styles from "./budgets.module.css";

/** What an agent spent today, with what its next turn may cost in the tooltip. A press shows its timeline. */
export function CostChip({ agentId }: { agentId: string }) {
  const session = useSession();
  const card = useStore(session.canvas, (state) => state?.cards.get(agentId));
  if (card?.kind !== "agent" || !isReadable(card.content.harness)) return null;
  return <Chip agentId={agentId} workspaceId={card.workspaceId} />;
}

function Chip({ agentId, workspaceId }: { agentId: string; workspaceId: string }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const question = useMemo((): Question => ({ by: "agent", period: "today", workspaceId }), [workspaceId]);
  const { report } = useReport(question);
  const [estimate, setEstimate] = useState<TurnEstimate | null>(null);
  const row = report?.rows.find((each) => each.key === agentId);
  if (row === undefined || row.requests === 0) return null;
  const cost = costText(row, t, language);
  const tokens = row.totalTokens === null ? t("usage.notReported") : shortCount(row.totalTokens, language);
  const lookAhead = () => {
    session.client
      .call("usage.agent", { agentId })
      .then((found) => setEstimate(found.estimate))
      .catch(() => undefined);
  };
  const next =
    estimate === null
      ? t("chip.noEstimate")
      : t("chip.estimate", {
          count: estimate.turns,
          cost: estimate.costMicroUsd === null ? t("usage.noPrice") : money(estimate.costMicroUsd, language),
          tokens: tokensText(estimate.totalTokens, 1, t, language),
        });
  const words = t("chip.cost", { cost, tokens });
  return (
    <button
      type="button"
      className={`chip tone-default nodrag ${styles["chip"] ?? ""}`}
      tabIndex={-1}
      aria-label={words}
      title={`${words}\n${next}`}
      onPointerEnter={lookAhead}
      onFocus={lookAhead}
      onClick={() => openTimeline(session, agentId)}
    >
      {cost}
    </button>
  );
}
