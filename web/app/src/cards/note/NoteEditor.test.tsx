import { fireEvent, render, screen } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";
import { translator } from "../../i18n/catalogue";
import NoteEditor from "./NoteEditor";
import { phrasesOf } from "./phrases";

beforeAll(() => {
  // jsdom lays nothing out; the editor asks where its text lies and may be told: nowhere.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

test("the editor's own panels speak the person's language", () => {
  const nothing = () => undefined;
  const t = translator("ru");
  const props = { text: "one two", label: "text", placeholder: "", phrases: phrasesOf(t), onEdit: nothing, onLeave: nothing, onBlur: nothing };
  render(<NoteEditor {...props} />);
  fireEvent.keyDown(screen.getByRole("textbox", { name: "text" }), { key: "f", code: "KeyF", keyCode: 70, ctrlKey: true });
  expect(screen.getByRole("textbox", { name: "Найти" })).toBeDefined();
  const panel = document.querySelector(".cm-search");
  expect(panel).not.toBeNull();
  const words = [...(panel?.querySelectorAll("button, label") ?? [])].map((part) => part.getAttribute("aria-label") ?? part.textContent.trim());
  expect(words.length).toBeGreaterThan(7);
  for (const word of words) expect(word).toMatch(/^[А-Яа-яё. ]+$/);
});
