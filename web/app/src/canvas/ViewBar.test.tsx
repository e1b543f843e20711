import { render, screen } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import { act } from "react";
import { expect, test } from "vitest";
import { note } from "../../tests/makers";
import { openPage } from "../../tests/page";
import { renameCard } from "../actions/cards";
import { ViewBar } from "./ViewBar";

test("what can be undone is told in the language that the page has now", async () => {
  const { session, wrapper, answer, event } = await openPage({ cards: [note("a", { name: "Plans" })] });
  render(
    <ReactFlowProvider>
      <ViewBar />
    </ReactFlowProvider>,
    { wrapper },
  );
  act(() => void renameCard(session, "a", "Ideas"));
  await answer("canvas.updateCard", note("a", { title: "Ideas", name: "Ideas" }));
  expect(screen.getByRole("button", { name: "Undo" }).title).toBe("Undo: rename Plans (Ctrl Z)");
  await event("preferences.changed", { language: "ru", scheme: "dark" });
  expect(screen.getByTitle("Отменить: переименование «Plans» (Ctrl Z)")).toBeDefined();
});
