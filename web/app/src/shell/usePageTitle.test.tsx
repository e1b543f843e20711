import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { openPage } from "../../tests/page";
import { usePageTitle } from "./usePageTitle";

test("a page is named by what it shows, and by the product alone while it shows nothing", async () => {
  const { wrapper } = await openPage();
  const { rerender } = renderHook(({ shown }: { shown: string | null }) => usePageTitle(shown), {
    wrapper,
    initialProps: { shown: null as string | null },
  });
  expect(document.title).toBe("Cardloom");
  rerender({ shown: "shop" });
  expect(document.title).toBe("shop · Cardloom");
});
