"""The first vertical: a real failing test suite in a real terminal becomes tasks, and each fix ticks one off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect

from .person import Person
from .pictures import keep_picture
from .running_server import RunningServer

FAILING = ("logs in with sso", "pays with a saved card", "a refund keeps the fee")
FIXES = (
    r"sed -i 's/companies.get(domain)/companies.get(domain.lower())/' shop/auth.py",
    r"sed -i 's/self.month >= month and self.year >= year/(self.year, self.month) >= (year, month)/' shop/payments.py",
    r"sed -i 's/return payment.price - payment.fee/return payment.price/' shop/payments.py",
)


def let_test_radar_start(person: Person) -> None:
    question = person.page.get_by_role("alertdialog", name="Start “Test Radar”?")
    expect(question).to_contain_text("This program runs on your computer with your rights")
    expect(question).to_contain_text("agents.output")
    person.look("may-it-start")
    question.get_by_role("button", name="Allow").click()
    expect(question).to_have_count(0)


def run_the_tests(person: Person, terminal: Locator, command: str) -> None:
    person.type_command(terminal, command)


def sees_three_failures(person: Person, todo: Locator, note: Locator, radar: Locator) -> None:
    expect(person.tasks(todo)).to_have_count(3)
    for text in FAILING:
        expect(todo.get_by_role("checkbox", name=text)).not_to_be_checked()
    summary = note.get_by_role("document")
    expect(summary).to_contain_text("3 failing, 12 passing")
    expect(summary).to_contain_text("tests/test_payments.py::test_a_refund_keeps_the_fee")
    expect(radar).to_contain_text("3 failing")


def fixes_all_and_sees_them_ticked(
    person: Person, terminal: Locator, todo: Locator, note: Locator, radar: Locator, command: str
) -> None:
    person.type_command(terminal, FIXES[0])
    run_the_tests(person, terminal, command)
    expect(todo.get_by_role("checkbox", name=FAILING[0])).to_be_checked()
    for text in FAILING[1:]:
        expect(todo.get_by_role("checkbox", name=text)).not_to_be_checked()
    person.look("one-fixed")
    for fix in FIXES[1:]:
        person.type_command(terminal, fix)
    run_the_tests(person, terminal, command)
    for text in FAILING:
        expect(todo.get_by_role("checkbox", name=text)).to_be_checked()
    expect(person.tasks(todo)).to_have_count(3)
    expect(note.get_by_role("document")).to_contain_text("0 failing, 15 passing")
    expect(radar).to_contain_text("all passing")


def test_in_the_demo(start_server: Callable[..., RunningServer], sit_down: Callable[..., Person], home: Path) -> None:
    server = start_server("demo", str(home / "demo"))
    person = sit_down(server.address(), width=1480, motion=True)
    let_test_radar_start(person)
    terminal, radar = person.card("Terminal", "Terminal"), person.card("Custom card", "Test Radar")
    todo, note = person.card("To-do list", "To do"), person.card("Note", "Test log")
    person.let_rest()
    expect(radar).to_contain_text("watching")
    person.look("before")
    run_the_tests(person, terminal, "./run-tests")
    sees_three_failures(person, todo, note, radar)
    person.look("three-failures")
    keep_picture(person, radar, "test-radar")
    fixes_all_and_sees_them_ticked(person, terminal, todo, note, radar, "./run-tests")
    person.look("all-fixed")


def test_on_a_canvas_that_the_person_builds(
    start_server: Callable[..., RunningServer], sit_down: Callable[..., Person], sample_project: Path
) -> None:
    person = sit_down(start_server("up", str(sample_project)).address(), width=1480)
    person.add("Terminal")
    person.add("Test Radar")
    let_test_radar_start(person)
    person.add("To-do list")
    person.add("Note")
    person.see_all()
    terminal, radar = person.card("Terminal", "Terminal"), person.card("Custom card", "Test Radar")
    todo, note = person.card("To-do list", "To-do list"), person.card("Note", "Note")
    for start, end in ((terminal, radar), (radar, todo), (radar, note)):
        person.draw_arrow(start, end)
    for start_name, end_name in (("Terminal", "Test Radar"), ("Test Radar", "To-do list"), ("Test Radar", "Note")):
        expect(person.arrow(start_name, end_name)).to_be_attached()
    expect(radar).to_contain_text("watching")
    person.look("built")
    run_the_tests(person, terminal, "python3 -m pytest")
    sees_three_failures(person, todo, note, radar)
    person.look("built-three-failures")
    fixes_all_and_sees_them_ticked(person, terminal, todo, note, radar, "python3 -m pytest")
    person.look("built-all-fixed")
