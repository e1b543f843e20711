import type { Tone } from "../../wire/records";
import styles from "./parts.module.css";

/** How far something is, from 0 to 1. */
export function ProgressBar({ progress, tone, label }: { progress: number; tone: Tone; label: string }) {
  const percent = Math.round(Math.max(0, Math.min(1, progress)) * 100);
  return (
    <div
      className={styles.progress}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-tone={tone}
    >
      <i style={{ width: `${String(percent)}%` }} />
    </div>
  );
}
