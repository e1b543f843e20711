import type { Translate } from "../contract";
import styles from "./parts.module.css";

export interface TextConflict {
  id: string;
  mine: string;
  theirs: string;
}

interface ConflictNoteProps {
  conflict: TextConflict;
  t: Translate;
  onMine(): void;
  onTheirs(): void;
}

/** Says that a short text was changed elsewhere meanwhile and lets the person pick one of the two. */
export function ConflictNote({ conflict, t, onMine, onTheirs }: ConflictNoteProps) {
  return (
    <div role="alert" className={`${styles.conflictNote ?? ""} nodrag`}>
      <p>{t("conflict.short", { theirs: conflict.theirs, mine: conflict.mine })}</p>
      <button type="button" className="btn" onClick={onMine}>
        {t("conflict.keepMine")}
      </button>
      <button type="button" className="btn" onClick={onTheirs}>
        {t("conflict.keepTheirs")}
      </button>
    </div>
  );
}
