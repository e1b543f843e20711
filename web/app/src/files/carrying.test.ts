import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { note, port } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { carryFile } from "./carrying";

type Page = Awaited<ReturnType<typeof openPage>>;
let page: Page;

beforeEach(async () => {
  page = await openPage({
    cards: [note("Notes"), note("Radar", { ports: { inputs: [port("spot", "ns:file-ref")], outputs: [] } })],
  });
  carryFile(page.session, { path: "a.txt" }, { x: 0, y: 0 });
});

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

/** jsdom lays nothing out, so the test says what lies under the pointer. */
function moveOver(cardId: string | null, x = 50) {
  const card = document.createElement("div");
  if (cardId !== null) card.dataset["cardId"] = cardId;
  document.elementsFromPoint = () => [card];
  window.dispatchEvent(new MouseEvent("pointermove", { clientX: x, clientY: 0 }));
}

const letGo = () => window.dispatchEvent(new MouseEvent("pointerup"));
const sent = () => page.socket.calls.filter((call) => call.method === "ports.deliver").map((call) => call.params["to"]);

test("a file let go over a card that takes it is sent there", () => {
  moveOver("Radar");
  expect(page.session.ui.get().carrying).toEqual({ ref: { path: "a.txt" }, targetId: "Radar" });
  letGo();
  expect(sent()).toEqual(["Radar"]);
  expect(page.session.ui.get().carrying).toBeNull();
});

test("a card that takes no file says why and gets nothing", () => {
  moveOver("Notes");
  letGo();
  expect(sent()).toEqual([]);
  expect(page.session.toasts.shown.get()).toMatchObject([{ message: "Notes takes no file, only markdown", tone: "warning" }]);
});

test("a press with a trembling hand, an empty place and Escape send nothing", () => {
  moveOver("Radar", 3);
  letGo();
  carryFile(page.session, { path: "a.txt" }, { x: 0, y: 0 });
  moveOver(null);
  letGo();
  carryFile(page.session, { path: "a.txt" }, { x: 0, y: 0 });
  moveOver("Radar");
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  letGo();
  expect(sent()).toEqual([]);
});

test("the focus that a press takes from elsewhere does not end the drag, a window that is left does", () => {
  const field = document.body.appendChild(document.createElement("input"));
  field.dispatchEvent(new FocusEvent("blur"));
  moveOver("Radar");
  expect(page.session.ui.get().carrying?.targetId).toBe("Radar");
  window.dispatchEvent(new FocusEvent("blur"));
  expect(page.session.ui.get().carrying).toBeNull();
});

test("without the server nothing is carried", async () => {
  await page.socket.lose();
  moveOver("Radar");
  letGo();
  expect(sent()).toEqual([]);
  expect(page.session.toasts.shown.get()).toMatchObject([{ tone: "warning" }]);
});
