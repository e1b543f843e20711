import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { framed, note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { useSession } from "../shell/context";
import { openCardMenu } from "./cardMenu";
import { contextMenu } from "./contextMenu";

const OWN = { items: [{ id: "ask", label: "Ask me" }] };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  contextMenu.set(null);
});
afterEach(() => vi.useRealTimers());

function Cards() {
  const session = useSession();
  return ["a", "b"].map((id) => <div key={id} data-testid={id} onContextMenu={(event) => openCardMenu(session, id, event)} />);
}

async function openCards() {
  const page = await openPage({ cards: [note("a"), framed("b")] });
  render(<Cards />, { wrapper: page.wrapper });
  return page;
}

/** The ids of the entries that a person sees, null while no menu shows. */
function shown(): string[] | null {
  const menu = contextMenu.get();
  return menu === null || menu.awaited === true ? null : menu.entries.map((entry) => entry.id);
}

const pressRight = (id: string) => fireEvent.contextMenu(screen.getByTestId(id));

test("a card's menu opens once with what the card put on top", async () => {
  const { answer } = await openCards();
  pressRight("b");
  expect(shown()).toBeNull();
  await answer("card.menu", OWN);
  expect(shown()?.slice(0, 3)).toEqual(["own-ask", "own-line", "rename"]);
});

test("entries that come after the wait push none that is shown", async () => {
  const { answer } = await openCards();
  pressRight("b");
  vi.advanceTimersByTime(250);
  const before = shown();
  expect(before?.[0]).toBe("rename");
  await answer("card.menu", OWN);
  expect(shown()).toEqual([...(before ?? []), "own-line", "own-ask"]);
});

test("a card without entries of its own has its menu as soon as that is known", async () => {
  const { answer } = await openCards();
  pressRight("b");
  await answer("card.menu", { items: [] });
  expect(shown()?.[0]).toBe("rename");
});

test("a menu that was opened meanwhile stays", async () => {
  const { answer } = await openCards();
  pressRight("b");
  pressRight("a");
  const other = contextMenu.get();
  await answer("card.menu", OWN);
  vi.advanceTimersByTime(250);
  expect(contextMenu.get()).toBe(other);
  expect(shown()?.[0]).toBe("rename");
});
