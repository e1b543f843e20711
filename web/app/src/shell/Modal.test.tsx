import { fireEvent, render, screen } from "@testing-library/react";
import { useRef, useState, type ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { Modal } from "./Modal";

afterEach(() => vi.restoreAllMocks());

/** Opens windows as a browser does, which gives the focus to what `first` finds and scrolls to that. */
function browserBeginsAt(first: (dialog: HTMLDialogElement) => HTMLElement | null) {
  vi.spyOn(HTMLDialogElement.prototype, "showModal").mockImplementation(function (this: HTMLDialogElement) {
    this.open = true;
    first(this)?.focus();
    this.scrollTop = 262;
  });
}

const button = (dialog: HTMLElement) => dialog.querySelector("button");

function shown(title: string, children: ReactNode) {
  return (
    <Modal title={title} onClose={() => undefined}>
      {children}
    </Modal>
  );
}

test("a long window begins where its title is, though its first button is at its end", () => {
  browserBeginsAt(button);
  const content = <button type="button">Close</button>;
  const { rerender } = render(shown("Keys", content));
  const dialog = screen.getByRole("dialog");
  expect(dialog.scrollTop).toBe(0);
  expect(document.activeElement).toBe(screen.getByRole("button"));
  dialog.scrollTop = 100;
  rerender(shown("Keys", content));
  expect(dialog.scrollTop).toBe(100);
  rerender(shown("Other", content));
  expect(dialog.scrollTop).toBe(0);
});

test("the focus begins in the first field, not in what scrolls around it", () => {
  browserBeginsAt((dialog) => dialog.querySelector<HTMLElement>("[data-scrolls]"));
  render(
    shown(
      "New profile",
      <div data-scrolls tabIndex={-1}>
        <input aria-label="Name" />
      </div>,
    ),
  );
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Name" }));
});

test("a form that comes later has the focus then", () => {
  browserBeginsAt((dialog) => {
    dialog.tabIndex = -1;
    return dialog;
  });
  const { rerender } = render(shown("Settings", <p>Loading</p>));
  expect(document.activeElement).toBe(screen.getByRole("dialog"));
  rerender(shown("Settings", <input aria-label="Server" />));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Server" }));
});

test("a list that is back after a form has the focus at the button that led there", () => {
  browserBeginsAt((dialog) => dialog.querySelector<HTMLElement>("[autofocus]") ?? button(dialog));
  function Lists() {
    const pressedRef = useRef<string | null>(null);
    const [isForm, setForm] = useState(false);
    return isForm ? (
      <Modal key="form" title="Form" onClose={() => undefined}>
        <button type="button" onClick={() => setForm(false)}>
          Cancel
        </button>
      </Modal>
    ) : (
      <Modal key="list" title="List" pressedRef={pressedRef} onClose={() => undefined}>
        {["One", "Two"].map((name) => (
          <button key={name} type="button" aria-label={`Edit ${name}`} onClick={() => setForm(true)} />
        ))}
      </Modal>
    );
  }
  render(<Lists />);
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit One" }));
  fireEvent.click(screen.getByRole("button", { name: "Edit Two" }));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Cancel" }));
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit Two" }));
});
