import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { framed, note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { useSession } from "../shell/context";
import type { Card } from "../wire/records";
import { openCardMenu } from "./cardMenu";
import { contextMenu } from "./contextMenu";
import { usePresence, visibilities } from "./presence";

const view = { x: 0, y: 0, w: 1000, h: 800 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("matchMedia", () => new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a card is seen, seen as a tile, or out of sight", () => {
  const cards = [note("in", { x: 10, y: 10 }), note("edge", { x: 990, y: 10 }), note("out", { x: 2000, y: 0 })];
  expect([...visibilities(cards, view, false).values()]).toEqual(["visible", "visible", "hidden"]);
  expect([...visibilities(cards, view, true).values()]).toEqual(["overview", "overview", "hidden"]);
});

function Shown() {
  const session = useSession();
  const box = useRef<HTMLDivElement>(null);
  usePresence(box);
  return <div ref={box} data-testid="b" onContextMenu={(event) => openCardMenu(session, "b", event)} />;
}

async function openCanvas(...cards: Card[]) {
  const page = await openPage({ cards });
  render(
    <ReactFlowProvider>
      <Shown />
    </ReactFlowProvider>,
    { wrapper: page.wrapper },
  );
  const told = () =>
    page.socket.calls
      .filter((call) => call.method === "client.presence")
      .map((call) => (call.params["cards"] as { cardId: string }[]).map((card) => card.cardId).join(" "));
  let seq = 1;
  const added = (card: Card) => {
    seq += 1;
    return page.event("canvas.changed", { workspaceId: "w1", seq, by: null, changes: [{ op: "putCard", card }] });
  };
  return { ...page, told, added };
}

test("a new card is told of at once, and no more is told within 700 ms", async () => {
  const { told, added } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  expect(told()).toEqual(["a"]);
  await added(note("b"));
  vi.advanceTimersByTime(600);
  expect(told()).toEqual(["a"]);
  vi.advanceTimersByTime(100);
  expect(told()).toEqual(["a", "a b"]);
  vi.advanceTimersByTime(5000);
  await added(note("c"));
  vi.advanceTimersByTime(0);
  expect(told()).toEqual(["a", "a b", "a b c"]);
});

test("a card in sight is told of before its menu is chosen from or its frame begins", async () => {
  const { session, socket, told, added, answer } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  await added(framed("b"));
  fireEvent.contextMenu(screen.getByTestId("b"));
  await answer("card.menu", { items: [{ id: "ask", label: "Ask me" }] });
  const entry = contextMenu.get()?.entries.find((one) => one.id === "own-ask");
  if (entry === undefined || !("run" in entry)) throw new Error("the card's own entry is not in its menu");
  entry.run();
  expect(socket.calls.slice(-2).map((call) => call.method)).toEqual(["client.presence", "card.chooseMenu"]);
  expect(told()).toEqual(["a", "a b"]);
  await added(framed("c"));
  session.frames.show("c", document.body);
  expect(socket.calls.slice(-2).map((call) => call.method)).toEqual(["client.presence", "card.mount"]);
  expect(told().at(-1)).toBe("a b c");
});

test.each(["sticky.edit", "note.edit", "todo.edit", "kanban.edit", "ports.deliver", "canvas.connect", "card.setSettings"] as const)(
  "a card in sight is told of before %s, whose value it may pass on to what asks",
  async (method) => {
    const { session, told, added } = await openCanvas(note("a"));
    vi.advanceTimersByTime(0);
    await added(note("b"));
    session.client.call(method, {}).catch(() => undefined);
    expect(told()).toEqual(["a", "a b"]);
  },
);

test("what was told is not told again, and other calls tell nothing", async () => {
  const { session, told, added } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  session.client.call("sticky.edit", {}).catch(() => undefined);
  await added(note("b"));
  session.client.call("terminal.ack", {}).catch(() => undefined);
  expect(told()).toEqual(["a"]);
});

test("what the server refused to hear is told again, and no more once it was heard", async () => {
  const { socket, told, answer } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  await socket.refuse("client.presence", "RATE_LIMITED");
  vi.advanceTimersByTime(700);
  expect(told()).toEqual(["a", "a"]);
  await answer("client.presence", {});
  vi.advanceTimersByTime(5000);
  expect(told()).toEqual(["a", "a"]);
});

test("a canvas that is gone tells nothing, whatever was refused", async () => {
  const { socket, told } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  cleanup();
  await socket.refuse("client.presence", "RATE_LIMITED");
  expect(vi.getTimerCount()).toBe(0);
  expect(told()).toEqual(["a"]);
});

test("whoever gets the keyboard or the whole page is told of at once", async () => {
  const { session, socket, told } = await openCanvas(note("a"));
  vi.advanceTimersByTime(0);
  session.frames.focused.set("a");
  expect(told()).toHaveLength(2);
  expect(socket.call("client.presence").params["focusedCardId"]).toBe("a");
  session.frames.expanded.set("a");
  expect(told()).toHaveLength(3);
});
