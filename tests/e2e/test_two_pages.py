"""Two people at two pages of the same workspace."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from .person import Person
from .running_server import RunningServer


def test_what_one_does_the_other_sees_and_nothing_of_either_is_lost(
    server: RunningServer, sit_down: Callable[..., Person]
) -> None:
    ada = sit_down(server.address())
    bob = sit_down(server.another_address(), width=1920, height=1080, scheme="light")

    ada.add("Note")
    ada.see_all()
    bobs_note = bob.card("Note", "Note")
    expect(bobs_note).to_be_visible()
    ada.write_note(ada.card("Note", "Note"), "Ada was here.\n\n\n\nThe end.")
    expect(bobs_note.get_by_role("document")).to_contain_text("The end.")

    bobs_note.get_by_role("document").dblclick()
    expect(bobs_note.get_by_role("textbox", name="Note text")).to_be_focused()
    bob.page.keyboard.press("Control+End")
    bob.page.keyboard.type(" Bob read it.")
    expect(ada.card("Note", "Note").get_by_role("document")).to_contain_text("The end. Bob read it.")

    bob.add("To-do list")
    bob.see_all()
    bob.draw_arrow(bobs_note, bob.card("To-do list", "To-do list"))
    ada.see_all()
    expect(ada.arrow("Note", "To-do list")).to_be_visible()
    ada.move(ada.card("Note", "Note"), (0, 60))
    ada.rename(ada.card("Note", "Note"), "Diary")
    expect(bob.card("Note", "Diary")).to_be_visible()
    expect(bob.arrow("Diary", "To-do list")).to_be_visible()

    theirs = bob.card("To-do list", "To-do list")
    theirs.get_by_role("checkbox", name="The end. Bob read it.").check()
    expect(ada.card("To-do list", "To-do list").get_by_role("checkbox", name="The end. Bob read it.")).to_be_checked()
    bob.look("at-bobs")
    ada.look("at-adas")

    ada.button("Undo").click()
    expect(bob.card("Note", "Note")).to_be_visible()


def test_both_see_and_use_the_same_terminal(server: RunningServer, sit_down: Callable[..., Person]) -> None:
    ada = sit_down(server.address())
    bob = sit_down(server.another_address())
    ada.add("Terminal")
    ada.see_all()
    bob.see_all()
    at_adas, at_bobs = ada.card("Terminal", "Terminal"), bob.card("Terminal", "Terminal")
    ada.type_command(at_adas, "name=Ada")
    # Her keys travel on after the last is pressed; his must not come between them.
    expect(bob.screen(at_bobs)).to_contain_text("name=Ada")
    bob.type_command(at_bobs, "echo hello-$name")
    for person, terminal in ((ada, at_adas), (bob, at_bobs)):
        expect(person.screen(terminal).get_by_text("hello-Ada", exact=True)).to_be_visible()
