import type { Translate } from "../contract";
import styles from "./note.module.css";

interface NoteConflictProps {
  mine: string;
  theirs: string;
  t: Translate;
  onChoose(choice: "mine" | "theirs" | "both"): void;
}

/** Two texts that changed the same place, side by side, until the person says which one stays. */
export function NoteConflict({ mine, theirs, t, onChoose }: NoteConflictProps) {
  return (
    <section className={styles.conflict} role="alert" aria-label={t("conflict.title")}>
      <p>{t("conflict.title")}</p>
      <div className={styles.sides}>
        <figure>
          <figcaption>{t("conflict.mine")}</figcaption>
          <pre className="nowheel nodrag" tabIndex={0}>
            {mine}
          </pre>
        </figure>
        <figure>
          <figcaption>{t("conflict.theirs")}</figcaption>
          <pre className="nowheel nodrag" tabIndex={0}>
            {theirs}
          </pre>
        </figure>
      </div>
      <div className={`${styles.choices ?? ""} nodrag`}>
        <button type="button" className="btn" onClick={() => onChoose("mine")}>
          {t("conflict.keepMine")}
        </button>
        <button type="button" className="btn" onClick={() => onChoose("theirs")}>
          {t("conflict.keepTheirs")}
        </button>
        <button type="button" className="btn is-primary" onClick={() => onChoose("both")}>
          {t("conflict.keepBoth")}
        </button>
      </div>
    </section>
  );
}
