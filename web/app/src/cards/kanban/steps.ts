import type { KanbanColumn, KanbanContent, KanbanTask, TaskStatus } from "../../wire/records";
import { changed, inserted, moved } from "../parts/lists";
import { addedItem } from "../todo/steps";

/** Longest title of a column and name of an assignee, in UTF-16 units. */
export const columnChars = 64;
export const assigneeChars = 128;

export type KanbanStep =
  | { do: "addTask"; text: string; column: string; index?: number }
  | { do: "updateTask"; id: string; text?: string; baseText?: string; assignee?: string | null; status?: TaskStatus }
  | { do: "moveTask"; id: string; column: string; index: number }
  | { do: "removeTask"; id: string }
  | { do: "addColumn"; title: string; index?: number }
  | { do: "renameColumn"; id: string; title: string }
  | { do: "moveColumn"; id: string; index: number }
  | { do: "removeColumn"; id: string };

/** The board after a step, as the server will have it; `mark` names what the server has not named yet. */
export function afterKanbanStep(board: KanbanContent, step: KanbanStep, mark: string): KanbanContent {
  const { columns, tasks } = board;
  switch (step.do) {
    case "addTask": {
      const task: KanbanTask = { id: mark, text: step.text, status: "pending", column: step.column };
      return { columns, tasks: placed([...tasks, task], task.id, step.column, step.index) };
    }
    case "updateTask":
      return { columns, tasks: changed(tasks, step.id, taskFields(step)) };
    case "moveTask":
      return { columns, tasks: placed(tasks, step.id, step.column, step.index) };
    case "removeTask":
      return { columns, tasks: tasks.filter((task) => task.id !== step.id) };
    case "addColumn":
      return { columns: inserted(columns, { id: mark, title: step.title }, step.index), tasks };
    case "renameColumn":
      return { columns: changed(columns, step.id, { title: step.title }), tasks };
    case "moveColumn":
      return { columns: moved(columns, step.id, step.index), tasks };
    case "removeColumn":
      return withoutColumn(board, step.id);
  }
}

function taskFields(step: Extract<KanbanStep, { do: "updateTask" }>): Partial<KanbanTask> {
  return {
    ...(step.text === undefined ? {} : { text: step.text }),
    ...(step.status === undefined ? {} : { status: step.status }),
    ...(step.assignee === undefined ? {} : { assignee: step.assignee || undefined }),
  } as Partial<KanbanTask>;
}

/** The tasks with one standing at an index of a column, counted without it. */
function placed(tasks: readonly KanbanTask[], id: string, column: string, index?: number): KanbanTask[] {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) return [...tasks];
  const rest = tasks.filter((each) => each.id !== id);
  const next = index === undefined ? undefined : tasksOf(rest, column)[index];
  const at = next === undefined ? rest.length : rest.indexOf(next);
  return inserted(rest, { ...task, column }, at);
}

function withoutColumn({ columns, tasks }: KanbanContent, id: string): KanbanContent {
  const rest = columns.filter((column) => column.id !== id);
  const heir = rest[0];
  if (heir === undefined) return { columns, tasks };
  return { columns: rest, tasks: tasks.map((task) => (task.column === id ? { ...task, column: heir.id } : task)) };
}

export function tasksOf(tasks: readonly KanbanTask[], column: string): KanbanTask[] {
  return tasks.filter((task) => task.column === column);
}

/** The column that an addition made. */
export function addedColumn(
  before: readonly KanbanColumn[],
  now: readonly KanbanColumn[],
  title: string,
): KanbanColumn | undefined {
  const named = (columns: readonly KanbanColumn[]) => columns.map(({ id, title: text }) => ({ id, text }));
  const added = addedItem(named(before), named(now), title);
  return now.find((column) => column.id === added?.id);
}
