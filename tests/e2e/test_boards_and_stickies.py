"""Task boards and stickies under the pointer."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from .person import Person, middle


def tasks_of(board: Locator, column: str) -> list[str | None]:
    tasks = board.get_by_role("region", name=column, exact=True).get_by_role("listitem")
    return [task.get_attribute("aria-label") for task in tasks.all()]


def test_a_task_is_dragged_from_column_to_column_and_stays_there(person: Person) -> None:
    person.add("Task board")
    person.see_all()
    board = person.card("Task board", "Task board")
    columns = board.get_by_role("region")
    first, second = (str(columns.nth(place).get_attribute("aria-label")) for place in (0, 1))
    for text in ("Draw a plan", "Build it"):
        board.get_by_role("textbox", name=f"Add task to {first}").fill(text)
        person.page.keyboard.press("Enter")
        expect(board.get_by_role("listitem", name=text)).not_to_have_attribute("aria-busy", "true")

    person.press_and_hold(
        middle(board.get_by_role("listitem", name="Build it").get_by_text("Build it")),
        middle(columns.nth(1)),
    )
    person.look("a-task-in-the-hand")
    person.page.mouse.up()
    moved = columns.nth(1).get_by_role("listitem", name="Build it")
    expect(moved).to_be_visible()
    assert (tasks_of(board, first), tasks_of(board, second)) == (["Draw a plan"], ["Build it"])

    person.page.reload()
    expect(moved).to_be_visible()
    expect(columns.first.get_by_role("listitem")).to_have_count(1)


def test_a_sticky_takes_words_and_another_colour(person: Person) -> None:
    person.add("Sticky")
    person.see_all()
    sticky = person.page.get_by_role("group", name=re.compile("^Sticky: "))
    yellow = sticky.get_by_role("button", name="Yellow")
    expect(yellow).to_have_attribute("aria-pressed", "true")
    paper = sticky.locator("[data-color]").first
    before = str(paper.evaluate("(element) => getComputedStyle(element).backgroundColor"))
    sticky.get_by_role("button", name="Blue").click()
    expect(sticky.get_by_role("button", name="Blue")).to_have_attribute("aria-pressed", "true")
    expect(paper).not_to_have_css("background-color", before)

    sticky.get_by_role("button", name="Write something").dblclick()
    person.page.keyboard.type("Ship on Friday")
    person.page.keyboard.press("Enter")
    named = person.card("Sticky", "Ship on Friday")
    expect(named).to_be_visible()
    person.look("a-blue-sticky")

    person.button("Undo").click()
    expect(named).to_have_count(0)
    person.button("Undo").click()
    expect(yellow).to_have_attribute("aria-pressed", "true")
