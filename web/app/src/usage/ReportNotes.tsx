import type { TextKey } from "../i18n/catalogue";
import { ago } from "../panels/format";
import { useNow } from "../panels/useNow";
import { useT } from "../shell/context";
import type { UsageReport } from "../wire/records";
import styles from "./page.module.css";

const REASONS: Readonly<Record<string, TextKey>> = {
  malformed: "skip.malformed",
  "without a time": "skip.untimed",
  "line too long": "skip.tooLong",
  "copied history without an end": "skip.copied",
  "dated in the future": "skip.future",
  "tables of an unknown version": "skip.tables",
  "last line without an end": "skip.unfinished",
  "a name that is no UTF-8": "skip.noText",
  "not a database": "skip.noDatabase",
  "locked by another program": "skip.locked",
  "database disk image is malformed": "skip.damaged",
  "damaged in the index": "skip.index",
  "Permission denied": "skip.permission",
  "Too many levels of symbolic links": "skip.links",
  "No such file or directory": "skip.gone",
};

/** What the numbers rest on: what is not known, the prices, and when the logs were read. */
export function ReportNotes({ report }: { report: UsageReport }) {
  const t = useT();
  const now = useNow();
  const { unpricedRequests } = report.total;
  return (
    <footer className={styles["notes"]}>
      {report.partial ? (
        <div className="notice tone-warning" role="note">
          <b>{t("usage.partial")}</b>
          {unpricedRequests > 0 ? <p>{t("usage.partialPrice", { count: unpricedRequests })}</p> : null}
          {report.skipped > 0 ? (
            <>
              <p>{t("usage.skipped", { count: report.skipped })}</p>
              <ul>
                {report.skips.map(({ harness, reason, count }) => {
                  const known = REASONS[reason];
                  return (
                    <li key={`${harness}\n${reason}`}>
                      <code>{harness}</code>: {known === undefined ? reason : t(known)} × {count}
                    </li>
                  );
                })}
              </ul>
            </>
          ) : null}
        </div>
      ) : null}
      <p className="muted">
        {t("usage.prices", { version: report.prices })} {t("usage.pricesHint")}{" "}
        {report.scannedAt === null ? t("usage.neverScanned") : t("usage.scanned", { ago: ago(report.scannedAt, now, t) })}
      </p>
    </footer>
  );
}
