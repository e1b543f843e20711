import type { TaskStatus, TodoItem } from "../../wire/records";
import { changed, inserted, moved } from "../parts/lists";

/** Longest text of an item or a task, in UTF-16 units. */
export const taskChars = 500;

export type TodoStep =
  | { do: "add"; text: string; status?: TaskStatus; index?: number }
  | { do: "update"; id: string; text?: string; baseText?: string; status?: TaskStatus }
  | { do: "remove"; id: string }
  | { do: "move"; id: string; index: number }
  | { do: "clearDone" };

/** The items after a step, as the server will have them; `mark` names an item the server has not named yet. */
export function afterTodoStep(items: readonly TodoItem[], step: TodoStep, mark: string): TodoItem[] {
  switch (step.do) {
    case "add":
      return inserted(items, { id: mark, text: step.text, status: step.status ?? "pending" }, step.index);
    case "update":
      return changed(items, step.id, {
        ...(step.text === undefined ? {} : { text: step.text }),
        ...(step.status === undefined ? {} : { status: step.status }),
      });
    case "remove":
      return items.filter((item) => item.id !== step.id);
    case "move":
      return moved(items, step.id, step.index);
    case "clearDone":
      return items.filter((item) => item.status !== "done");
  }
}

/** The item that an addition made, found among those that were not there before. */
export function addedItem<T extends { id: string; text: string }>(
  before: readonly T[],
  now: readonly T[],
  text: string,
): T | undefined {
  const known = new Set(before.map((item) => item.id));
  return now.find((item) => !known.has(item.id) && item.text === text);
}

export function openCount(items: readonly TodoItem[]): number {
  return items.filter((item) => item.status !== "done").length;
}
