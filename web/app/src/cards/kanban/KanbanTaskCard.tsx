import { useRef, useState, type KeyboardEvent } from "react";
import { UserPlusIcon, XMarkIcon } from "@heroicons/react/24/outline";
import type { KanbanTask, TaskStatus } from "../../wire/records";
import type { Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import { InlineEditor } from "../parts/InlineEditor";
import { StatusTag } from "../parts/StatusTag";
import { taskChars } from "../todo/steps";
import type { Way } from "./moves";
import { assigneeChars } from "./steps";
import styles from "./kanban.module.css";

interface KanbanTaskProps {
  task: KanbanTask;
  saving: boolean;
  dragged: boolean;
  dropBefore: boolean;
  enter: boolean;
  t: Translate;
  onText(text: string): void;
  onAssignee(name: string | null): void;
  onStatus(status: TaskStatus): void;
  onRemove(): void;
  onMove(way: Way): void;
  onFocusWay(way: Way): void;
}

const ways: Record<string, Way> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/** One task on the board. */
export function KanbanTaskCard(props: KanbanTaskProps) {
  const { task, saving, t } = props;
  const [editing, setEditing] = useState<"text" | "assignee" | null>(null);
  const row = useRef<HTMLLIElement>(null);

  function leave(byKey: boolean) {
    setEditing(null);
    if (byKey) row.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== row.current || saving || event.ctrlKey || event.metaKey) return;
    const way = ways[event.key];
    const known = way !== undefined || ["Enter", "F2", "Delete", "Backspace", "@"].includes(event.key);
    if (!known) return;
    event.preventDefault();
    event.stopPropagation();
    if (way !== undefined) return event.altKey ? props.onMove(way) : props.onFocusWay(way);
    if (event.key === "@") return setEditing("assignee");
    if (event.key === "Enter" || event.key === "F2") return setEditing("text");
    props.onRemove();
  }

  return (
    <li
      ref={row}
      className={styles.task}
      tabIndex={0}
      aria-label={task.text}
      aria-busy={saving || undefined}
      data-enter={props.enter ? "focus" : undefined}
      data-row={saving ? undefined : task.id}
      data-row-text={task.text}
      data-status={task.status}
      data-dragged={props.dragged || undefined}
      data-drop={props.dropBefore || undefined}
      onKeyDown={onKeyDown}
    >
      {editing === "text" ? (
        <InlineEditor
          value={task.text}
          label={t("kanban.edit", { text: task.text })}
          maxChars={taskChars}
          onCommit={props.onText}
          onLeave={leave}
        />
      ) : (
        <span className={styles.text} onDoubleClick={() => setEditing(saving ? null : "text")}>
          {task.text}
        </span>
      )}
      <div className={styles.tags}>
        <StatusTag status={task.status} of={task.text} disabled={saving} t={t} onPick={props.onStatus} />
        {editing === "assignee" ? (
          <AssigneeField task={task} t={t} onAssignee={props.onAssignee} onLeave={leave} />
        ) : (
          task.assignee !== undefined &&
          task.assignee !== "" && (
            <button
              type="button"
              className={`${styles.assignee ?? ""} nodrag`}
              title={t("kanban.assignee", { text: task.text })}
              onClick={() => setEditing("assignee")}
            >
              {task.assignee}
            </button>
          )
        )}
      </div>
      <span className={styles.tools}>
        {(task.assignee ?? "") === "" && (
          <IconButton
            icon={UserPlusIcon}
            label={t("kanban.assign", { text: task.text })}
            disabled={saving}
            onClick={() => setEditing("assignee")}
          />
        )}
        <IconButton
          icon={XMarkIcon}
          label={t("kanban.remove", { text: task.text })}
          disabled={saving}
          onClick={props.onRemove}
        />
      </span>
    </li>
  );
}

interface AssigneeFieldProps {
  task: KanbanTask;
  t: Translate;
  onAssignee(name: string | null): void;
  onLeave(byKey: boolean): void;
}

/** Unlike a task's text the name may be emptied: that takes the task from its assignee. */
function AssigneeField({ task, t, onAssignee, onLeave }: AssigneeFieldProps) {
  const old = task.assignee ?? "";
  const [name, setName] = useState(old);
  const over = useRef(false);

  function leave(keep: boolean, byKey: boolean) {
    if (over.current) return;
    over.current = true;
    if (keep && name.trim() !== old) onAssignee(name.trim() || null);
    onLeave(byKey);
  }

  return (
    <input
      autoFocus
      className={`${styles.assigneeField ?? ""} nodrag`}
      aria-label={t("kanban.assignee", { text: task.text })}
      placeholder={t("kanban.nobody")}
      maxLength={assigneeChars}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => leave(true, false)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") leave(true, true);
        if (event.key === "Escape") leave(false, true);
      }}
    />
  );
}
