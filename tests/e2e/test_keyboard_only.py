"""The canvas without a mouse."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person


def test_cards_are_added_joined_moved_renamed_deleted_and_brought_back_by_keys_alone(person: Person) -> None:
    page, keyboard = person.page, person.page.keyboard

    def press(*keys: str) -> None:
        for key in keys:
            keyboard.press(key)

    add = person.button("Add card")
    while not add.evaluate("(button) => button === document.activeElement"):
        press("F6")
    press("Enter")
    expect(page.get_by_role("menuitem", name="Note")).to_be_focused()
    press("Enter")
    note = person.card("Note", "Note")
    expect(note).to_be_visible()
    press("Enter", "t")
    expect(page.get_by_role("menuitem", name="To-do list")).to_be_focused()
    press("Enter")
    todo = person.card("To-do list", "To-do list")
    expect(todo).to_be_visible()

    press("F6", "F6", "F6", "Tab")
    while not note.evaluate("(card) => card === document.activeElement"):
        press("Tab")
    person.look("focus-on-a-card")
    press("c")
    expect(todo.get_by_role("status")).to_be_visible()
    press("Enter")
    expect(person.arrow("Note", "To-do list")).to_be_focused()
    press("p")
    expect(page.get_by_role("toolbar", name="Arrow").get_by_role("button", name="Resume arrow")).to_be_visible()
    press("p")
    expect(page.get_by_role("toolbar", name="Arrow").get_by_role("button", name="Pause arrow")).to_be_visible()

    press("Escape", "Control+ArrowLeft")
    expect(note).to_be_focused()
    press("Enter")
    expect(note.get_by_role("textbox", name="Note text")).to_be_focused()
    keyboard.type("Learn the keys")
    press("Escape")
    expect(note.get_by_role("button", name="Edit note")).to_be_focused()
    press("Escape")
    expect(note).to_be_focused()
    expect(todo.get_by_role("checkbox", name="Learn the keys")).to_be_visible()

    place = person.fact("Place")
    x, y = (int(part) for part in place.inner_text().split(", "))
    press("ArrowRight", "ArrowDown", "Shift+ArrowDown")
    expect(place).to_have_text(f"{x + 16}, {y + 17}")

    press("F2")
    keyboard.type("Plans")
    press("Enter")
    plans = person.card("Note", "Plans")
    expect(plans).to_be_focused()
    expect(place).to_have_text(f"{x + 16}, {y + 17}")

    press("Delete")
    expect(plans).to_have_count(0)
    expect(person.arrow("Plans", "To-do list")).to_have_count(0)
    press("Control+z")
    expect(person.arrow("Plans", "To-do list")).to_be_visible()
    expect(plans).to_contain_text("Learn the keys")
    press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Next card")
    person.look("keys")
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.set_viewport_size({"width": 1280, "height": 480})
    press("?")
    expect(page.get_by_role("dialog").get_by_role("button", name="Close")).to_be_focused()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Keys", exact=True)).to_be_in_viewport()
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
