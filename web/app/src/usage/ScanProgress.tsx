import { ProgressBar } from "../cards/parts/ProgressBar";
import { size } from "../panels/format";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import styles from "./page.module.css";

/** How far a scan is; before the first word of it, that there is one. */
export function ScanProgress({ waiting }: { waiting: boolean }) {
  const session = useSession();
  const t = useT();
  const progress = useStore(session.usage.progress, (known) => known);
  if (progress === null && !waiting) return null;
  const label =
    progress === null ? t("usage.reading") : t("usage.progress", { done: size(progress.done, t), total: size(progress.total, t) });
  return (
    <div className={styles["scan"]} role="status">
      <span>
        {progress === null ? <i className="spinner" /> : null} {label}
      </span>
      {progress === null ? null : <ProgressBar progress={progress.done / Math.max(1, progress.total)} tone="accent" label={label} />}
      <small className="muted">{t("usage.firstTime")}</small>
    </div>
  );
}
