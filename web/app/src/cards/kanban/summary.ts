import type { KanbanCard } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";
import { tasksOf } from "./steps";

/** How many tasks stand in each column, from far away. */
export function kanbanOverview(card: KanbanCard, t: Translate): OverviewText {
  const { columns, tasks } = card.content;
  const counts = columns.map((column) => `${column.title} ${String(tasksOf(tasks, column.id).length)}`);
  return {
    primary: t("kanban.tasks", { count: tasks.length }),
    secondary: counts.join(" · "),
    tone: tasks.some((task) => task.status === "error") ? "danger" : "default",
  };
}
