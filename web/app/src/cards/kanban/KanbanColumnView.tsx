import { useRef, useState, type ReactNode } from "react";
import { ArrowLeftIcon, ArrowRightIcon, TrashIcon } from "@heroicons/react/24/outline";
import type { KanbanColumn } from "../../wire/records";
import type { Translate } from "../contract";
import { AddField } from "../parts/AddField";
import { IconButton } from "../parts/IconButton";
import { InlineEditor } from "../parts/InlineEditor";
import { taskChars } from "../todo/steps";
import { columnChars } from "./steps";
import styles from "./kanban.module.css";

interface KanbanColumnProps {
  column: KanbanColumn;
  count: number;
  place: number;
  columns: number;
  saving: boolean;
  dropEnd: boolean;
  enter: boolean;
  t: Translate;
  children: ReactNode;
  onAdd(text: string): Promise<boolean>;
  onRename(title: string): void;
  onMove(by: -1 | 1): void;
  onRemove(): void;
}

/** A column: its title with what one can do to it, its tasks, and the field for another one. */
export function KanbanColumnView(props: KanbanColumnProps) {
  const { column, place, saving, t } = props;
  const [renaming, setRenaming] = useState(false);
  const title = useRef<HTMLButtonElement>(null);

  return (
    <section className={styles.column} aria-label={column.title} data-zone={saving ? undefined : column.id}>
      <header className={styles.columnHead}>
        {renaming ? (
          <InlineEditor
            value={column.title}
            label={t("kanban.renameColumn", { column: column.title })}
            maxChars={columnChars}
            onCommit={props.onRename}
            onLeave={(byKey) => {
              setRenaming(false);
              if (byKey) requestAnimationFrame(() => title.current?.focus());
            }}
          />
        ) : (
          <button
            ref={title}
            type="button"
            className={`${styles.columnTitle ?? ""} nodrag`}
            aria-label={t("kanban.renameColumn", { column: column.title })}
            title={t("kanban.renameHint")}
            disabled={saving}
            onDoubleClick={() => setRenaming(true)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== "F2") return;
              event.preventDefault();
              event.stopPropagation();
              setRenaming(true);
            }}
          >
            {column.title} <span>{props.count}</span>
          </button>
        )}
        <span className={styles.columnTools}>
          <IconButton
            icon={ArrowLeftIcon}
            label={t("kanban.columnLeft", { column: column.title })}
            disabled={saving || place === 0}
            onClick={() => props.onMove(-1)}
          />
          <IconButton
            icon={ArrowRightIcon}
            label={t("kanban.columnRight", { column: column.title })}
            disabled={saving || place === props.columns - 1}
            onClick={() => props.onMove(1)}
          />
          <IconButton
            icon={TrashIcon}
            label={t("kanban.removeColumn", { column: column.title })}
            disabled={saving || props.columns === 1}
            onClick={props.onRemove}
          />
        </span>
      </header>
      <ul className={`${styles.tasks ?? ""} nowheel`} data-scrolls="" data-drop={props.dropEnd || undefined}>
        {props.children}
      </ul>
      <AddField
        enter={props.enter}
        label={t("kanban.addTask", { column: column.title })}
        hint={t("kanban.addHint")}
        maxChars={taskChars}
        onAdd={props.onAdd}
      />
    </section>
  );
}
