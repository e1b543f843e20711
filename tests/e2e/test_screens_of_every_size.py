"""The demo from a small laptop to a 4K screen, dark and light: everything is on the screen and nothing sticks out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, expect

from .person import Person
from .running_server import RunningServer

SIZES = ((1280, 800), (1480, 800), (1920, 1080), (3840, 2160))


def test_the_demo_fits_screens_of_every_size_in_both_looks(
    start_server: Callable[..., RunningServer], sit_down: Callable[..., Person], home: Path
) -> None:
    server = start_server("demo", str(home / "demo"))
    person = sit_down(server.address(), width=SIZES[0][0], height=SIZES[0][1])
    person.page.get_by_role("alertdialog").get_by_role("button", name="Allow").click()
    terminal, todo = person.card("Terminal", "Terminal"), person.card("To-do list", "To do")
    expect(person.card("Custom card", "Test Radar")).to_contain_text("watching")
    person.type_command(terminal, "clear; ./run-tests --tb=line")
    expect(person.tasks(todo)).to_have_count(3)
    person.click_arrow(person.arrow("Test Radar", "To do"))
    expect(person.details().get_by_role("heading", name="Test Radar → To do")).to_be_visible()
    expect(person.journal().first).to_contain_text("logs in with sso")
    for width, height in SIZES:
        person.page.set_viewport_size({"width": width, "height": height})
        for theme in ("Dark", "Light"):
            person.choose("Theme", theme)
            expect(person.page.locator("html")).to_have_attribute("data-scheme", theme.lower())
            person.see_all()
            assert_all_on_screen(person, width, height)
            person.look(f"demo-{width}-{theme.lower()}")


def assert_all_on_screen(person: Person, width: int, height: int) -> None:
    page = person.page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.documentElement.scrollHeight") == height
    canvas = box_of(page.locator("main"))
    corner = box_of(page.get_by_role("img", name="Map of the workspace"))
    tools = box_of(page.get_by_role("toolbar", name="Arrow", exact=True))
    assert within(tools, canvas)
    for card in page.locator("[data-card-id]").all():
        assert within(box_of(card), canvas), card.get_attribute("class")
        assert apart(box_of(card), tools), card.get_attribute("class")
        assert apart(box_of(card), corner), card.get_attribute("class")
    for part in ("banner", "complementary"):
        assert within(box_of(page.get_by_role(part).first), (0, 0, width, height))
    tray = box_of(page.get_by_role("toolbar", name="Add cards"))
    view = box_of(page.get_by_role("toolbar", name="View"))
    assert within(tray, canvas)
    assert within(view, canvas)
    assert apart(tray, view)


Box = tuple[float, float, float, float]


def box_of(locator: Locator) -> Box:
    """Left, top, right, bottom."""
    box = locator.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def within(inner: Box, outer: Box) -> bool:
    slack = 1
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def apart(one: Box, other: Box) -> bool:
    return one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
