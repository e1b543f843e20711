import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { arrow, note, todo } from "../../tests/makers";
import type { Arrow, JournalEntry } from "../wire/records";
import { ArrowPanel } from "./ArrowPanel";

const entry = (id: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  id,
  atMs: 0,
  kind: "delivery",
  from: "n",
  output: "text",
  type: "ns:markdown",
  to: "t",
  input: "add",
  inputType: "ns:tasks",
  arrowId: "r",
  outcome: "accepted",
  code: null,
  message: null,
  sizeBytes: 12,
  chain: "7f3a99",
  hop: 2,
  cause: null,
  preview: `value ${id}`,
  bodyKept: true,
  ...more,
});

async function shown(more: Partial<Arrow> = {}) {
  const page = await openPage({ cards: [note("n"), todo("t")], arrows: [arrow("r", "n", "t", more)] });
  render(<ArrowPanel arrowId="r" />, { wrapper: page.wrapper });
  await waitFor(() => page.socket.call("journal.list"));
  return page;
}

test("an arrow says what passes, how it changes, and how it went", async () => {
  await shown({ stats: { passed: 14, dropped: 2, refused: 1, loops: 0, lastAtMs: null } });
  expect(screen.getByRole("heading", { name: "n → t" })).toBeDefined();
  expect(screen.getByText("a task for each line", { exact: false })).toBeDefined();
  expect(screen.getByText("14")).toBeDefined();
  expect(screen.getByText("20 / s")).toBeDefined();
});

test("only what went wrong is marked", async () => {
  await shown({ stats: { passed: 6, dropped: 0, refused: 1, loops: 0, lastAtMs: null } });
  expect(screen.getByText("1").className).toBe("is-trouble");
  expect(screen.getByText("0").className).toBe("");
});

test("looking at an arrow takes its warning away until more goes wrong", async () => {
  const page = await shown({ stats: { passed: 0, dropped: 2, refused: 1, loops: 0, lastAtMs: null } });
  expect(page.session.seenTrouble.get().get("r")).toBe(3);
});

test("the journal lists what passed, with the reason of a refusal", async () => {
  const page = await shown();
  await page.answer("journal.list", {
    entries: [entry(2, { outcome: "refused", code: "INVALID_PARAMS", message: "at /0/status" }), entry(1)],
    more: true,
  });
  expect(screen.getByText("INVALID_PARAMS at /0/status")).toBeDefined();
  expect(screen.getByText("value 1")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Earlier entries" }));
  expect(page.socket.call("journal.list").params).toMatchObject({ arrowId: "r", beforeId: 1 });
});

test("a new value appears while one looks, above what is there", async () => {
  const page = await shown();
  await page.answer("journal.list", { entries: [entry(1)], more: false });
  const asked = page.socket.calls.length;
  const stats = { passed: 1, dropped: 0, refused: 0, loops: 0, lastAtMs: 1 };
  const beat = { arrowId: "r", direction: "forward", stats, outcome: "accepted", type: "ns:markdown" };
  await page.event("arrow.activity", { workspaceId: "w1", arrows: [beat] });
  await waitFor(() => expect(page.socket.calls.length).toBeGreaterThan(asked));
  await page.answer("journal.list", { entries: [entry(2), entry(1)], more: false });
  expect(screen.getAllByText(/^value/).map((each) => each.textContent)).toEqual(["value 2", "value 1"]);
});

test("earlier entries asked for twice, and after newer ones came, are shown once and without a hole", async () => {
  const page = await shown();
  const values = () => screen.getAllByText(/^value/).map((each) => each.textContent);
  await page.answer("journal.list", { entries: [entry(9), entry(8)], more: true });
  fireEvent.click(screen.getByRole("button", { name: "Earlier entries" }));
  const first = page.socket.call("journal.list");
  fireEvent.click(screen.getByRole("button", { name: "Earlier entries" }));
  const older = { entries: [entry(7)], more: false };
  await page.answer("journal.list", older);
  await act(() => page.socket.say({ kind: "res", id: first.id, ok: true, result: older }));
  expect(values()).toEqual(["value 9", "value 8", "value 7"]);
});

test("an answer about newer entries that a later one overtook takes nothing away", async () => {
  const page = await shown();
  const values = () => screen.getAllByText(/^value/).map((each) => each.textContent);
  const stats = { passed: 1, dropped: 0, refused: 0, loops: 0, lastAtMs: 1 };
  const beat = { arrowId: "r", direction: "forward", stats, outcome: "accepted", type: "ns:markdown" };
  const asked = async () => {
    const count = page.socket.calls.length;
    await page.event("arrow.activity", { workspaceId: "w1", arrows: [beat] });
    await waitFor(() => expect(page.socket.calls.length).toBeGreaterThan(count));
    return page.socket.call("journal.list");
  };
  await page.answer("journal.list", { entries: [entry(1)], more: false });
  const slow = await asked();
  await asked();
  await page.answer("journal.list", { entries: [entry(3), entry(2), entry(1)], more: false });
  await act(() => page.socket.say({ kind: "res", id: slow.id, ok: true, result: { entries: [entry(2), entry(1)], more: false } }));
  expect(values()).toEqual(["value 3", "value 2", "value 1"]);
});

test("an entry of another day names the day", async () => {
  const page = await shown();
  const today = Date.now();
  await page.answer("journal.list", { entries: [entry(2, { atMs: today }), entry(1, { atMs: 1_700_000_000_000 })], more: false });
  const facts = [...document.querySelectorAll(".entry-facts")].map((each) => each.textContent ?? "");
  expect(facts[0]).toMatch(/^\d\d:\d\d:\d\d\s· /);
  expect(facts[1]).toMatch(/^Nov 1[45], 2023 \d\d:\d\d:\d\d\s· /);
});

test("an entry opens to its whole value and can be sent again", async () => {
  const page = await shown();
  await page.answer("journal.list", { entries: [entry(1)], more: false });
  fireEvent.click(screen.getByText("value 1"));
  await page.answer("journal.body", { body: { text: "whole" }, sizeBytes: 12, sha256: "00", head: null });
  expect(screen.getByLabelText("Value").textContent).toContain('"text": "whole"');
  fireEvent.click(screen.getByRole("button", { name: "Send this again" }));
  expect(page.socket.call("arrow.resend").params).toEqual({ arrowId: "r", entryId: 1 });
});

test("a reference to a file opens the file at its line, also one too long for the preview", async () => {
  const page = await shown();
  const long = `${"deep/".repeat(60)}b.ts`;
  const spot = entry(2, { type: "ns:file-ref", preview: '{"path":"src/a.ts","line":7}' });
  await page.answer("journal.list", { entries: [spot, entry(1, { type: "ns:file-ref", preview: '{"path":"deep/de' })], more: false });
  fireEvent.click(screen.getByRole("button", { name: "Open src/a.ts:7" }));
  expect(page.session.ui.get().filesOpen).toBe(true);
  expect(page.session.files.shown.get()?.ref).toEqual({ path: "src/a.ts", line: 7 });
  fireEvent.click(screen.getByText(/deep/));
  await page.answer("journal.body", { body: { path: long }, sizeBytes: 320, sha256: "00", head: null });
  fireEvent.click(screen.getByRole("button", { name: `Open ${long}` }));
  expect(page.session.files.shown.get()?.ref).toEqual({ path: long });
});

test("an arrow that a card drew waits for a yes", async () => {
  const page = await shown({ pending: true, drawnBy: { kind: "agent", id: "a" } });
  expect(screen.getByText(/carries nothing until you confirm/)).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Confirm" }));
  expect(page.socket.call("canvas.updateArrow").params).toEqual({ arrowId: "r", confirm: true });
});

test("pause, reverse and two-way are one press each", async () => {
  const page = await shown();
  fireEvent.click(screen.getByRole("button", { name: "Pause arrow" }));
  expect(page.socket.call("arrow.pause").params).toEqual({ arrowId: "r" });
  fireEvent.click(screen.getByRole("button", { name: "Reverse" }));
  expect(page.socket.call("canvas.updateArrow").params).toEqual({ arrowId: "r", direction: "backward" });
  fireEvent.click(screen.getByRole("button", { name: "Two-way" }));
  expect(page.socket.call("canvas.updateArrow").params).toEqual({ arrowId: "r", direction: "both" });
});
