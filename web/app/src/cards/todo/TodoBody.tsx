import { useRef, useState } from "react";
import type { TodoItem } from "../../wire/records";
import type { CardBodyProps } from "../contract";
import type { TodoCard } from "../../wire/records";
import { AddField } from "../parts/AddField";
import { ConflictNote, type TextConflict } from "../parts/ConflictNote";
import { leaveOnEscape } from "../parts/leaving";
import { unsaved } from "../parts/useEdits";
import { useRowDrag } from "../parts/useRowDrag";
import { taskChars, type TodoStep } from "./steps";
import { TodoRow } from "./TodoRow";
import styles from "./todo.module.css";
import { useTodo } from "./useTodo";

/** A to-do list: tick, edit in place, add, reorder by pointer or keys, clear what is done. */
export function TodoBody({ card, api }: CardBodyProps<TodoCard>) {
  const { t } = api;
  const { shown: items, run } = useTodo(api, card);
  const [conflict, setConflict] = useState<TextConflict | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const drag = useRowDrag((id, place) => void run({ do: "move", id, index: place.index }, "todo.undo.move"));
  const done = items.filter((item) => item.status === "done").length;
  const others = items.filter((item) => item.id !== drag.draggedId);
  const dropAt = drag.place === null ? null : (others[drag.place.index]?.id ?? "end");

  async function setText(item: TodoItem, text: string, baseText: string) {
    const step: TodoStep = { do: "update", id: item.id, text, baseText };
    const outcome = await run(step, "todo.undo.text");
    if (!outcome.done && outcome.conflict !== null) setConflict({ id: item.id, mine: text, theirs: outcome.conflict });
  }

  function remove(item: TodoItem) {
    const place = items.findIndex((each) => each.id === item.id);
    focusBox(items[place + 1]?.id ?? items[place - 1]?.id);
    void run({ do: "remove", id: item.id }, "todo.undo.remove");
  }

  function focusBox(id: string | undefined) {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const row = rows.find((each) => each.dataset["row"] === id);
    row?.querySelector<HTMLElement>("input[type=checkbox]")?.focus();
  }

  function step(item: TodoItem, place: number, by: -1 | 1) {
    const index = place + by;
    if (index < 0 || index >= items.length) return;
    void run({ do: "move", id: item.id, index }, "todo.undo.move");
    requestAnimationFrame(() => focusBox(item.id));
  }

  return (
    <div className={styles.todo} onKeyDown={leaveOnEscape}>
      <ul
        ref={list}
        className={`${styles.list ?? ""} nowheel nodrag`}
        aria-label={t("todo.items")}
        data-zone="items"
        data-scrolls=""
        data-drop={dropAt === "end" || undefined}
        onPointerDown={drag.onPointerDown}
      >
        {items.map((item, place) => (
          <TodoRow
            key={item.id}
            item={item}
            saving={item.id.startsWith(unsaved)}
            dragged={drag.draggedId === item.id}
            dropBefore={dropAt === item.id}
            t={t}
            onText={(text) => void setText(item, text, item.text)}
            onStatus={(status) => void run({ do: "update", id: item.id, status }, "todo.undo.status")}
            onRemove={() => remove(item)}
            onStep={(by) => step(item, place, by)}
          />
        ))}
        {items.length === 0 && <li className={styles.empty}>{t("todo.empty")}</li>}
      </ul>
      {conflict !== null && (
        <ConflictNote
          conflict={conflict}
          t={t}
          onMine={() => {
            const item = items.find((each) => each.id === conflict.id);
            if (item !== undefined) void setText(item, conflict.mine, conflict.theirs);
            setConflict(null);
          }}
          onTheirs={() => setConflict(null)}
        />
      )}
      <footer className={styles.foot}>
        <AddField
          enter
          label={t("todo.add")}
          maxChars={taskChars}
          onAdd={async (text) => (await run({ do: "add", text }, "todo.undo.add")).done}
        />
        {done > 0 && (
          <button
            type="button"
            className="btn nodrag"
            onClick={() => void run({ do: "clearDone" }, "todo.undo.clear")}
          >
            {t("todo.clearDone", { count: done })}
          </button>
        )}
      </footer>
      {drag.ghost}
    </div>
  );
}
