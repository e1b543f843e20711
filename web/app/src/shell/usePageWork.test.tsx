import { renderHook, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { openPage } from "../../tests/page";
import { revealed } from "../canvas/viewport";
import { usePageWork } from "./usePageWork";

const COPY = { writeId: "x1", cardId: "c", name: "Own Card", text: "npm test" };

async function atWork(writeText: (text: string) => Promise<void>) {
  Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  const page = await openPage();
  renderHook(() => usePageWork(page.session));
  return page;
}

test("a text goes to the clipboard, and person and server learn of it", async () => {
  const writeText = vi.fn(() => Promise.resolve());
  const page = await atWork(writeText);
  await page.event("clipboard.write", COPY);
  expect(writeText).toHaveBeenCalledWith("npm test");
  expect(page.socket.call("clipboard.written").params).toEqual({ writeId: "x1", ok: true });
  expect(page.session.toasts.shown.get()).toMatchObject([{ message: "Text copied to the clipboard", from: "Own Card" }]);
});

test("a browser that refuses is told to the person, and to the server with its reason", async () => {
  const page = await atWork(() => Promise.reject(new Error("Document is not focused.")));
  await page.event("clipboard.write", COPY);
  await waitFor(() => page.socket.call("clipboard.written"));
  expect(page.socket.call("clipboard.written").params).toEqual({
    writeId: "x1",
    ok: false,
    reason: "Document is not focused.",
  });
  expect(page.session.toasts.shown.get()).toMatchObject([{ from: "Own Card", tone: "warning" }]);
});

test("a card of this workspace is brought into view, one of another is not", async () => {
  const page = await atWork(() => Promise.resolve());
  revealed.set(null);
  await page.event("canvas.focus", { workspaceId: "w2", cardId: "c2" });
  expect(revealed.get()).toBeNull();
  await page.event("canvas.focus", { workspaceId: "w1", cardId: "c1" });
  expect(revealed.get()).toEqual({ cardId: "c1" });
});

test("a card that asks for its settings gets its form", async () => {
  const page = await atWork(() => Promise.resolve());
  await page.event("card.openSettings", { cardId: "c1", name: "Own Card" });
  expect(page.session.ui.get().settingsOf).toBe("c1");
});
