import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Menu, MenuButton, type MenuEntry } from "./Menu";

afterEach(() => vi.restoreAllMocks());

function setUp() {
  const ran: string[] = [];
  const item = (id: string, more: Partial<MenuEntry> = {}) => ({ id, label: id, run: () => ran.push(id), ...more }) as MenuEntry;
  render(
    <>
      <MenuButton label="Things" entries={[item("Apple"), item("Pear", { disabled: true }), { id: "line", separator: true }, item("Plum")]}>
        things
      </MenuButton>
      <p>elsewhere</p>
    </>,
  );
  const button = screen.getByRole("button", { name: "Things" });
  button.focus();
  fireEvent.click(button);
  return { ran, button };
}

const key = (name: string) => fireEvent.keyDown(document.activeElement as Element, { key: name });

test("arrow keys go round the entries that can be chosen", () => {
  setUp();
  expect(document.activeElement?.textContent).toContain("Apple");
  key("ArrowDown");
  expect(document.activeElement?.textContent).toContain("Plum");
  key("ArrowDown");
  expect(document.activeElement?.textContent).toContain("Apple");
  key("End");
  expect(document.activeElement?.textContent).toContain("Plum");
});

test("a letter jumps to the entry that begins with it", () => {
  setUp();
  key("p");
  expect(document.activeElement?.textContent).toContain("Plum");
});

test("choosing runs the entry, closes the menu and gives the focus back", () => {
  const { ran, button } = setUp();
  fireEvent.click(screen.getByRole("menuitem", { name: "Plum" }));
  expect(ran).toEqual(["Plum"]);
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
});

test("Escape and a press elsewhere close it without choosing", () => {
  const { ran, button } = setUp();
  key("Escape");
  expect(screen.queryByRole("menu")).toBeNull();
  fireEvent.click(button);
  fireEvent.pointerDown(screen.getByText("elsewhere"));
  expect(screen.queryByRole("menu")).toBeNull();
  expect(ran).toEqual([]);
});

test("a second press of the button closes what the first opened", () => {
  const { button } = setUp();
  fireEvent.pointerDown(button);
  fireEvent.click(button);
  expect(screen.queryByRole("menu")).toBeNull();
});

test("keys inside the menu do not reach the page", () => {
  const heard = vi.fn();
  window.addEventListener("keydown", heard);
  setUp();
  key("ArrowDown");
  expect(heard).not.toHaveBeenCalled();
  window.removeEventListener("keydown", heard);
});

test("a menu of a window opens inside it, where it can be pressed", () => {
  render(
    <dialog open>
      <MenuButton label="Things" entries={[{ id: "Apple", label: "Apple", run: () => undefined }]}>
        things
      </MenuButton>
    </dialog>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Things" }));
  expect(screen.getByRole("menu").closest("dialog")).not.toBeNull();
});

test("a menu that grows while it is open stays where it is and in the window", () => {
  const rowPx = 30;
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(200);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, 0, 200, this.querySelectorAll("[role=menuitem]").length * rowPx);
  });
  const y = window.innerHeight - 8 - 2 * rowPx;
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `row-${at}`, label: "Row", run: () => undefined }));
  const menu = (count: number) => <Menu label="Things" at={{ x: 10, y }} entries={rows(count)} onClose={() => undefined} />;
  const { rerender } = render(menu(2));
  expect(screen.getByRole("menu").style.top).toBe(`${y}px`);
  rerender(menu(6));
  expect(screen.getByRole("menu").style.top).toBe(`${y}px`);
  expect(screen.getByRole("menu").style.maxHeight).toBe(`${2 * rowPx}px`);
});
