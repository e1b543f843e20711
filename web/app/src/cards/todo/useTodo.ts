import type { TodoCard, TodoItem } from "../../wire/records";
import type { CardApi, TextKey } from "../contract";
import { carriedOver } from "../parts/lists";
import { contentNow, useEdits, type Editing, type Outcome } from "../parts/useEdits";
import { addedItem, afterTodoStep, type TodoStep } from "./steps";

type Answer = { revision: number; items: TodoItem[] } | { conflict: { text: string } };

function todoEditing(api: CardApi, card: TodoCard): Editing<readonly TodoItem[], TodoStep> {
  return {
    apply: afterTodoStep,
    arrived: (items, step, before) => step.do === "add" && addedItem(before, items, step.text) !== undefined,
    settled(before, step, answered) {
      const added = step.do === "add" ? addedItem(before, answered, step.text) : undefined;
      return afterTodoStep(before, step, added?.id ?? "");
    },
    async send(op) {
      const answer = await api.call<Answer>("todo.edit", { cardId: card.id, op });
      if ("conflict" in answer) return { conflict: answer.conflict.text };
      return { revision: answer.revision, content: answer.items };
    },
    async replay(from, to) {
      const { items } = await contentNow<{ items: TodoItem[] }>(api, card.workspaceId, card.id);
      const op = { do: "replace", items: carriedOver(from, to, items) };
      await api.call("todo.edit", { cardId: card.id, op });
    },
  };
}

/** The items of a list as shown, and the way to change them. */
export function useTodo(
  api: CardApi,
  card: TodoCard,
): { shown: readonly TodoItem[]; run(step: TodoStep, what: TextKey): Promise<Outcome> } {
  const stored = { revision: card.revision, content: card.content.items };
  return useEdits(api, card.name, stored, todoEditing(api, card));
}
