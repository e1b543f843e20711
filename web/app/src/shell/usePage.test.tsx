import { renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { openPage } from "../../tests/page";
import { usePage } from "./usePage";

afterEach(() => vi.unstubAllGlobals());

test("a page says its language and connects at once when somebody comes back, until it goes", async () => {
  vi.stubGlobal("matchMedia", () => new EventTarget());
  const { session, event } = await openPage();
  const retryNow = vi.spyOn(session.client, "retryNow");
  const { result, unmount } = renderHook(() => usePage(session));
  expect(result.current).toBe("online");
  expect(document.documentElement.lang).toBe("en");
  await event("preferences.changed", { language: "zh", scheme: "dark" });
  expect(document.documentElement.lang).toBe("zh");
  expect(document.documentElement.dataset["scheme"]).toBe("dark");
  window.dispatchEvent(new Event("focus"));
  window.dispatchEvent(new Event("online"));
  expect(retryNow).toHaveBeenCalledTimes(2);
  unmount();
  window.dispatchEvent(new Event("focus"));
  expect(retryNow).toHaveBeenCalledTimes(2);
});
