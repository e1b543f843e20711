import { ChartBarIcon } from "@heroicons/react/24/outline";
import { useMemo } from "react";
import { sized } from "../cards/icons";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import { openBudgets, openUsage } from "./actions";
import { costText } from "./amounts";
import { budgetName, budgetTone } from "./budgetWords";
import type { Question } from "./desk";
import { useBudgets, useReport } from "./hooks";
import styles from "./budgets.module.css";

const UsageIcon = sized(ChartBarIcon);

/** In the bar at the top: what agents of this workspace spent today, and how full its fullest budget is. */
export function UsagePills() {
  const session = useSession();
  const t = useT();
  const workspaceId = useStore(session.canvas, (state) => state?.workspace.id ?? null);
  const withAgents = useStore(session.canvas, (state) => [...(state?.cards.values() ?? [])].some((card) => card.kind === "agent"));
  return (
    <>
      {workspaceId === null ? null : <BudgetPill />}
      {workspaceId !== null && withAgents ? (
        <TodayPill workspaceId={workspaceId} />
      ) : (
        <button type="button" className="icon-btn" aria-label={t("usage.open")} title={t("usage.open")} onClick={() => openUsage(session)}>
          <UsageIcon />
        </button>
      )}
    </>
  );
}

function TodayPill({ workspaceId }: { workspaceId: string }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const question = useMemo((): Question => ({ by: "agent", period: "today", workspaceId }), [workspaceId]);
  const { report } = useReport(question);
  const cost = report === null ? "…" : costText(report.total, t, language);
  return (
    <button
      type="button"
      className="pill"
      aria-label={t("usage.open")}
      title={t("usage.openToday", { cost })}
      onClick={() => openUsage(session)}
    >
      <span className="muted">{t("usage.todayPill")}</span> {cost}
    </button>
  );
}

function BudgetPill() {
  const session = useSession();
  const t = useT();
  const { budgets } = useBudgets();
  const agents = useStore(session.canvas, (state) => state?.cards);
  const fullest = [...budgets].sort((one, other) => Number(other.paused) - Number(one.paused) || other.percent - one.percent)[0];
  if (fullest === undefined) return null;
  const words = t("budget.bar", { name: budgetName(fullest, agents, t), percent: fullest.percent });
  return (
    <button
      type="button"
      className={`pill tone-${budgetTone(fullest)} ${fullest.paused ? "is-warning" : ""}`}
      title={fullest.paused ? `${words}. ${t("budget.paused")}` : words}
      aria-label={words}
      onClick={() => openBudgets(session)}
    >
      <span className={fullest.paused ? "" : "muted"}>{t("budget.heading")}</span>
      {fullest.paused ? <span>{t("budget.pausedOne")}</span> : null}
      <i className={styles["meter"]}>
        <i style={{ width: `${String(Math.min(100, fullest.percent))}%` }} />
      </i>
    </button>
  );
}
