import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeAll, expect, test, vi } from "vitest";
import { later, showCard } from "../testing/cardHost";

const loaded = vi.hoisted(() => {
  let open = () => undefined as void;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
});
vi.mock("./NoteEditor", async (original) => {
  await loaded.promise;
  return original();
});

beforeAll(() => {
  // jsdom lays nothing out; the editor asks where its text lies and may be told: nowhere.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

test("what is typed while the editor is still loaded lands in the note, and nowhere else", async () => {
  const heard: string[] = [];
  const canvas = (event: KeyboardEvent) => heard.push(event.key);
  document.addEventListener("keydown", canvas);
  const answer = later<unknown>();
  const { user, view } = showCard(
    { kind: "note", id: "note-slow", name: "Plan", content: { text: "one" } },
    { "note.edit": () => answer.promise },
  );
  await user.dblClick(await screen.findByRole("document"));
  const field = screen.getByRole("textbox", { name: "Note text" });
  expect(document.activeElement).toBe(field);
  await user.keyboard(" two{Backspace}");
  expect(field).toHaveProperty("value", "one tw");

  await act(async () => loaded.open());
  const editor = await waitFor(() => {
    const found = screen.getByRole("textbox", { name: "Note text" });
    expect(found.tagName).toBe("DIV");
    return found;
  });
  expect(editor.textContent).toBe("one tw");
  expect(document.activeElement).toBe(editor);
  fireEvent.keyDown(editor, { key: "Delete" });
  document.removeEventListener("keydown", canvas);
  expect(heard).toEqual([]);
  view.unmount();
});
