"""Undo and redo give back what was deleted, with its arrows."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person


def test_a_deleted_card_comes_back_with_its_arrows_and_goes_again(person: Person) -> None:
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    arrow = person.arrow("Note", "To-do list")
    person.draw_arrow(note, todo)
    expect(arrow).to_be_visible()
    person.write_note(note, "Water the plants")
    expect(person.tasks(todo)).to_have_count(1)

    note.locator(".card-title").click()
    person.page.keyboard.press("Delete")
    expect(note).to_have_count(0)
    expect(arrow).to_have_count(0)

    person.page.keyboard.press("Control+z")
    expect(note).to_contain_text("Water the plants")
    expect(arrow).to_be_visible()

    person.page.keyboard.press("Control+Shift+z")
    expect(note).to_have_count(0)
    expect(arrow).to_have_count(0)

    person.button("Undo").click()
    expect(arrow).to_be_visible()
    person.write_note(note, " and the lawn")
    expect(todo.get_by_role("checkbox", name="Water the plants and the lawn")).to_be_visible()
