"""Cards seen from far away: tiles with the words that matter, then blocks of colour."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .person import Person


def test_cards_become_tiles_and_then_blocks_when_one_zooms_out_and_bodies_again_when_one_comes_back(
    person: Person,
) -> None:
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    person.write_note(note, "The harbour at dawn")
    for text in ("Film", "Lens"):
        todo.get_by_role("textbox", name="Add item").fill(text)
        person.page.keyboard.press("Enter")
        expect(todo.get_by_role("checkbox", name=text)).to_be_enabled()
    todo.get_by_role("checkbox", name="Film").check()

    canvas = person.page.locator(".canvas")
    while "detail-tile" not in str(canvas.get_attribute("class")):
        zoom_out(person)
    expect(todo).to_contain_text("1 open")
    expect(todo.get_by_role("progressbar", name="1 open")).to_have_attribute("aria-valuenow", "50")
    expect(note).to_contain_text("The harbour at dawn")
    expect(todo.get_by_role("checkbox")).to_have_count(0)
    person.look("tiles")

    while "detail-block" not in str(canvas.get_attribute("class")):
        zoom_out(person)
    expect(todo.get_by_text("1 open")).to_have_count(0)
    person.look("blocks")

    person.see_all()
    expect(canvas).to_have_class(re.compile("detail-full"))
    expect(todo.get_by_role("checkbox", name="Film")).to_be_checked()


def zoom_out(person: Person) -> None:
    person.button("Zoom out").click()
    person.let_rest()
