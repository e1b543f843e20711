import { renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { openPage } from "../../tests/page";
import { useNarrowWindow } from "./useNarrowWindow";

afterEach(() => vi.unstubAllGlobals());

function aWindow(narrow: boolean) {
  const query = Object.assign(new EventTarget(), { matches: narrow });
  vi.stubGlobal("matchMedia", () => query);
  return (matches: boolean) => {
    query.matches = matches;
    query.dispatchEvent(new Event("change"));
  };
}

test("columns are put away when a window becomes too narrow for them, and not again while it stays so", async () => {
  const becomes = aWindow(false);
  const { session } = await openPage();
  session.ui.update((ui) => ({ ...ui, filesOpen: true, agentsOpen: true }));
  const { unmount } = renderHook(() => useNarrowWindow(session));
  expect(session.ui.get()).toMatchObject({ inspectorOpen: true, filesOpen: true, agentsOpen: true });
  becomes(true);
  expect(session.ui.get()).toMatchObject({ inspectorOpen: false, filesOpen: false, agentsOpen: false });
  session.ui.update((ui) => ({ ...ui, inspectorOpen: true }));
  becomes(false);
  expect(session.ui.get().inspectorOpen).toBe(true);
  unmount();
  becomes(true);
  expect(session.ui.get().inspectorOpen).toBe(true);
});

test("a page that opens in a narrow window shows its canvas, not a column over it", async () => {
  aWindow(true);
  const { session } = await openPage();
  renderHook(() => useNarrowWindow(session));
  expect(session.ui.get().inspectorOpen).toBe(false);
});
