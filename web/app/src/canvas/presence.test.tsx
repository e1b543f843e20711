import { render } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { note } from "../../tests/makers";
import { openPage } from "../../tests/page";
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
  const box = useRef<HTMLDivElement>(null);
  usePresence(box);
  return <div ref={box} />;
}

test("a new card is told of at once, and no more is told within 700 ms", async () => {
  const { socket, event, wrapper } = await openPage({ cards: [note("a")] });
  render(
    <ReactFlowProvider>
      <Shown />
    </ReactFlowProvider>,
    { wrapper },
  );
  const told = () =>
    socket.calls
      .filter((call) => call.method === "client.presence")
      .map((call) => (call.params["cards"] as { cardId: string }[]).map((card) => card.cardId).join(" "));
  vi.advanceTimersByTime(0);
  expect(told()).toEqual(["a"]);
  await event("canvas.changed", { workspaceId: "w1", seq: 2, by: null, changes: [{ op: "putCard", card: note("b") }] });
  vi.advanceTimersByTime(600);
  expect(told()).toEqual(["a"]);
  vi.advanceTimersByTime(100);
  expect(told()).toEqual(["a", "a b"]);
  vi.advanceTimersByTime(5000);
  await event("canvas.changed", { workspaceId: "w1", seq: 3, by: null, changes: [{ op: "putCard", card: note("c") }] });
  vi.advanceTimersByTime(0);
  expect(told()).toEqual(["a", "a b", "a b c"]);
});
