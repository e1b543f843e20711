import { useMemo, useState } from "react";
import type { TextKey, Translate } from "../i18n/catalogue";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Language, PricedSums, UsageReport, UsageRow } from "../wire/records";
import { openTimeline } from "./actions";
import { cacheShare, costText, exactMoney, percent, rowName, tokensText } from "./amounts";
import { isSilent, nextOrder, saveFile, sortRows, toCsv, type Column, type NumberColumn, type Order } from "./rows";
import styles from "./table.module.css";

const HEADS: readonly [Column, TextKey][] = [
  ["requests", "usage.requests"],
  ["inputTokens", "usage.input"],
  ["outputTokens", "usage.output"],
  ["cacheReadTokens", "usage.cacheRead"],
  ["cacheWriteTokens", "usage.cacheWrite"],
  ["cacheShare", "usage.cacheShare"],
  ["totalTokens", "usage.total"],
  ["costMicroUsd", "usage.cost"],
];
const NAME_HEADS: Readonly<Record<UsageReport["by"], TextKey>> = {
  day: "usage.days",
  agent: "usage.byAgent",
  model: "usage.byModel",
  session: "usage.bySession",
  sender: "usage.bySender",
};

/** Sessions can be thousands: so many lines are drawn before all are asked for. */
const FIRST_LINES = 100;

/** A report line by line; its heads sort it, and it can be kept as a file. */
export function UsageTable({ report, inWorkspace }: { report: UsageReport; inWorkspace: boolean }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const [order, setOrder] = useState<Order>({ column: "costMicroUsd", down: true });
  const [all, setAll] = useState(false);
  const rows = useMemo(() => sortRows(report.rows, order, (row) => valueIn(row, order.column, t)), [report, order, t]);
  if (rows.length === 0) {
    return (
      <p className={styles["none"]}>
        {t("usage.none")} {inWorkspace ? <span className="muted">{t("usage.noneHint")}</span> : null}
      </p>
    );
  }
  const heads: readonly [Column, TextKey][] = [["name", NAME_HEADS[report.by]], ...HEADS];
  return (
    <>
      <div className={styles["scroll"]}>
        <table className={styles["table"]}>
          <thead>
            <tr>
              {heads.map(([column, label]) => (
                <Head key={column} label={t(label)} column={column} order={order} onOrder={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody>
            {(all ? rows : rows.slice(0, FIRST_LINES)).map((row) => (
              <Line key={[row.harness, row.key, row.name].join("\n")} row={row} by={report.by} language={language} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("usage.total")}</th>
              <Cells sums={report.total} language={language} />
            </tr>
          </tfoot>
        </table>
      </div>
      <div className="buttons">
        {all || rows.length <= FIRST_LINES ? null : (
          <button type="button" className="btn" onClick={() => setAll(true)}>
            {t("usage.showAll", { count: rows.length })}
          </button>
        )}
        <button type="button" className="btn" onClick={() => saveFile(fileName(report, "csv"), toCsv(rows), "text/csv")}>
          {t("usage.exportCsv")}
        </button>
        <button
          type="button"
          className="btn"
          onClick={() => saveFile(fileName(report, "json"), `${JSON.stringify(report, null, 2)}\n`, "application/json")}
        >
          {t("usage.exportJson")}
        </button>
      </div>
    </>
  );
}

interface HeadProps {
  label: string;
  column: Column;
  order: Order;
  onOrder(order: Order): void;
}

function Head({ label, column, order, onOrder }: HeadProps) {
  const t = useT();
  const leads = order.column === column;
  return (
    <th scope="col" aria-sort={leads ? (order.down ? "descending" : "ascending") : "none"}>
      <button type="button" title={t("usage.sortBy", { column: label })} onClick={() => onOrder(nextOrder(order, column))}>
        {label}
        <span aria-hidden="true">{leads ? (order.down ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

function Line({ row, by, language }: { row: UsageRow; by: UsageReport["by"]; language: Language }) {
  const session = useSession();
  const t = useT();
  const agentId = by === "agent" ? row.key : (row.agentId ?? null);
  const onCanvas = useStore(session.canvas, (state) => agentId !== null && state?.cards.get(agentId)?.kind === "agent");
  const name = rowName(row, t);
  return (
    <tr>
      <th scope="row" title={row.key ?? undefined}>
        {onCanvas && agentId !== null ? (
          <button type="button" className="link" title={t("timeline.open")} onClick={() => openTimeline(session, agentId)}>
            {name}
          </button>
        ) : (
          name
        )}
        {row.harness === undefined ? null : (
          <>
            {" "}
            <small className="muted">{row.harness}</small>
          </>
        )}
        {row.gone === true ? <small className="muted"> · {t("usage.gone")}</small> : null}
      </th>
      {isSilent(row) ? (
        <td colSpan={HEADS.length} className="muted">
          {t("usage.notReported")}
        </td>
      ) : (
        <Cells sums={row} language={language} />
      )}
    </tr>
  );
}

const COUNTS: readonly NumberColumn[] = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];

function Cells({ sums, language }: { sums: PricedSums; language: Language }) {
  const t = useT();
  const count = (value: number | null) => {
    const text = tokensText(value, sums.requests, t, language);
    return value === null ? <span className="muted">{text}</span> : text;
  };
  return (
    <>
      <td>{tokensText(sums.requests, sums.requests, t, language)}</td>
      {COUNTS.map((column) => (
        <td key={column}>{count(sums[column])}</td>
      ))}
      <td>{shareText(sums, t, language)}</td>
      <td>{count(sums.totalTokens)}</td>
      <td title={costTitle(sums, t, language)}>
        {sums.costMicroUsd === null ? <span className="muted">{costText(sums, t, language)}</span> : costText(sums, t, language)}
      </td>
    </>
  );
}

function shareText(sums: PricedSums, t: Translate, language: Language) {
  const share = cacheShare(sums);
  if (share !== null) return percent(share, language);
  return <span className="muted">{sums.requests > 0 && sums.cacheReadTokens === null ? t("usage.notReported") : "–"}</span>;
}

function costTitle(sums: PricedSums, t: Translate, language: Language): string | undefined {
  const exact = sums.costMicroUsd === null ? null : exactMoney(sums.costMicroUsd, language);
  const without = sums.unpricedRequests > 0 ? t("usage.withoutPrice", { count: sums.unpricedRequests }) : null;
  return [exact, without].filter((part) => part !== null).join(", ") || undefined;
}

function valueIn(row: UsageRow, column: Column, t: Translate): number | string | null {
  if (column === "name") return rowName(row, t);
  return column === "cacheShare" ? cacheShare(row) : row[column];
}

function fileName(report: UsageReport, ending: string): string {
  const end = new Date(Math.min(report.to - 1, Date.now()));
  const day = [end.getFullYear(), end.getMonth() + 1, end.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `cardloom-usage-${report.by}-${day}.${ending}`;
}
