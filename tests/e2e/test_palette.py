"""The palette: everything by a few letters."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person


def test_the_palette_adds_goes_and_does(person: Person) -> None:
    page, keyboard = person.page, person.page.keyboard
    options = page.get_by_role("listbox", name="Results").get_by_role("option")

    def ask(letters: str) -> None:
        keyboard.press("Control+k")
        expect(page.get_by_role("combobox")).to_be_focused()
        keyboard.type(letters)

    ask("task bo")
    expect(options.first).to_contain_text("Add: Task board")
    person.look("palette")
    keyboard.press("Enter")
    board = person.card("Task board", "Task board")
    expect(board).to_be_visible()

    ask("light")
    keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-scheme", "light")

    person.button("Zoom out").click()
    while board.is_visible() and "detail-block" not in str(page.locator(".canvas").get_attribute("class")):
        person.button("Zoom out").click()
        person.let_rest()
    ask("board")
    page.get_by_role("option", name="Task board Task board").click()
    person.let_rest()
    expect(board.get_by_role("region").first).to_be_visible()

    ask("qqqq")
    expect(page.get_by_text("Nothing fits these letters.")).to_be_visible()
    keyboard.press("Escape")
    expect(page.get_by_role("combobox")).to_have_count(0)

    ask("undo")
    keyboard.press("Enter")
    expect(board).to_have_count(0)
