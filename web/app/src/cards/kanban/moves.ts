import type { KanbanContent, KanbanTask } from "../../wire/records";
import { tasksOf, type KanbanStep } from "./steps";

/** The way of an arrow key. */
export type Way = "up" | "down" | "left" | "right";

/** The step that takes a task one place further, or null at the edge of the board. */
export function stepOf(board: KanbanContent, task: KanbanTask, way: Way): KanbanStep | null {
  const index = tasksOf(board.tasks, task.column).findIndex((each) => each.id === task.id);
  if (way === "up" || way === "down") {
    const wanted = way === "up" ? index - 1 : index + 1;
    if (wanted < 0 || wanted >= tasksOf(board.tasks, task.column).length) return null;
    return { do: "moveTask", id: task.id, column: task.column, index: wanted };
  }
  const column = besideColumn(board, task.column, way);
  if (column === null) return null;
  const room = tasksOf(board.tasks, column).length;
  return { do: "moveTask", id: task.id, column, index: Math.min(index, room) };
}

/** The task beside another; sideways the one at the same height, in the next column that holds any. */
export function neighbour(board: KanbanContent, task: KanbanTask, way: Way): KanbanTask | undefined {
  const own = tasksOf(board.tasks, task.column);
  const index = own.findIndex((each) => each.id === task.id);
  if (way === "up") return own[index - 1];
  if (way === "down") return own[index + 1];
  for (let column = besideColumn(board, task.column, way); column !== null; column = besideColumn(board, column, way)) {
    const others = tasksOf(board.tasks, column);
    if (others.length > 0) return others[Math.min(index, others.length - 1)];
  }
  return undefined;
}

function besideColumn({ columns }: KanbanContent, id: string, way: "left" | "right"): string | null {
  const place = columns.findIndex((column) => column.id === id);
  return columns[place + (way === "left" ? -1 : 1)]?.id ?? null;
}
