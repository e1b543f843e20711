"""The server is killed and comes back."""

from __future__ import annotations

from playwright.sync_api import expect

from .person import Person
from .running_server import RunningServer


def test_the_page_says_that_the_server_is_away_loses_nothing_and_goes_on_when_it_is_back(
    server: RunningServer, person: Person
) -> None:
    person.expects("WebSocket connection")
    for kind in ("Note", "To-do list", "Terminal"):
        person.add(kind)
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    terminal = person.card("Terminal", "Terminal")
    person.draw_arrow(note, todo)
    person.write_note(note, "Before the storm")
    expect(todo.get_by_role("checkbox", name="Before the storm")).to_be_visible()
    person.type_command(terminal, "echo before")
    expect(person.screen(terminal).get_by_text("before", exact=True)).to_be_visible()

    server.kill()
    banner = person.page.get_by_role("alert").filter(has_text="Reconnecting")
    expect(banner).to_contain_text("The server is away. Your view is kept; edits are paused.")
    expect(note).to_contain_text("Before the storm")
    expect(person.button("Add card")).to_be_disabled()
    note.locator(".card-title").click()
    told = person.toast_to_come("The server is away")
    person.page.keyboard.press("Delete")
    told()
    expect(note).to_be_visible()
    # What is typed meanwhile stays in the note and is saved later.
    note.get_by_role("document").dblclick()
    expect(note.get_by_role("textbox", name="Note text")).to_be_focused()
    person.page.keyboard.type("\nDuring the storm")
    person.look("away")

    server.start_again()
    server.address()
    # Where the page has come back by itself already, there is nothing to press any more.
    banner.get_by_role("button", name="Try now").evaluate_all("buttons => buttons.forEach((button) => button.click())")
    expect(banner).to_have_count(0)
    person.sees_online()
    person.page.keyboard.press("Escape")
    expect(todo.get_by_role("checkbox", name="During the storm")).to_be_visible()
    expect(person.arrow("Note", "To-do list")).to_be_visible()
    person.type_command(terminal, "echo after")
    expect(person.screen(terminal).get_by_text("after", exact=True)).to_be_visible()
    person.look("back")

    person.page.reload()
    expect(note).to_contain_text("Before the storm During the storm")
    expect(todo.get_by_role("checkbox", name="During the storm")).to_be_visible()


def test_a_page_that_is_left_alone_comes_back_by_itself(server: RunningServer, person: Person) -> None:
    person.expects("WebSocket connection")
    person.add("Note")
    server.kill()
    banner = person.page.get_by_role("alert").filter(has_text="Reconnecting")
    expect(banner).to_be_visible()
    server.start_again()
    server.address()
    expect(banner).to_have_count(0)
    person.add("To-do list")
    expect(person.card("To-do list", "To-do list")).to_be_visible()
    expect(person.card("Note", "Note")).to_be_visible()
