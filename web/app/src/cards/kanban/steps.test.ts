import { describe, expect, test } from "vitest";
import type { KanbanContent, KanbanTask } from "../../wire/records";
import { afterKanbanStep } from "./steps";

const task = (id: string, column: string): KanbanTask => ({ id, text: id, status: "pending", column });
const board: KanbanContent = {
  columns: [
    { id: "one", title: "One" },
    { id: "two", title: "Two" },
  ],
  tasks: [task("a", "one"), task("x", "two"), task("b", "one"), task("y", "two")],
};
const order = ({ tasks }: KanbanContent, column: string) =>
  tasks.flatMap((each) => (each.column === column ? [each.id] : [])).join("");

describe("a step on a board", () => {
  test("moves a task to an index among the tasks of its new column", () => {
    const after = afterKanbanStep(board, { do: "moveTask", id: "a", column: "two", index: 1 }, "");
    expect([order(after, "one"), order(after, "two")]).toEqual(["b", "xay"]);
  });

  test("counts the index without the task itself", () => {
    const after = afterKanbanStep(board, { do: "moveTask", id: "a", column: "one", index: 1 }, "");
    expect(order(after, "one")).toBe("ba");
  });

  test("adds a task at the end of its column", () => {
    expect(order(afterKanbanStep(board, { do: "addTask", text: "new", column: "one" }, "n"), "one")).toBe("abn");
  });

  test("gives the tasks of a removed column to the first one left", () => {
    expect(order(afterKanbanStep(board, { do: "removeColumn", id: "one" }, ""), "two")).toBe("axby");
  });

  test("never removes the last column", () => {
    const single = { columns: board.columns.slice(0, 1), tasks: [] };
    expect(afterKanbanStep(single, { do: "removeColumn", id: "one" }, "")).toEqual(single);
  });

  test("takes the assignee away with null", () => {
    const assigned = { ...board, tasks: [{ ...task("a", "one"), assignee: "Ann" }] };
    const [first] = afterKanbanStep(assigned, { do: "updateTask", id: "a", assignee: null }, "").tasks;
    expect(first).toEqual(task("a", "one"));
  });
});
