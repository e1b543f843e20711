import { act, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { TodoCard, TodoItem } from "../../wire/records";
import { later, showCard } from "../testing/cardHost";
import { afterTodoStep, type TodoStep } from "./steps";

const item = (id: string, text: string, status: TodoItem["status"] = "pending"): TodoItem => ({ id, text, status });
const fruit = [item("1", "apples"), item("2", "pears", "error"), item("3", "plums", "done")];
type Edit = { op: TodoStep | { do: "replace"; items: TodoItem[] } };

/** A list whose server carries out what it is told and announces it first, as the real one does. */
function showTodo(items: readonly TodoItem[] = fruit, edit?: (params: Edit) => unknown) {
  let made = 0;
  const shown = showCard(
    { kind: "todo", name: "Shopping", content: { items } },
    {
      "todo.edit": (params: Edit, card) => {
        const answer = edit?.(params);
        if (answer !== undefined) return answer;
        const { op } = params;
        const now = (card as TodoCard).content.items;
        const next = op.do === "replace" ? op.items : afterTodoStep(now, op, `new-${String(++made)}`);
        const revision = card.revision + 1;
        shown.patch({ revision, content: { items: next } });
        return { revision, items: next };
      },
    },
  );
  return shown;
}
const texts = () => screen.getAllByRole("checkbox").map((box) => box.getAttribute("aria-label"));

describe("a to-do list", () => {
  test("ticks an item off", async () => {
    const { user, card } = showTodo();
    await user.click(screen.getByRole("checkbox", { name: "apples" }));
    expect((card() as TodoCard).content.items[0]?.status).toBe("done");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "apples" }).checked).toBe(true);
  });

  test("shows an item as added before the server has answered, and once after", async () => {
    const answer = later<unknown>();
    const { user, patch } = showTodo([], () => answer.promise);
    await user.type(screen.getByRole("textbox", { name: "Add item" }), "milk{Enter}");
    expect(texts()).toEqual(["milk"]);
    act(() => patch({ revision: 2, content: { items: [item("9", "milk")] } }));
    expect(texts()).toEqual(["milk"]);
    await act(async () => answer.resolve({ revision: 2, items: [item("9", "milk")] }));
    expect(texts()).toEqual(["milk"]);
  });

  test("adds a line of a paste each, and stays ready for more", async () => {
    const { user } = showTodo([]);
    const field = screen.getByRole("textbox", { name: "Add item" });
    await user.click(field);
    await user.paste("one\n\n two \n");
    await user.keyboard("{Enter}three{Enter}");
    expect(texts()).toEqual(["one", "two", "three"]);
  });

  test("takes a refused item back, keeps its text in the field, and says where and why", async () => {
    const { user, toasts } = showTodo(fruit, () => {
      throw new Error("a to-do list holds at most 200 items (todoItems)");
    });
    await user.type(screen.getByRole("textbox", { name: "Add item" }), "milk{Enter}");
    expect(texts()).toEqual(["apples", "pears", "plums"]);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Add item" }).value).toBe("milk");
    expect(toasts()).toEqual([
      "Add item in “Shopping” did not work: a to-do list holds at most 200 items (todoItems)",
    ]);
  });

  test("edits a text in place by double-click, and by Enter on its box", async () => {
    const { user, calls } = showTodo();
    await user.dblClick(screen.getByText("apples"));
    const field = screen.getByRole("textbox", { name: "Edit apples" });
    await user.clear(field);
    await user.type(field, "red apples{Enter}");
    expect(texts()).toContain("red apples");
    expect(calls[0]?.params["op"]).toEqual({ do: "update", id: "1", text: "red apples", baseText: "apples" });
    screen.getByRole("checkbox", { name: "pears" }).focus();
    await user.keyboard("{Enter}");
    expect(screen.getByRole("textbox", { name: "Edit pears" })).toBe(document.activeElement);
  });

  test("drops an edit with Escape and gives the focus back", async () => {
    const { user, calls } = showTodo();
    screen.getByRole("checkbox", { name: "pears" }).focus();
    await user.keyboard("{F2}other{Escape}");
    expect(calls).toEqual([]);
    expect(screen.getByRole("checkbox", { name: "pears" })).toBe(document.activeElement);
  });

  test("moves an item with Alt and the arrow keys", async () => {
    const { user } = showTodo();
    screen.getByRole("checkbox", { name: "pears" }).focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(texts()).toEqual(["pears", "apples", "plums"]);
  });

  test("deletes an item with Delete and goes on to the next", async () => {
    const { user } = showTodo();
    screen.getByRole("checkbox", { name: "apples" }).focus();
    await user.keyboard("{Delete}");
    expect(texts()).toEqual(["pears", "plums"]);
    expect(screen.getByRole("checkbox", { name: "pears" })).toBe(document.activeElement);
  });

  test("clears what is done", async () => {
    const { user } = showTodo();
    await user.click(screen.getByRole("button", { name: "Clear done (1)" }));
    expect(texts()).toEqual(["apples", "pears"]);
    expect(screen.queryByRole("button", { name: /Clear done/ })).toBeNull();
  });

  test("sets a state by its tag", async () => {
    const { user, card } = showTodo();
    await user.selectOptions(screen.getByRole("combobox", { name: "State of pears" }), "active");
    expect((card() as TodoCard).content.items[1]?.status).toBe("active");
  });
});

test("Escape in the empty field and on a box leads back to the card", async () => {
  const { user, view } = showTodo();
  view.container.className = "react-flow__node";
  view.container.tabIndex = 0;
  for (const inside of [screen.getByRole("textbox", { name: "Add item" }), screen.getByRole("checkbox", { name: "pears" })]) {
    inside.focus();
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(view.container);
  }
});

describe("dragging an item", () => {
  /** jsdom lays nothing out: here each row is 20 pixels high, the list as long as they are. */
  function layOut() {
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
    const box = (top: number, bottom: number) => () => ({ left: 0, right: 200, top, bottom }) as DOMRect;
    rows.forEach((row, place) => (row.getBoundingClientRect = box(place * 20, place * 20 + 20)));
    screen.getByRole("list").getBoundingClientRect = box(0, rows.length * 20);
  }
  const at = (type: string, clientY: number) => new MouseEvent(type, { bubbles: true, button: 0, clientX: 50, clientY });
  const press = (text: string, y: number) => fireEvent(screen.getByText(text), at("pointerdown", y));
  const drag = (y: number) => fireEvent(window, at("pointermove", y));

  test("drops it where the pointer lets go", async () => {
    showTodo();
    layOut();
    press("apples", 10);
    drag(45);
    fireEvent(window, at("pointerup", 45));
    await expect.poll(texts).toEqual(["pears", "apples", "plums"]);
  });

  test("leaves all in place after Escape", () => {
    const { calls } = showTodo();
    layOut();
    press("apples", 10);
    drag(45);
    fireEvent.keyDown(window, { key: "Escape" });
    fireEvent(window, at("pointerup", 45));
    expect(calls).toEqual([]);
  });

  test("is not begun by a press that hardly moves", () => {
    const { calls } = showTodo();
    layOut();
    press("apples", 10);
    drag(12);
    fireEvent(window, at("pointerup", 55));
    expect(calls).toEqual([]);
  });
});

describe("undoing on a list that others edit", () => {
  test("brings a deleted item back and keeps what came meanwhile", async () => {
    const { user, undos, change } = showTodo();
    await user.click(screen.getByRole("button", { name: "Delete apples" }));
    change({ revision: 50, content: { items: [...fruit.slice(1), item("x", "figs")] } });
    await act(async () => undos[0]?.undo());
    expect(texts()).toEqual(["apples", "pears", "plums", "figs"]);
    await act(async () => undos[0]?.redo());
    expect(texts()).toEqual(["pears", "plums", "figs"]);
  });

  test("of an added item removes that one by the id the server gave", async () => {
    const { user, undos } = showTodo();
    await user.type(screen.getByRole("textbox", { name: "Add item" }), "figs{Enter}");
    await act(async () => undos[0]?.undo());
    expect(texts()).toEqual(["apples", "pears", "plums"]);
  });
});

test("a text changed elsewhere meanwhile leaves the choice to the person", async () => {
  let refused = false;
  const { user, calls } = showTodo(fruit, ({ op }) => {
    if (op.do !== "update" || refused) return undefined;
    refused = true;
    return { conflict: { text: "green apples" } };
  });
  await user.dblClick(screen.getByText("apples"));
  await user.clear(screen.getByRole("textbox", { name: "Edit apples" }));
  await user.type(screen.getByRole("textbox", { name: "Edit apples" }), "red apples{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("green apples");
  expect(alert.textContent).toContain("red apples");
  await user.click(within(alert).getByRole("button", { name: "Keep mine" }));
  expect(calls.at(-1)?.params["op"]).toEqual({ do: "update", id: "1", text: "red apples", baseText: "green apples" });
  expect(screen.queryByRole("alert")).toBeNull();
});
