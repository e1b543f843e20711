"""What a person does in front of a page: looks, clicks, drags, types. Nothing here reaches past the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

CAP_MS = 40_000

_CHOSEN = "document.querySelector('.card.is-selected')?.dataset.cardId ?? null"

Point: TypeAlias = tuple[float, float]
Kind: TypeAlias = Literal["Note", "To-do list", "Task board", "Sticky", "Terminal", "Chat", "Agent", "Custom card"]


class Person:
    """A person at a page. Cards are named as the screen reader says them: kind and name."""

    def __init__(self, page: Page, screenshots: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self._expected: list[re.Pattern[str]] = []
        self._screenshots = screenshots
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._complain(f"{error.name}: {error.message}"))

    def expects(self, pattern: str) -> None:
        """The page may complain about this: a server that is away, an address that is refused."""
        self._expected.append(re.compile(pattern))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._complain(f"{message.text} ({message.location.get('url', '')})")

    def _complain(self, text: str) -> None:
        if not any(pattern.search(text) for pattern in self._expected):
            self.complaints.append(text)

    # Looking.

    def open(self, address: str) -> None:
        """Type an address and wait until the page has drawn something."""
        self.page.goto(address)
        expect(self.page.locator("#root > *").first).to_be_attached()

    def look(self, name: str) -> None:
        """Keep a picture of the page."""
        self._screenshots.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self._screenshots / f"{name}.png")

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def card(self, kind: Kind, name: str) -> Locator:
        return self.page.get_by_role("group", name=f"{kind}: {name}", exact=True)

    def arrow(self, start: str, end: str) -> Locator:
        return self.page.get_by_role("button", name=f"Arrow from {start} to {end}", exact=True)

    def two_way_arrow(self, one: str, other: str) -> Locator:
        return self.page.get_by_role("button", name=f"Arrow between {one} and {other}", exact=True)

    def details(self) -> Locator:
        """The panel at the right."""
        return self.page.get_by_role("complementary", name="Details")

    def sees_online(self) -> None:
        expect(self.page.get_by_role("status").filter(has_text="Connected")).to_be_attached()

    def fact(self, label: str) -> Locator:
        """A value in the details, by the label before it."""
        return self.details().locator(".row").filter(has=self.page.get_by_text(label, exact=True)).locator("dd")

    def journal(self) -> Locator:
        """The entries of the journal in the details, newest first."""
        return self.details().get_by_role("region", name="Journal").get_by_role("listitem")

    def toast_to_come(self, text: str) -> Callable[[], None]:
        """Look out for a toast from now on; gives what waits for it, though it may be gone again by then."""
        lookout = self.page.evaluate_handle(
            """(text) => {
              const lookout = { seen: false };
              const look = () => {
                const toasts = [...document.querySelectorAll(".toast")];
                lookout.seen ||= toasts.some((toast) => toast.textContent.includes(text));
                if (lookout.seen) changes.disconnect();
              };
              // Told of each change before the next: no toast is too short to be seen on a busy machine.
              const changes = new MutationObserver(look);
              changes.observe(document.body, { subtree: true, childList: true, characterData: true });
              look();
              return lookout;
            }""",
            text,
        )

        def wait() -> None:
            self.page.wait_for_function("(lookout) => lookout.seen", arg=lookout)

        return wait

    def clipboard(self) -> str:
        """What a paste would bring."""
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def sees_copied(self, text: str) -> None:
        """Wait until a paste would bring the text, in the page: a wait of the driver takes any promise for true."""
        self.page.evaluate(
            """async ([text, cap]) => {
              const end = performance.now() + cap;
              while ((await navigator.clipboard.readText()).trim() !== text) {
                if (performance.now() > end) throw new Error(`the clipboard never held ${text}`);
                await new Promise((next) => setTimeout(next, 20));
              }
            }""",
            [text, 40_000],
        )

    # The canvas.

    def choose(self, menu: str, entry: str) -> None:
        """Open a menu of the page by its button and choose an entry."""
        self.button(menu).click()
        plain = self.page.get_by_role("menuitem", name=entry, exact=True)
        plain.or_(self.page.get_by_role("menuitemradio", name=entry, exact=True)).click()

    def add(self, kind: str) -> None:
        """Add a card from the Add menu and wait until it lies on the canvas, chosen."""
        before = self._chosen()
        self.choose("Add card", kind)
        self.page.wait_for_function(f"(before) => ![null, before].includes({_CHOSEN})", arg=before)
        self.let_rest()

    def _chosen(self) -> str | None:
        found: str | None = self.page.evaluate(_CHOSEN)
        return found

    def see_all(self) -> None:
        self.button("Fit everything").click()
        self.let_rest()

    def let_rest(self) -> None:
        """Wait until the canvas stopped moving."""
        self.page.wait_for_function(
            """() => new Promise((done) => {
              const view = document.querySelector(".react-flow__viewport");
              let last = "", same = 0;
              const look = () => {
                const now = view?.style.transform ?? "";
                same = now === last ? same + 1 : 0;
                last = now;
                if (same > 4) done(true); else requestAnimationFrame(look);
              };
              look();
            })"""
        )

    def rename(self, card: Locator, title: str) -> None:
        """Double-click a card's title and type another."""
        card.locator(".card-title").dblclick()
        card.get_by_role("textbox", name="Title").fill(title)
        self.page.keyboard.press("Enter")

    def drag(self, start: Point, end: Point) -> None:
        """Press, move as a hand does, let go."""
        self.press_and_hold(start, end)
        self.page.mouse.up()

    def press_and_hold(self, start: Point, end: Point) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=12)

    def move(self, card: Locator, by: Point) -> None:
        """Drag a card by its header."""
        start = middle(card.locator(".card-title"))
        self.drag(start, (start[0] + by[0], start[1] + by[1]))

    def draw_arrow(self, start: Locator, end: Locator) -> None:
        """Drag from a dot at the right side of one card into another, as far as its top line."""
        self.drag(self.dot(start), inside(end))

    def dot(self, card: Locator) -> Point:
        """The first dot that sends."""
        return middle(card.get_by_role("button", name=re.compile("^Draw an arrow from ")).first)

    def click_arrow(self, arrow: Locator) -> None:
        """Click on the middle of an arrow's line."""
        expect(arrow).to_be_attached()
        x, y = arrow.locator("path").first.evaluate(
            """(path) => {
              const { x, y } = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
              return [x, y];
            }"""
        )
        self.page.mouse.click(x, y)

    # Cards' insides.

    def write_note(self, note: Locator, text: str) -> None:
        """Double-click a note, write at its end, read it again.

        The text comes in one piece: a note tells what it holds at every rest, and a busy machine rests between keys.
        """
        note.get_by_role("document").dblclick()
        editor = note.get_by_role("textbox", name="Note text")
        expect(editor).to_be_focused()
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Escape")
        expect(note.get_by_role("document")).to_be_visible()

    def tasks(self, todo: Locator) -> Locator:
        """The boxes to tick of a to-do list; their names are the tasks' texts."""
        return todo.get_by_role("checkbox")

    def screen(self, terminal: Locator) -> Locator:
        """What a terminal shows now."""
        return terminal.locator(".xterm-rows")

    def sees_prompt(self, terminal: Locator) -> None:
        expect(terminal.locator("[role=group]")).not_to_have_attribute("aria-busy", "true")
        expect(self.screen(terminal)).to_contain_text(re.compile(r"[$#]\s*$"))

    def type_command(self, terminal: Locator, command: str) -> None:
        """Click into a terminal, type a command, press Enter."""
        self.sees_prompt(terminal)
        terminal.locator(".xterm-screen").click()
        self.page.keyboard.type(command, delay=2)
        self.page.keyboard.press("Enter")


def middle(locator: Locator) -> Point:
    """The middle of something on the screen, in pixels."""
    expect(locator).to_be_visible()
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def inside(card: Locator) -> Point:
    """A place in the header of a card."""
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + min(14, box["height"] / 2)
