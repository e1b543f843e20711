"""A terminal under the hands: search, copy and paste, and what is left of it after a reload."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from .person import Person, Point


def a_terminal(person: Person) -> Locator:
    person.add("Terminal")
    person.see_all()
    return person.card("Terminal", "Terminal")


def scroll_to_the_top(person: Person, terminal: Locator) -> None:
    """Press Shift-PageUp until nothing moves any more."""
    terminal.locator(".xterm-screen").click()
    before = ""
    while (shown := person.screen(terminal).inner_text()) != before:
        before = shown
        person.page.keyboard.press("Shift+PageUp")
        person.let_rest()


def start_of(line: Locator) -> Point:
    """A place in the first word of a line; asked again while the emulator draws its rows anew."""
    while True:
        box = line.evaluate("row => row.getBoundingClientRect().toJSON()")
        if box["width"] > 0:
            return box["x"] + 12, box["y"] + box["height"] / 2


def test_output_is_searched_copied_and_pasted(person: Person) -> None:
    terminal = a_terminal(person)
    person.type_command(terminal, "for n in 1 2 3; do echo berry-$n; done; echo done-now")
    expect(person.screen(terminal).get_by_text("done-now", exact=True)).to_be_visible()
    person.sees_prompt(terminal)  # what is printed during a search is searched too, and moves the match

    person.page.keyboard.press("Control+f")
    search = terminal.get_by_role("searchbox", name="Search the output")
    search.fill("berry-")
    found = terminal.get_by_role("search").get_by_role("status")
    expect(found).to_have_text(re.compile("^[1-4] / 4$"))  # three printed, one typed
    first = found.inner_text()
    search.press("Enter")
    expect(found).not_to_have_text(first)
    person.look("found-in-the-terminal")
    search.fill("no such fruit")
    expect(found).to_have_text("none")
    search.press("Escape")
    expect(search).to_have_count(0)

    person.page.mouse.dblclick(*start_of(person.screen(terminal).get_by_text("done-now", exact=True)))
    person.page.keyboard.press("Control+Shift+c")
    person.sees_copied("done-now")

    person.page.keyboard.type("echo again-")
    person.page.keyboard.press("Control+Shift+v")
    person.page.keyboard.press("Enter")
    expect(person.screen(terminal).get_by_text("again-done-now", exact=True)).to_be_visible()


def test_a_reload_keeps_the_screen_and_what_was_scrolled_away(person: Person) -> None:
    terminal = a_terminal(person)
    person.type_command(terminal, "seq -f 'line %g' 300")
    expect(person.screen(terminal).get_by_text("line 300", exact=True)).to_be_visible()
    scroll_to_the_top(person, terminal)
    expect(person.screen(terminal).get_by_text("line 3", exact=True)).to_be_visible()

    person.page.reload()
    expect(person.screen(terminal).get_by_text("line 300", exact=True)).to_be_visible()
    scroll_to_the_top(person, terminal)
    expect(person.screen(terminal).get_by_text("line 3", exact=True)).to_be_visible()
    person.page.keyboard.type("echo still-$((40 + 2))\n")
    expect(person.screen(terminal).get_by_text("still-42", exact=True)).to_be_visible()


def test_deleting_a_terminal_in_which_something_runs_asks_first(person: Person) -> None:
    terminal = a_terminal(person)
    person.type_command(terminal, "sleep 1000")
    expect(terminal.locator(".card-head")).to_contain_text("sleep 1000")
    terminal.locator(".card-title").click()
    person.page.keyboard.press("Delete")
    question = person.page.get_by_role("dialog")
    expect(question).to_contain_text("Terminal")
    person.look("end-and-delete")
    question.get_by_role("button", name="Cancel").click()
    expect(terminal).to_be_visible()
    person.page.keyboard.press("Delete")
    question.get_by_role("button", name="End and delete").click()
    expect(terminal).to_have_count(0)
