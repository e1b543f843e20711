import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { note, terminal } from "../../tests/makers";
import { askAndRemove } from "../canvas/removing";
import type { Card, Dialog } from "../wire/records";
import { Questions } from "./Questions";

const ask = (id: string, name: string): Dialog => ({
  id,
  kind: "startProgram",
  workspaceId: "w1",
  cardId: "c",
  title: name,
  data: {
    name,
    packageId: "file:radar",
    version: "1.0.0",
    permissions: [{ id: "agents.output", risk: "high", reason: "Finds the failing tests." }],
  },
  deadlineAtMs: Date.now() + 60_000,
});

test("a program asks by name, says that it has the owner's rights, and names its permissions with reasons", async () => {
  const page = await openPage({ dialogs: [ask("d", "Radar")] });
  render(<Questions />, { wrapper: page.wrapper });
  expect(screen.getByRole("alertdialog", { name: "Start “Radar”?" })).toBeDefined();
  expect(screen.getByText(/with your rights/)).toBeDefined();
  expect(screen.getByText("agents.output")).toBeDefined();
  expect(screen.getByText("high risk")).toBeDefined();
  expect(screen.getByText("Finds the failing tests.")).toBeDefined();
  expect(screen.getByRole("timer").textContent).toMatch(/refused by itself in \d+ s/);
});

test("the answer is sent, and the next question comes when the server closed this one", async () => {
  const page = await openPage({ dialogs: [ask("d", "Radar"), ask("e", "Deploy")] });
  render(<Questions />, { wrapper: page.wrapper });
  fireEvent.click(screen.getByRole("button", { name: "Allow" }));
  expect(page.socket.call("dialog.answer").params).toEqual({ dialogId: "d", accepted: true });
  await page.event("dialog.closed", { dialogId: "d" });
  fireEvent.click(screen.getByRole("button", { name: "Refuse" }));
  expect(page.socket.call("dialog.answer").params).toEqual({ dialogId: "e", accepted: false });
});

test("a question answered on another page goes away here", async () => {
  const page = await openPage({ dialogs: [ask("d", "Radar")] });
  render(<Questions />, { wrapper: page.wrapper });
  await page.event("dialog.closed", { dialogId: "d" });
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

test("a card in which something runs is deleted only after a yes", async () => {
  const busy = {
    ...terminal("sh"),
    runtime: { status: "working", pid: 1, cwd: "/", command: "make", exitCode: null, cols: 80, rows: 24, integration: true, generation: 1 },
  } as Card;
  const page = await openPage({ cards: [busy, note("n")] });
  render(<Questions />, { wrapper: page.wrapper });
  act(() => askAndRemove(page.session, { cardIds: ["sh"], arrowIds: [] }));
  expect(page.socket.calls.some((call) => call.method === "canvas.removeCard")).toBe(false);
  expect(screen.getByText(/running in sh/)).toBeDefined();
  await act(async () => {
    fireEvent.click(screen.getByRole("button", { name: "End and delete" }));
    await Promise.resolve();
  });
  expect(page.socket.call("canvas.removeCard").params).toEqual({ cardId: "sh", force: true });
});

test("a card in which nothing runs is deleted without a question", async () => {
  const page = await openPage({ cards: [note("n")] });
  askAndRemove(page.session, { cardIds: ["n"], arrowIds: [] });
  await waitFor(() => expect(page.socket.call("canvas.removeCard").params).toEqual({ cardId: "n", force: true }));
});
