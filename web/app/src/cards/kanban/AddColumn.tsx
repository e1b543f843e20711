import { useState } from "react";
import { PlusIcon } from "@heroicons/react/24/outline";
import type { Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import { InlineEditor } from "../parts/InlineEditor";
import { columnChars } from "./steps";
import styles from "./kanban.module.css";

interface AddColumnProps {
  t: Translate;
  onAdd(title: string): Promise<boolean>;
}

/** The button behind the last column that asks for a title and adds a column. */
export function AddColumn({ t, onAdd }: AddColumnProps) {
  const [asking, setAsking] = useState(false);
  return (
    <div className={styles.addColumn} data-asking={asking || undefined}>
      {asking ? (
        <InlineEditor
          value=""
          label={t("kanban.columnTitle")}
          maxChars={columnChars}
          onCommit={(title) => void onAdd(title)}
          onLeave={() => setAsking(false)}
        />
      ) : (
        <IconButton icon={PlusIcon} label={t("kanban.addColumn")} onClick={() => setAsking(true)} />
      )}
    </div>
  );
}
