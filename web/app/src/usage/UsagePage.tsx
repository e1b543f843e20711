import { useMemo, useState } from "react";
import { useSession, useT } from "../shell/context";
import { ResendIcon } from "../shell/icons";
import { useStore } from "../state/store";
import type { UsageGroup, UsageReport, UsageSpan } from "../wire/records";
import { cacheShare, costText, percent, tokensText } from "./amounts";
import { Choice } from "./Choice";
import { DayChart } from "./DayChart";
import type { Question } from "./desk";
import { useReport } from "./hooks";
import { ReportNotes } from "./ReportNotes";
import { ScanProgress } from "./ScanProgress";
import { UsageTable } from "./UsageTable";
import styles from "./page.module.css";

const PERIODS: readonly UsageSpan[] = ["today", "7d", "30d", "all"];
const GROUPS = ["agent", "model", "session", "sender"] as const satisfies readonly UsageGroup[];
const GROUP_LABELS = {
  agent: "usage.byAgent",
  model: "usage.byModel",
  session: "usage.bySession",
  sender: "usage.bySender",
} as const;

type Scope = "workspace" | "all";

/** Sums, days and tables of a period, of this workspace or of all that agents logged on this computer. */
export function UsagePage() {
  const session = useSession();
  const t = useT();
  const workspaceId = useStore(session.canvas, (state) => state?.workspace.id ?? null);
  const [period, setPeriod] = useState<UsageSpan>("7d");
  const [wanted, setScope] = useState<Scope>("workspace");
  const [group, setGroup] = useState<(typeof GROUPS)[number]>("agent");
  const scope = workspaceId === null ? "all" : wanted;
  const where = useMemo(() => (scope === "workspace" && workspaceId !== null ? { workspaceId } : {}), [scope, workspaceId]);
  const question = useMemo((): Question => ({ by: group, period, ...where }), [group, period, where]);
  const { report, busy, problem } = useReport(question);
  const scopes: { id: Scope; label: string; title?: string }[] = [
    ...(workspaceId === null ? [] : [{ id: "workspace" as const, label: t("usage.workspace") }]),
    { id: "all", label: t("usage.allLogs"), title: t("usage.allLogsHint") },
  ];
  return (
    <>
      <div className={styles["line"]}>
        <Choice
          label={t("usage.period")}
          options={PERIODS.map((id) => ({ id, label: t(`usage.${id}`) }))}
          chosen={period}
          onChoose={setPeriod}
        />
        <Choice label={t("usage.scope")} options={scopes} chosen={scope} onChoose={setScope} />
        <span className="spring" />
        <RefreshButton busy={busy} />
      </div>
      <ScanProgress waiting={busy && report === null} />
      {problem === null ? null : (
        <p className="notice tone-danger" role="alert">
          {t("usage.failed")}: {problem}
        </p>
      )}
      {report === null ? null : <Figures report={report} />}
      <DayChart period={period} where={where} />
      <section className={styles["part"]} aria-label={t("usage.tables")}>
        <div className={styles["line"]}>
          <h3>{t("usage.tables")}</h3>
          <Choice
            label={t("usage.tables")}
            options={GROUPS.map((id) => ({
              id,
              label: t(GROUP_LABELS[id]),
              ...(id === "sender" && { title: t("usage.senderHint") }),
            }))}
            chosen={group}
            onChoose={setGroup}
          />
        </div>
        {report === null ? null : <UsageTable key={group} report={report} inWorkspace={scope === "workspace"} />}
      </section>
      {report === null ? null : <ReportNotes report={report} />}
    </>
  );
}

function RefreshButton({ busy }: { busy: boolean }) {
  const session = useSession();
  const t = useT();
  const [scanning, setScanning] = useState(false);
  const refresh = () => {
    if (scanning) return;
    setScanning(true);
    session.usage
      .scan()
      .catch((error: unknown) => session.report("usage.failed", error))
      .finally(() => setScanning(false));
  };
  return (
    <button type="button" className="btn" aria-busy={busy || scanning} onClick={refresh}>
      {scanning ? <i className="spinner" /> : <ResendIcon size={13} />} {t(scanning ? "usage.refreshing" : "usage.refresh")}
    </button>
  );
}

function Figures({ report }: { report: UsageReport }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const { total } = report;
  const share = cacheShare(total);
  const figures: readonly [string, string, string?][] = [
    [t("usage.cost"), costText(total, t, language), t("usage.pricesHint")],
    [t("usage.tokens"), tokensText(total.totalTokens, total.requests, t, language)],
    [t("usage.requests"), tokensText(total.requests, total.requests, t, language)],
    [
      t("usage.cacheShare"),
      share !== null ? percent(share, language) : total.requests > 0 ? t("usage.notReported") : "–",
      t("usage.cacheShareHint"),
    ],
  ];
  return (
    <dl className={styles["figures"]}>
      {figures.map(([label, value, title]) => (
        <div key={label} title={title}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
