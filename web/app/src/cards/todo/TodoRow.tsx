import { useRef, useState, type KeyboardEvent } from "react";
import { XMarkIcon } from "@heroicons/react/24/outline";
import type { TaskStatus, TodoItem } from "../../wire/records";
import type { Translate } from "../contract";
import { IconButton } from "../parts/IconButton";
import { InlineEditor } from "../parts/InlineEditor";
import { StatusTag } from "../parts/StatusTag";
import { taskChars } from "./steps";
import styles from "./todo.module.css";

interface TodoRowProps {
  item: TodoItem;
  /** The server has not named the item yet; until then it cannot be changed. */
  saving: boolean;
  dragged: boolean;
  dropBefore: boolean;
  t: Translate;
  onText(text: string): void;
  onStatus(status: TaskStatus): void;
  onRemove(): void;
  onStep(by: -1 | 1): void;
}

/** One item: a box to tick, its text, its state, and what the keyboard does with them. */
export function TodoRow(props: TodoRowProps) {
  const { item, saving, t } = props;
  const [editing, setEditing] = useState(false);
  const box = useRef<HTMLInputElement>(null);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.target !== box.current || saving) return;
    const action = keyAction(event);
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (action === "edit") setEditing(true);
    if (action === "remove") props.onRemove();
    if (action === "up" || action === "down") props.onStep(action === "up" ? -1 : 1);
    if (action === "previous" || action === "next") focusNeighbour(event.currentTarget, action);
  }

  return (
    <li
      className={styles.row}
      data-row={saving ? undefined : item.id}
      data-row-text={item.text}
      data-status={item.status}
      data-dragged={props.dragged || undefined}
      data-drop={props.dropBefore || undefined}
      aria-busy={saving || undefined}
      onKeyDown={onKeyDown}
    >
      <input
        ref={box}
        type="checkbox"
        className="nodrag"
        aria-label={item.text}
        checked={item.status === "done"}
        disabled={saving}
        onChange={(event) => props.onStatus(event.target.checked ? "done" : "pending")}
      />
      {editing ? (
        <div className={styles.text}>
          <InlineEditor
            value={item.text}
            label={t("todo.edit", { text: item.text })}
            maxChars={taskChars}
            onCommit={props.onText}
            onLeave={(byKey) => {
              setEditing(false);
              if (byKey) box.current?.focus();
            }}
          />
        </div>
      ) : (
        <span className={styles.text} onDoubleClick={() => setEditing(!saving)}>
          {item.text}
        </span>
      )}
      {item.assignee !== undefined && item.assignee !== "" && <span className={styles.assignee}>{item.assignee}</span>}
      <StatusTag status={item.status} of={item.text} disabled={saving} t={t} onPick={props.onStatus} />
      <span className={styles.remove}>
        <IconButton icon={XMarkIcon} label={t("todo.remove", { text: item.text })} disabled={saving} onClick={props.onRemove} />
      </span>
    </li>
  );
}

type KeyAction = "edit" | "remove" | "up" | "down" | "previous" | "next";

function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return null;
  if (event.altKey) return event.key === "ArrowUp" ? "up" : event.key === "ArrowDown" ? "down" : null;
  const actions: Record<string, KeyAction> = {
    Enter: "edit",
    F2: "edit",
    Delete: "remove",
    Backspace: "remove",
    ArrowUp: "previous",
    ArrowDown: "next",
  };
  return actions[event.key] ?? null;
}

function focusNeighbour(row: HTMLElement, where: "previous" | "next"): void {
  const other = where === "previous" ? row.previousElementSibling : row.nextElementSibling;
  other?.querySelector<HTMLElement>("input[type=checkbox]")?.focus();
}
