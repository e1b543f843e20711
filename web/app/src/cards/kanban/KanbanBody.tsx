import { useRef, useState } from "react";
import type { KanbanCard, KanbanTask } from "../../wire/records";
import type { CardBodyProps } from "../contract";
import { ConflictNote, type TextConflict } from "../parts/ConflictNote";
import { leaveOnEscape } from "../parts/leaving";
import { unsaved } from "../parts/useEdits";
import { useRowDrag } from "../parts/useRowDrag";
import { AddColumn } from "./AddColumn";
import { KanbanColumnView } from "./KanbanColumnView";
import { KanbanTaskCard } from "./KanbanTaskCard";
import styles from "./kanban.module.css";
import { neighbour, stepOf, type Way } from "./moves";
import { tasksOf } from "./steps";
import { useKanban } from "./useKanban";

/** A task board: columns of tasks that the pointer or the keys move about. */
export function KanbanBody({ card, api }: CardBodyProps<KanbanCard>) {
  const { t } = api;
  const { shown: board, run } = useKanban(api, card);
  const { columns, tasks } = board;
  const [conflict, setConflict] = useState<TextConflict | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const drag = useRowDrag(
    (id, place) => void run({ do: "moveTask", id, column: place.zone, index: place.index }, "kanban.undo.move"),
  );
  const first = tasks.find((task) => task.column === columns.find((column) => tasksOf(tasks, column.id).length > 0)?.id);

  async function setText(task: KanbanTask, text: string, baseText: string) {
    const outcome = await run({ do: "updateTask", id: task.id, text, baseText }, "kanban.undo.text");
    if (!outcome.done && outcome.conflict !== null) setConflict({ id: task.id, mine: text, theirs: outcome.conflict });
  }

  function focusTask(id: string | undefined) {
    const rows = [...(root.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    rows.find((row) => row.dataset["row"] === id)?.focus();
  }

  function move(task: KanbanTask, way: Way) {
    const step = stepOf(board, task, way);
    if (step === null) return;
    void run(step, "kanban.undo.move");
    requestAnimationFrame(() => focusTask(task.id));
  }

  function remove(task: KanbanTask) {
    focusTask((neighbour(board, task, "down") ?? neighbour(board, task, "up"))?.id);
    void run({ do: "removeTask", id: task.id }, "kanban.undo.remove");
  }

  function taskCard(task: KanbanTask, dropAt: string | null) {
    return (
      <KanbanTaskCard
        key={task.id}
        task={task}
        saving={task.id.startsWith(unsaved)}
        dragged={drag.draggedId === task.id}
        dropBefore={dropAt === task.id}
        enter={task.id === first?.id}
        t={t}
        onText={(text) => void setText(task, text, task.text)}
        onAssignee={(assignee) => void run({ do: "updateTask", id: task.id, assignee }, "kanban.undo.assign")}
        onStatus={(status) => void run({ do: "updateTask", id: task.id, status }, "todo.undo.status")}
        onRemove={() => remove(task)}
        onMove={(way) => move(task, way)}
        onFocusWay={(way) => focusTask(neighbour(board, task, way)?.id)}
      />
    );
  }

  return (
    <div className={styles.kanban} onKeyDown={leaveOnEscape}>
      <div ref={root} className={`${styles.columns ?? ""} nowheel nodrag`} onPointerDown={drag.onPointerDown}>
        {columns.map((column, place) => {
          const own = tasksOf(tasks, column.id);
          const rest = own.filter((task) => task.id !== drag.draggedId);
          const index = drag.place?.zone === column.id ? drag.place.index : null;
          const dropAt = index === null ? null : (rest[index]?.id ?? "end");
          return (
            <KanbanColumnView
              key={column.id}
              column={column}
              count={own.length}
              place={place}
              columns={columns.length}
              saving={column.id.startsWith(unsaved)}
              dropEnd={dropAt === "end"}
              enter={first === undefined && place === 0}
              t={t}
              onAdd={async (text) => (await run({ do: "addTask", text, column: column.id }, "kanban.undo.add")).done}
              onRename={(title) => void run({ do: "renameColumn", id: column.id, title }, "kanban.undo.column")}
              onMove={(by) => void run({ do: "moveColumn", id: column.id, index: place + by }, "kanban.undo.column")}
              onRemove={() => void run({ do: "removeColumn", id: column.id }, "kanban.undo.removeColumn")}
            >
              {own.map((task) => taskCard(task, dropAt))}
            </KanbanColumnView>
          );
        })}
        <AddColumn t={t} onAdd={async (title) => (await run({ do: "addColumn", title }, "kanban.undo.addColumn")).done} />
      </div>
      {conflict !== null && (
        <ConflictNote
          conflict={conflict}
          t={t}
          onMine={() => {
            const task = tasks.find((each) => each.id === conflict.id);
            if (task !== undefined) void setText(task, conflict.mine, conflict.theirs);
            setConflict(null);
          }}
          onTheirs={() => setConflict(null)}
        />
      )}
      {drag.ghost}
    </div>
  );
}
