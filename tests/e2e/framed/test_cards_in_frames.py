"""Cards that are pages of their own, as people use them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Locator, expect

from ..hostile.hosting import Hosted
from ..person import Person, middle
from .conftest import Framed

Sit = Callable[..., Person]


def counter(person: Person) -> Framed:
    """The counter on the canvas."""
    return Framed(person, person.card("Custom card", "Counter"))


def sit_with_counter(hosted: Hosted, sit_down: Sit) -> Framed:
    """A person who just put the counter on the canvas."""
    person = sit_down(hosted.address())
    person.add("Counter")
    person.see_all()
    made = counter(person)
    expect(made.says("launch: created")).to_be_visible()
    return made


def far_away(person: Person) -> None:
    """Drag the canvas until its cards are off the screen."""
    for _ in range(3):
        person.drag((640, 640), (640, 60))


def back(person: Person) -> None:
    person.see_all()


def badge(card: Locator) -> Locator:
    return card.locator(".card-head .badge")


def test_a_card_in_one_file_runs_and_what_it_shows_survives_a_reload(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count(3)
    expect(badge(made.card)).to_have_text("3")
    made.person.look("counter")
    made.person.page.reload()
    expect(badge(made.card)).to_have_text("3")
    expect(made.says("launch: reloaded")).to_be_visible()
    expect(made.counted).to_have_text("0")


def test_out_of_sight_and_zoomed_out_a_card_goes_on(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count(2)
    far_away(made.person)
    expect(made.card).not_to_be_attached()
    # The page tells what it shows now and then: a card that is back before it did was never out of sight.
    expect(made.says("seen: hidden")).to_be_attached()
    back(made.person)
    expect(made.says("seen: visible")).to_be_visible()
    expect(made.counted).to_have_text("2")
    made.person.page.mouse.move(640, 640)
    made.person.page.keyboard.down("Control")
    for _ in range(6):
        made.person.page.mouse.wheel(0, 120)
    made.person.page.keyboard.up("Control")
    made.person.let_rest()
    expect(made.card.locator(".card-tile")).to_contain_text("counted")
    made.person.look("tile")
    back(made.person)
    expect(made.counted).to_have_text("2")
    expect(made.says("launch: created")).to_be_visible()


def test_cards_are_dragged_across_a_frame_and_a_frame_with_its_card(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count()
    made.person.add("Note")
    made.person.see_all()
    note = made.person.card("Note", "Note")
    x, y = middle(made.card)
    made.person.drag(middle(note.locator(".card-title")), (x, y))
    box = note.bounding_box()
    assert box is not None
    assert abs(box["y"] - y) < 40
    made.person.move(made.card, (-60, -40))
    expect(made.counted).to_have_text("1")


def test_a_card_is_open_in_one_window_and_another_takes_it_over(hosted: Hosted, sit_down: Sit) -> None:
    ada = sit_with_counter(hosted, sit_down)
    bob = sit_down(hosted.address(), width=1920, height=1080, scheme="light")
    theirs = counter(bob)
    expect(theirs.card).to_contain_text("This card is open in another window.")
    bob.look("elsewhere")
    theirs.card.get_by_role("button", name="Take over").click()
    expect(theirs.says("launch: reloaded")).to_be_visible()
    expect(ada.card).to_contain_text("This card is open in another window.")
    bob.page.close()
    expect(ada.says("launch: reloaded")).to_be_visible()


def test_a_card_fills_the_window_and_returns_without_starting_over(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count(4)
    made.card.click(button="right", position={"x": 60, "y": 14})
    made.person.page.get_by_role("menuitem", name="Fill the window").click()
    large = made.person.page.get_by_role("dialog", name="Counter")
    expect(large.locator("iframe")).to_be_visible()
    expect(made.says("expanded: true")).to_be_visible()
    expect(made.counted).to_have_text("4")
    made.person.look("large")
    made.person.page.keyboard.press("Escape")
    expect(large).not_to_be_attached()
    expect(made.says("expanded: false")).to_be_visible()
    expect(made.counted).to_have_text("4")


def test_a_cards_own_entries_stand_in_its_menu(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    expect(made.says("menu: set")).to_be_visible()
    made.card.hover()
    made.card.get_by_role("button", name="Menu of Counter").click()
    made.person.page.get_by_role("menuitem", name="Begin again").click()
    expect(made.says("chosen: reset")).to_be_visible()


def test_a_call_for_attention_waits_in_the_inbox_and_leads_to_its_card(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.inside.get_by_role("button", name="Call").click()
    expect(made.card).to_contain_text("Count something!")
    far_away(made.person)
    made.person.button("Inbox: 1 waiting").click()
    made.person.page.get_by_role("dialog", name="Inbox").get_by_role("button", name="Go to Counter").click()
    expect(made.counted).to_be_visible()
    made.person.look("attention")


def test_theme_and_language_reach_a_card_while_it_runs(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.person.choose("Theme", "Light")
    expect(made.says("scheme: light")).to_be_visible()
    made.person.choose("Language", "Русский")
    expect(made.says("language: ru")).to_be_visible()
    made.person.choose("Язык", "English")
    expect(made.says("language: en")).to_be_visible()
    expect(made.says("launch: created")).to_be_visible()


def test_a_card_that_falls_silent_is_marked_and_loaded_anew(hosted: Hosted, sit_down: Sit) -> None:
    beats = hosted.app.cards.heartbeats
    made = sit_with_counter(hosted, sit_down)
    made.inside.get_by_role("button", name="Fall silent").click()
    beats._silence_ms = 0
    chip = made.card.get_by_role("alert")
    expect(chip).to_contain_text("The card does not answer.")
    made.person.look("silent")
    beats._silence_ms = 15_000
    chip.get_by_role("button", name="Reload").click()
    expect(made.says("launch: reloaded")).to_be_visible()
    expect(chip).not_to_be_attached()


def test_a_card_that_slept_comes_back_where_it_was(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count(5)
    expect(badge(made.card)).to_have_text("5")
    frames = hosted.app.cards.frames
    frames.times = replace(frames.times, hidden_ms=0, grace_ms=50)
    far_away(made.person)
    expect(made.person.page.locator("iframe.frame")).to_have_count(0)
    back(made.person)
    expect(made.says("launch: resumed")).to_be_visible()
    expect(badge(made.card)).to_have_text("5")


def test_enter_leads_into_a_frame_and_a_press_in_it_selects_its_card(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    node = made.card
    node.focus()
    made.person.page.keyboard.press("Enter")
    expect(made.person.page.locator("iframe.frame")).to_be_focused()
    made.person.page.keyboard.press("Tab")
    expect(made.inside.get_by_role("button", name="Count")).to_be_focused()
    made.person.page.keyboard.press("Enter")
    expect(made.counted).to_have_text("1")
    made.person.page.locator(".react-flow__pane").click(position={"x": 40, "y": 500})
    expect(node.locator(".card")).not_to_have_class(re.compile("is-selected"))
    made.inside.get_by_role("textbox", name="Words").click()
    expect(node.locator(".card")).to_have_class(re.compile("is-selected"))


def test_after_the_server_was_away_cards_run_again(hosted: Hosted, sit_down: Sit) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.count()
    hosted.drop_everybody()
    expect(made.says("launch: reloaded")).to_be_visible()
    expect(badge(made.card)).to_have_text("1")


def test_a_card_that_asks_two_hundred_times_a_second_leaves_the_page_to_the_person(
    hosted: Hosted, sit_down: Sit
) -> None:
    made = sit_with_counter(hosted, sit_down)
    made.inside.get_by_role("button", name="Flood").click()
    expect(made.says("flood: runs")).to_be_visible()
    made.person.rename(made.card, "Busy")
    renamed = Framed(made.person, made.person.card("Custom card", "Busy"))
    expect(renamed.card).to_be_visible()
    made.person.add("Note")
    expect(made.person.card("Note", "Note")).to_be_visible()
    expect(renamed.says("flood: runs")).to_be_visible()
    renamed.inside.get_by_role("button", name="Flood").click()
    expect(renamed.says("flood: answered")).to_be_visible()
