import type { KanbanCard, KanbanColumn, KanbanContent, KanbanTask } from "../../wire/records";
import type { CardApi, TextKey } from "../contract";
import { carriedOver } from "../parts/lists";
import { contentNow, useEdits, type Editing, type Outcome } from "../parts/useEdits";
import { addedItem } from "../todo/steps";
import { addedColumn, afterKanbanStep, type KanbanStep } from "./steps";

type Answer = { revision: number; columns: KanbanColumn[]; tasks: KanbanTask[] } | { conflict: { text: string } };

/** The id the server gave to what a step added; undefined for steps that add nothing or are still on their way. */
function addedId(before: KanbanContent, now: KanbanContent, step: KanbanStep): string | undefined {
  if (step.do === "addTask") return addedItem(before.tasks, now.tasks, step.text)?.id;
  if (step.do === "addColumn") return addedColumn(before.columns, now.columns, step.title)?.id;
  return undefined;
}

function kanbanEditing(api: CardApi, card: KanbanCard): Editing<KanbanContent, KanbanStep> {
  return {
    apply: afterKanbanStep,
    arrived: (board, step, before) => addedId(before, board, step) !== undefined,
    settled: (before, step, answered) => afterKanbanStep(before, step, addedId(before, answered, step) ?? ""),
    async send(op) {
      const answer = await api.call<Answer>("kanban.edit", { cardId: card.id, op });
      if ("conflict" in answer) return { conflict: answer.conflict.text };
      return { revision: answer.revision, content: { columns: answer.columns, tasks: answer.tasks } };
    },
    async replay(from, to) {
      const now = await contentNow<KanbanContent>(api, card.workspaceId, card.id);
      const columns = carriedOver(from.columns, to.columns, now.columns);
      const tasks = housed(carriedOver(from.tasks, to.tasks, now.tasks), columns);
      await api.call("kanban.edit", { cardId: card.id, op: { do: "replace", columns, tasks } });
    },
  };
}

/** Tasks whose column went meanwhile move to the first one. */
function housed(tasks: readonly KanbanTask[], columns: readonly KanbanColumn[]): KanbanTask[] {
  const known = new Set(columns.map((column) => column.id));
  return tasks.map((task) => (known.has(task.column) ? task : { ...task, column: columns[0]?.id ?? task.column }));
}

/** The board as shown, and the way to change it. */
export function useKanban(
  api: CardApi,
  card: KanbanCard,
): { shown: KanbanContent; run(step: KanbanStep, what: TextKey): Promise<Outcome> } {
  const { columns, tasks } = card.content;
  const stored = { revision: card.revision, content: { columns, tasks } };
  return useEdits(api, card.name, stored, kanbanEditing(api, card));
}
