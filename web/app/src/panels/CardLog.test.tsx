import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { CardLog } from "./CardLog";

const lines = (...texts: string[]) => ({ lines: texts.map((text) => ({ atMs: 0, level: "info", text })) });
const shown = () => screen.queryAllByRole("listitem").map((item) => item.textContent.split(" ").at(-1));

async function open() {
  const page = await openPage();
  render(<CardLog cardId="c1" />, { wrapper: page.wrapper });
  return page;
}

test("a log goes on behind what was read of it, with the lines of its own card", async () => {
  const { answer, event } = await open();
  await answer("card.log", lines("one"));
  await event("card.log", { cardId: "c2", ...lines("other") });
  await event("card.log", { cardId: "c1", ...lines("two") });
  expect(shown()).toEqual(["one", "two"]);
});

test.each(["client.online", "stream.gap"])("after %s a log is read again: lines may have come unheard", async (missed) => {
  const { answer, event } = await open();
  await answer("card.log", lines("one"));
  await event(missed, {});
  await answer("card.log", lines("one", "unheard"));
  expect(shown()).toEqual(["one", "unheard"]);
});

test("a log that cannot be read again stays as it was", async () => {
  const { answer, event, socket } = await open();
  await answer("card.log", lines("one"));
  await event("stream.gap", {});
  await socket.refuse("card.log", "RATE_LIMITED");
  expect(shown()).toEqual(["one"]);
});
