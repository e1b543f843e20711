import { act, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { KanbanCard, KanbanContent, KanbanTask } from "../../wire/records";
import { showCard } from "../testing/cardHost";
import { afterKanbanStep, type KanbanStep } from "./steps";

const task = (id: string, column: string): KanbanTask => ({ id, text: `task ${id}`, status: "pending", column });
const board: KanbanContent = {
  columns: [
    { id: "c1", title: "To do" },
    { id: "c2", title: "Doing" },
    { id: "c3", title: "Done" },
  ],
  tasks: [task("a", "c1"), task("b", "c1"), task("c", "c2")],
};
type Edit = { op: KanbanStep | ({ do: "replace" } & KanbanContent) };

function showKanban() {
  let made = 0;
  const shown = showCard(
    { kind: "kanban", name: "Board", content: board },
    {
      "kanban.edit": ({ op }: Edit, card) => {
        const { columns, tasks } =
          op.do === "replace" ? op : afterKanbanStep((card as KanbanCard).content, op, `new-${String(++made)}`);
        const revision = card.revision + 1;
        shown.patch({ revision, content: { columns, tasks } });
        return { revision, columns, tasks };
      },
    },
  );
  return shown;
}
const column = (title: string) => screen.getByRole("region", { name: title });
const tasksIn = (title: string) =>
  within(column(title))
    .queryAllByRole("listitem")
    .map((row) => row.getAttribute("aria-label"));
const taskRow = (text: string) => screen.getByRole("listitem", { name: text });

describe("a task board", () => {
  test("adds a task to the column asked for", async () => {
    const { user } = showKanban();
    await user.type(screen.getByRole("textbox", { name: "Add task to Done" }), "ship it{Enter}");
    expect(tasksIn("Done")).toEqual(["ship it"]);
  });

  test("moves a task between columns and within one by Alt and the arrow keys", async () => {
    const { user } = showKanban();
    taskRow("task b").focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(tasksIn("To do")).toEqual(["task b", "task a"]);
    taskRow("task b").focus();
    await user.keyboard("{Alt>}{ArrowRight}{/Alt}");
    expect(tasksIn("Doing")).toEqual(["task b", "task c"]);
  });

  test("goes from task to task by the arrow keys, over an empty column too", async () => {
    const { user } = showKanban();
    taskRow("task a").focus();
    await user.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(taskRow("task b"));
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(taskRow("task c"));
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(taskRow("task c"));
  });

  test("names an assignee and takes the name away again", async () => {
    const { user, calls } = showKanban();
    taskRow("task a").focus();
    await user.keyboard("@Claude{Enter}");
    await user.click(screen.getByRole("button", { name: "Claude" }));
    await user.clear(screen.getByRole("textbox", { name: "Assignee of task a" }));
    await user.keyboard("{Enter}");
    expect(calls.map((call) => (call.params["op"] as { assignee: unknown }).assignee)).toEqual(["Claude", null]);
    expect(screen.queryByRole("button", { name: "Claude" })).toBeNull();
  });

  test("adds, renames, moves and removes columns; removing keeps the tasks", async () => {
    const { user } = showKanban();
    await user.click(screen.getByRole("button", { name: "Add column" }));
    await user.type(screen.getByRole("textbox", { name: "Column title" }), "Later{Enter}");
    await user.dblClick(screen.getByRole("button", { name: "Rename column Later" }));
    await user.keyboard("Someday{Enter}");
    await user.click(screen.getByRole("button", { name: "Move Someday left" }));
    const titles = () => screen.getAllByRole("region").map((region) => region.getAttribute("aria-label"));
    expect(titles()).toEqual(["To do", "Doing", "Someday", "Done"]);
    await user.click(screen.getByRole("button", { name: "Remove column Doing" }));
    expect(titles()).toEqual(["To do", "Someday", "Done"]);
    expect(tasksIn("To do")).toEqual(["task a", "task b", "task c"]);
  });

  test("undoes the removal of a column with its tasks, and keeps a task that came meanwhile", async () => {
    const { user, undos, card, change } = showKanban();
    await user.click(screen.getByRole("button", { name: "Remove column Doing" }));
    const { columns, tasks } = (card() as KanbanCard).content;
    change({ revision: 50, content: { columns, tasks: [...tasks, task("late", "c3")] } });
    await act(async () => undos[0]?.undo());
    expect(tasksIn("Doing")).toEqual(["task c"]);
    expect(tasksIn("Done")).toEqual(["task late"]);
  });

  test("edits a task in place", async () => {
    const { user, calls } = showKanban();
    await user.dblClick(screen.getByText("task a"));
    await user.keyboard("better{Enter}");
    expect(tasksIn("To do")).toEqual(["better", "task b"]);
    expect(calls[0]?.params["op"]).toEqual({ do: "updateTask", id: "a", text: "better", baseText: "task a" });
  });
});
