"""An arrow in the details: paused, resumed, sent along again, turned, two-way; its journal beside it."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person


def test_an_arrow_is_paused_resumed_resent_and_turned_with_its_journal_in_view(person: Person) -> None:
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    person.write_note(note, "One")
    person.draw_arrow(note, todo)
    expect(person.tasks(todo)).to_have_count(1)

    person.page.locator(".react-flow__pane").click(position={"x": 8, "y": 60})
    person.click_arrow(person.arrow("Note", "To-do list"))
    details = person.details()
    expect(details.get_by_role("heading", name="Note → To-do list")).to_be_visible()
    expect(details.get_by_role("list", name="What passes")).to_contain_text("a task for each line")
    expect(person.fact("Passed")).to_have_text("1")
    expect(person.journal()).to_have_count(1)
    expect(person.journal().first).to_contain_text("One")
    person.look("journal")

    details.get_by_role("button", name="Send again", exact=True).click()
    expect(person.tasks(todo)).to_have_count(2)
    expect(person.fact("Passed")).to_have_text("2")
    expect(person.journal()).to_have_count(2)

    details.get_by_role("button", name="Pause arrow").click()
    expect(details.get_by_role("button", name="Resume arrow")).to_be_visible()
    person.write_note(note, " and two")
    expect(person.page.locator(".arrow-trouble")).to_have_text("⚠ ")
    expect(person.tasks(todo)).to_have_count(2)
    person.click_arrow(person.arrow("Note", "To-do list"))
    details.get_by_role("button", name="Resume arrow").click()
    expect(details.get_by_role("button", name="Pause arrow")).to_be_visible()
    person.write_note(note, " and three")
    expect(person.page.locator(".arrow-trouble")).to_have_count(0)
    expect(todo.get_by_role("checkbox", name="One and two and three")).to_be_visible()

    person.click_arrow(person.arrow("Note", "To-do list"))
    details.get_by_role("button", name="Reverse").click()
    expect(details.get_by_role("heading", name="To-do list → Note")).to_be_visible()
    todo.get_by_role("textbox", name="Add item").fill("Four")
    person.page.keyboard.press("Enter")
    expect(note.get_by_role("document")).to_contain_text("Four")

    person.click_arrow(person.arrow("To-do list", "Note"))
    details.get_by_role("button", name="Two-way").click()
    expect(person.two_way_arrow("Note", "To-do list")).to_be_attached()
    expect(details.get_by_role("list", name="What passes").get_by_role("listitem")).to_have_count(2)
    person.look("two-way")
    details.get_by_role("button", name="One-way").click()
    expect(person.arrow("Note", "To-do list")).to_be_attached()
    details.get_by_role("button", name="Delete arrow").click()
    expect(person.arrow("Note", "To-do list")).to_have_count(0)
