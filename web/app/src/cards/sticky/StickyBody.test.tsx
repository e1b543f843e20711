import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { translator } from "../../i18n/catalogue";
import { showCard } from "../testing/cardHost";

type Edit = { title?: string | null; color?: string };

function showSticky(edit?: () => never) {
  const shown = showCard(
    { kind: "sticky", title: "Ship Friday", name: "Ship Friday", content: { color: "yellow" } },
    {
      "sticky.edit": ({ title, color }: Edit) => {
        edit?.();
        shown.patch({
          ...(title === undefined ? {} : { title }),
          ...(color === undefined ? {} : { content: { color } }),
        });
        return shown.card();
      },
    },
  );
  return shown;
}

test("double-click edits the words, Enter keeps them", async () => {
  const { user, card } = showSticky();
  await user.dblClick(screen.getByText("Ship Friday"));
  await user.clear(screen.getByRole("textbox", { name: "Sticky text" }));
  await user.keyboard("Ship Monday{Enter}");
  expect(card().title).toBe("Ship Monday");
  expect(screen.getByText("Ship Monday")).toBeDefined();
});

test("Escape drops the change", async () => {
  const { user, calls } = showSticky();
  await user.dblClick(screen.getByText("Ship Friday"));
  await user.keyboard("no{Escape}");
  expect(calls).toEqual([]);
  expect(screen.getByText("Ship Friday")).toBeDefined();
});

test("emptied words leave the sticky without a title", async () => {
  const { user, card } = showSticky();
  await user.dblClick(screen.getByText("Ship Friday"));
  await user.clear(screen.getByRole("textbox", { name: "Sticky text" }));
  await user.keyboard("{Enter}");
  expect(card().title).toBeNull();
  expect(screen.getByText("Write something")).toBeDefined();
});

test("a colour is picked, and can be undone and redone", async () => {
  const { user, card, undos } = showSticky();
  await user.click(screen.getByRole("button", { name: "Blue" }));
  expect(card().content).toEqual({ color: "blue" });
  expect(screen.getByRole("button", { name: "Blue" }).getAttribute("aria-pressed")).toBe("true");
  await act(async () => undos[0]?.undo());
  expect(card().content).toEqual({ color: "yellow" });
  await act(async () => undos[0]?.redo());
  expect(card().content).toEqual({ color: "blue" });
});

test("a refused change goes back and is told", async () => {
  const { user, toasts } = showSticky(() => {
    throw new Error("the server is away");
  });
  await user.click(screen.getByRole("button", { name: "Blue" }));
  expect(screen.getByRole("button", { name: "Yellow" }).getAttribute("aria-pressed")).toBe("true");
  expect(toasts()).toEqual(["Change colour in “Ship Friday” did not work: the server is away"]);
  expect(toasts(translator("ru"))).toEqual(["«Ship Friday»: Смена цвета — не вышло: the server is away"]);
});
