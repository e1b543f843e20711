"""Arrows drawn by dragging from a dot: what they carry, and why some are not drawn."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person, inside


def test_lines_of_a_note_become_tasks_along_an_arrow_drawn_by_dragging(person: Person) -> None:
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    person.press_and_hold(person.dot(note), inside(todo))
    expect(todo.get_by_role("status")).to_have_text("Text → Add (markdown)")
    person.look("an-arrow-on-its-way")
    person.page.mouse.up()
    expect(person.arrow("Note", "To-do list")).to_be_visible()

    person.write_note(note, "Buy milk\nCall Ada\n")
    expect(person.tasks(todo)).to_have_count(2)
    assert [box.get_attribute("aria-label") for box in person.tasks(todo).all()] == ["Buy milk", "Call Ada"]
    person.look("lines-became-tasks")


def test_a_card_that_can_not_take_it_says_why_while_the_arrow_is_drawn(person: Person) -> None:
    person.add("Terminal")
    person.add("To-do list")
    person.see_all()
    terminal, todo = person.card("Terminal", "Terminal"), person.card("To-do list", "To-do list")
    person.press_and_hold(person.dot(terminal), inside(todo))
    expect(todo.get_by_role("status")).to_have_text("To-do list has no input for event")
    person.look("an-arrow-that-does-not-fit")
    told = person.toast_to_come("To-do list has no input for event")
    person.page.mouse.up()
    told()
    expect(person.arrow("Terminal", "To-do list")).to_have_count(0)


def test_escape_gives_up_an_arrow_on_its_way(person: Person) -> None:
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    person.press_and_hold(person.dot(note), inside(todo))
    expect(todo.get_by_role("status")).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(todo.get_by_role("status")).to_have_count(0)
    person.page.mouse.up()
    person.draw_arrow(note, todo)
    expect(person.arrow("Note", "To-do list")).to_have_count(1)
