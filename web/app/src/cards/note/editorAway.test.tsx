import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { showCard } from "../testing/cardHost";

vi.mock("./NoteEditor", () => {
  throw new Error("the server is away");
});

test("a note can be written though its editor can not be loaded", async () => {
  const saved: string[] = [];
  const save = ({ text }: { text: string }) => {
    saved.push(text);
    return { revision: 2, text };
  };
  const { user } = showCard(
    { kind: "note", id: "note-without", name: "Plan", content: { text: "one" } },
    { "note.edit": save },
  );
  await user.dblClick(await screen.findByRole("document"));
  await user.keyboard(" two{Escape}");
  expect((await screen.findByRole("document")).textContent).toContain("one two");
  await waitFor(() => expect(saved.at(-1)).toBe("one two"));
  await user.dblClick(screen.getByRole("document"));
  await user.keyboard(" three");
  expect(screen.getByRole("textbox", { name: "Note text" })).toHaveProperty("value", "one two three");
});
