import { render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import type { JournalEntry } from "../wire/records";
import { Journal } from "./Journal";

test("a card that was removed is said to be so among those that are there", async () => {
  const page = await openPage({ cards: [note("n", { title: "Plan", name: "Plan" })] });
  render(<Journal />, { wrapper: page.wrapper });
  await waitFor(() => page.socket.call("journal.list"));
  const entry = { id: 1, atMs: 0, from: "n", to: "gone", type: "ns:text", outcome: "accepted", chain: "7f3a", hop: 0 };
  const more = { message: null, code: null, sizeBytes: 2, preview: "hi", arrowId: null, bodyKept: true };
  await page.answer("journal.list", { entries: [{ ...entry, ...more } as JournalEntry], more: false });
  expect(screen.getByText(/Plan → a removed card/)).toBeDefined();
});
