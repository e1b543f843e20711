import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { CallFailure } from "../../connection/failure";
import { later, showCard } from "../testing/cardHost";

beforeAll(() => {
  // jsdom lays nothing out; the editor asks where its text lies and may be told: nowhere.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

afterEach(() => void vi.restoreAllMocks());

let notes = 0;
/** Each note has an id of its own, since what is typed outlives a body. */
function showNote(text: string, save: (params: { text: string }) => unknown = ({ text: saved }) => ({ revision: 2, text: saved })) {
  return showCard(
    { kind: "note", id: `note-${String(++notes)}`, name: "Plan", content: { text } },
    { "note.edit": save },
  );
}

test("a note is read rendered", async () => {
  showNote("# Plan\n\n- **one**");
  expect(await screen.findByRole("heading", { name: "Plan" })).toBeDefined();
  expect(screen.getByText("one").tagName).toBe("STRONG");
});

test("double-click opens the editor, Escape goes back to reading", async () => {
  const { user } = showNote("hello");
  await user.dblClick(await screen.findByText("hello"));
  expect((await theEditor()).textContent).toBe("hello");
  await user.keyboard("{Escape}");
  expect(await screen.findByRole("document", { name: "Note, rendered" })).toBeDefined();
});

test("an empty note says how to begin", async () => {
  showNote("");
  expect(await screen.findByText(/Double-click to write/)).toBeDefined();
});

test("what others write shows in a note that is being read", async () => {
  const { change } = showNote("old");
  await screen.findByText("old");
  change({ revision: 2, content: { text: "new" } });
  expect(await screen.findByText("new")).toBeDefined();
});

test("what is added to a note that was read to its end comes into sight, and moves nobody who reads further up", async () => {
  const height = vi.spyOn(HTMLElement.prototype, "scrollHeight", "get");
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(100);
  height.mockReturnValue(100);
  const { change } = showNote("first");
  const box = await screen.findByRole("document", { name: "Note, rendered" });
  await screen.findByText("first");
  height.mockReturnValue(400);
  change({ revision: 2, content: { text: "first\n\nsecond" } });
  await screen.findByText("second");
  expect(box.scrollTop).toBe(50);
  fireEvent.scroll(box, { target: { scrollTop: 0 } });
  height.mockReturnValue(700);
  change({ revision: 3, content: { text: "first\n\nsecond\n\nthird" } });
  await screen.findByText("third");
  expect(box.scrollTop).toBe(0);
  fireEvent.scroll(box, { target: { scrollTop: 600 } });
  change({ revision: 4, content: { text: "quite another text" } });
  await screen.findByText("quite another text");
  expect(box.scrollTop).toBe(600);
});

test("what others write comes into the open editor around the cursor", async () => {
  const { user, change } = showNote("start");
  await user.dblClick(await screen.findByText("start"));
  const editor = await theEditor();
  change({ revision: 2, content: { text: "start, and more" } });
  expect(editor.textContent).toBe("start, and more");
});

test("two texts for one place stand side by side, and keeping both loses neither", async () => {
  const answer = later<unknown>();
  const saved: string[] = [];
  const { user, view } = showNote("x", ({ text }) => {
    saved.push(text);
    return saved.length === 1 ? answer.promise : { revision: 10, text };
  });
  await user.dblClick(await screen.findByText("x"));
  const editor = await theEditor();
  await typeInto(editor, "mine");
  await user.keyboard("{Escape}");
  await act(async () => answer.resolve({ conflict: { revision: 9, text: "theirs" } }));
  expect(screen.getByRole("alert", { name: /Which text stays/ })).toBeDefined();
  expect(view.container.textContent).toContain("mine");
  expect(view.container.textContent).toContain("theirs");
  await user.click(screen.getByRole("button", { name: "Keep both" }));
  expect(saved.at(-1)).toBe("theirs\n\n---\n\nmine");
});

test("what was typed while somebody deleted the note is saved when it comes back", async () => {
  const saved: string[] = [];
  const refuse = () => {
    throw new CallFailure("NOT_FOUND", "there is no card 'n'");
  };
  const id = "note-away";
  const given = { kind: "note" as const, id, name: "Plan", content: { text: "kept" } };
  const { user, view } = showCard(given, { "note.edit": refuse });
  await user.dblClick(await screen.findByRole("document"));
  await typeInto(await theEditor(), "kept, and precious");
  await user.keyboard("{Escape}");
  expect(await screen.findByText(/^Not saved yet/)).toBeDefined();
  view.unmount();
  await act(() => Promise.resolve());

  showCard(given, { "note.edit": ({ text }: { text: string }) => (saved.push(text), { revision: 2, text }) });
  expect(await screen.findByText("kept, and precious")).toBeDefined();
  await waitFor(() => expect(saved).toEqual(["kept, and precious"]));
  expect(screen.queryByText(/^Not saved yet/)).toBeNull();
});

/** The Markdown editor, not the plain field that stands in its place while it is loaded. */
function theEditor(): Promise<HTMLElement> {
  return waitFor(() => {
    const found = screen.getByRole("textbox", { name: "Note text" });
    expect(found.tagName).toBe("DIV");
    return found;
  });
}

/** jsdom moves no caret, so the text is put in through the editor's own view. */
async function typeInto(editor: HTMLElement, text: string): Promise<void> {
  const { EditorView } = await import("@codemirror/view");
  const view = EditorView.findFromDOM(editor);
  if (view === null) throw new Error("no editor here");
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
}
