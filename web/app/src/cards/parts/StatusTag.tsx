import type { TaskStatus, Tone } from "../../wire/records";
import type { TextKey, Translate } from "../contract";
import styles from "./parts.module.css";

const statuses: readonly TaskStatus[] = ["pending", "active", "done", "error"];

const statusText: Record<TaskStatus, TextKey> = {
  pending: "status.pending",
  active: "status.active",
  done: "status.done",
  error: "status.error",
};

const statusTone: Record<TaskStatus, Tone> = {
  pending: "default",
  active: "accent",
  done: "success",
  error: "danger",
};

interface StatusTagProps {
  status: TaskStatus;
  /** The task's text, for the name of the control. */
  of: string;
  disabled: boolean;
  t: Translate;
  onPick(status: TaskStatus): void;
}

/** The state of a task as a small tag that is also the list to pick another from. */
export function StatusTag({ status, of, disabled, t, onPick }: StatusTagProps) {
  return (
    <select
      className={`${styles.statusTag ?? ""} nodrag`}
      data-tone={statusTone[status]}
      data-status={status}
      aria-label={t("status.of", { text: of })}
      title={t("status.of", { text: of })}
      disabled={disabled}
      value={status}
      onChange={(event) => onPick(event.target.value as TaskStatus)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" && !event.altKey) event.stopPropagation();
      }}
    >
      {statuses.map((each) => (
        <option key={each} value={each}>
          {t(statusText[each])}
        </option>
      ))}
    </select>
  );
}
