"""A card asks, and the person sees who asks and decides."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Sit
from .person import Person
from .running_server import RunningServer

ASKER = Path(__file__).parent / "asking"


@pytest.fixture
def asker(server: RunningServer, person: Person) -> Iterator[Locator]:
    """The asking card, run by hand beside the server."""
    person.sees_online()
    program = subprocess.Popen(
        [sys.executable, "-m", "cardloom", "card", "run", str(ASKER)],
        env=dict(server._environment()),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    card = person.card("Custom card", "Asker")
    expect(card.get_by_text("ready").first).to_be_visible()
    person.see_all()
    yield card
    program.terminate()
    program.communicate(timeout=30)


def choose(page: Page, card: Locator, entry: str) -> None:
    """Choose an entry of the card's menu."""
    card.get_by_role("button", name="Menu of Asker").click()
    page.get_by_role("menuitem", name=entry, exact=True).click()


def status(card: Locator, text: str) -> None:
    expect(card.locator(".card-head")).to_contain_text(text)


def question(page: Page, title: str) -> Locator:
    found = page.get_by_role("alertdialog", name=title)
    expect(found).to_be_visible()
    return found


def test_a_question_names_its_card_and_its_answer_reaches_the_card(person: Person, page: Page, asker: Locator) -> None:
    choose(page, asker, "Ask me")
    asked = question(page, "“Asker” asks")
    expect(asked.get_by_text("The release is ready.")).to_be_visible()
    expect(asked.get_by_text(re.compile("refused by itself in .* s"))).to_be_visible()
    person.look("a-question")
    asked.get_by_role("button", name="Yes").click()
    status(asker, "confirmed: True")
    choose(page, asker, "Drop all")
    asked = question(page, "“Asker” asks")
    person.look("a-dangerous-question")
    page.keyboard.press("Escape")
    status(asker, "dropped: False")


def test_an_entry_that_is_disabled_cannot_be_chosen(page: Page, asker: Locator) -> None:
    asker.get_by_role("button", name="Menu of Asker").click()
    expect(page.get_by_role("menuitem", name="Not now")).to_be_disabled()


def test_permissions_can_be_given_in_part_and_are_told_to_the_card(person: Person, page: Page, asker: Locator) -> None:
    choose(page, asker, "Get permissions")
    asked = question(page, "“Asker” asks for permission")
    expect(asked.get_by_text("Shows open issues.")).to_be_visible()
    expect(asked.get_by_text("api.example.org")).to_be_visible()
    person.look("permissions")
    asked.get_by_role("checkbox").nth(0).uncheck()
    asked.get_by_role("button", name="Allow").click()
    status(asker, "granted: network")


def test_a_link_opens_in_a_page_of_its_own_that_knows_nothing_of_us(person: Person, page: Page, asker: Locator) -> None:
    page.context.route("https://docs.example.org/**", lambda route: route.fulfill(body="<title>Guide</title>"))
    choose(page, asker, "Read more")
    asked = question(page, "“Asker” wants to open a link")
    expect(asked.get_by_text("It leads to docs.example.org")).to_be_visible()
    person.look("a-link")
    with page.context.expect_page() as opened:
        asked.get_by_role("link", name="Open").click()
    other = opened.value
    other.wait_for_load_state()
    assert other.url == "https://docs.example.org/guide?from=card"
    assert other.evaluate("window.opener") is None
    assert other.evaluate("document.referrer") == ""
    other.close()
    status(asker, "opened: True")


def test_what_a_card_copies_is_on_the_clipboard_and_the_person_is_told(
    person: Person, page: Page, asker: Locator
) -> None:
    told = person.toast_to_come("Asker: Text copied to the clipboard")
    choose(page, asker, "Copy the command")
    told()
    status(asker, "copied")
    assert person.clipboard() == "npm test -- --grep checkout"


def test_settings_are_filled_in_and_a_secret_is_never_shown_again(person: Person, page: Page, asker: Locator) -> None:
    expect(asker.get_by_text("2 settings are missing.")).to_be_visible()
    person.look("missing-settings")
    asker.get_by_role("button", name="Fill in").click()
    form = page.get_by_role("dialog", name="Settings of “Asker”")
    form.get_by_label("Repository").fill("acme/shop")
    form.get_by_label("Issues shown").fill("500")
    form.get_by_label("Access token").fill("t0k-to-see")
    person.look("settings")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("At most 100.")
    person.look("a-setting-out-of-range")
    form.get_by_label("Issues shown").fill("50")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    expect(asker.get_by_text("acme/shop 50")).to_be_visible()
    expect(asker.get_by_text("token set")).to_be_visible()
    expect(asker.get_by_text("settings are missing")).to_be_hidden()
    choose(page, asker, "Set up")
    expect(form.get_by_label("Access token")).to_have_value("")
    expect(form.get_by_label("Access token")).to_have_attribute("placeholder", re.compile("set"))
    assert "t0k-to-see" not in page.content()


def test_a_card_that_is_added_by_another_comes_into_view_and_its_arrow_waits(
    person: Person, page: Page, asker: Locator
) -> None:
    choose(page, asker, "Make a note")
    status(asker, "spawned")
    expect(person.card("Note", "Report").get_by_text("Done")).to_be_visible()
    expect(person.arrow("Asker", "Report")).to_be_attached()
    person.let_rest()
    person.look("a-pending-arrow")


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_what_cards_ask_can_be_read_on_every_screen(
    server: RunningServer, asker: Locator, sit_down: Sit, width: int, scheme: str
) -> None:
    person = sit_down(server.another_address(), width=width, height=width * 5 // 8, scheme=scheme)
    person.see_all()
    card = person.card("Custom card", "Asker")
    choose(person.page, card, "Settings…")
    form = person.page.get_by_role("dialog", name="Settings of “Asker”")
    expect(form.get_by_label("Repository")).to_be_visible()
    person.look(f"settings-{scheme}-{width}")
    person.page.keyboard.press("Escape")
    choose(person.page, card, "Get permissions")
    question(person.page, "“Asker” asks for permission")
    person.look(f"permissions-{scheme}-{width}")
    person.page.keyboard.press("Escape")
