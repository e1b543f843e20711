"""Cards under the pointer: dragged in, moved, resized, chosen together, copied; the canvas panned and zoomed."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from .person import Person, Point, inside, middle


def size_of(person: Person) -> tuple[int, int]:
    width, _, height = person.fact("Size").inner_text().partition(" × ")
    return int(width), int(height)


def place_of(person: Person) -> tuple[int, int]:
    x, _, y = person.fact("Place").inner_text().partition(", ")
    return int(x), int(y)


def near(one: Point, other: Point) -> bool:
    """A drag begins after a few pixels, so cards lag behind the pointer by these."""
    return abs(one[0] - other[0]) < 10 and abs(one[1] - other[1]) < 10


def comes_near(card: Locator, x: float, y: float) -> None:
    """Wait until the middle of a card is at a place of the screen, but for these pixels."""
    card.page.wait_for_function(
        """([card, x, y]) => {
          const box = card.getBoundingClientRect();
          return Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y) < 14;
        }""",
        arg=[card.element_handle(), x, y],
    )


def choose(person: Person, card: Locator) -> None:
    card.locator(".card-title").click()
    expect(card.locator("[data-card-id]")).to_have_class(re.compile("is-selected"))


def test_a_card_is_dragged_in_from_the_bar_resized_moved_and_all_of_it_undone(person: Person) -> None:
    pane = person.page.locator(".react-flow__pane")
    person.button("Add: Note").drag_to(pane, target_position={"x": 300, "y": 200})
    note = person.card("Note", "Note")
    pane_box = pane.bounding_box()
    assert pane_box is not None
    comes_near(note, pane_box["x"] + 300, pane_box["y"] + 200)

    choose(person, note)
    size, place = size_of(person), place_of(person)
    corner = middle(note.locator(".react-flow__resize-control.bottom.right.handle"))
    person.drag(corner, (corner[0] + 120, corner[1] + 60))
    expect(person.fact("Size")).to_have_text(f"{size[0] + 120} × {size[1] + 60}")
    person.move(note, (80, 40))
    expect(person.fact("Place")).not_to_have_text(f"{place[0]}, {place[1]}")
    moved = place_of(person)
    assert near((moved[0] - place[0], moved[1] - place[1]), (80, 40))

    person.button("Undo").click()
    expect(person.fact("Place")).to_have_text(f"{place[0]}, {place[1]}")
    person.button("Undo").click()
    expect(person.fact("Size")).to_have_text(f"{size[0]} × {size[1]}")
    person.page.reload()
    choose(person, note)
    expect(person.fact("Place")).to_have_text(f"{place[0]}, {place[1]}")
    expect(person.fact("Size")).to_have_text(f"{size[0]} × {size[1]}")


def test_cards_chosen_with_a_box_are_moved_copied_and_deleted_together(person: Person) -> None:
    page = person.page
    person.add("Note")
    person.add("To-do list")
    person.see_all()
    note, todo = person.card("Note", "Note"), person.card("To-do list", "To-do list")
    person.draw_arrow(note, todo)
    expect(person.arrow("Note", "To-do list")).to_be_visible()
    first, second = note.bounding_box(), todo.bounding_box()
    assert first is not None
    assert second is not None
    page.keyboard.down("Shift")
    person.drag(
        (first["x"] - 20, min(first["y"], second["y"]) - 30), (second["x"] + second["width"] / 2, second["y"] + 90)
    )
    page.keyboard.up("Shift")
    expect(person.details()).to_contain_text("2 cards")
    person.look("chosen-together")

    x, y = middle(note)
    start = inside(todo)
    person.drag(start, (start[0], start[1] - 70))
    comes_near(note, x, y - 70)

    chosen = [card.get_attribute("data-card-id") for card in page.locator(".card.is-selected").all()]
    page.keyboard.press("Control+d")
    expect(page.locator("[data-card-id]")).to_have_count(4)
    for card_id in chosen:  # the copies are chosen in their place, a moment after they came
        expect(page.locator(f'[data-card-id="{card_id}"]')).not_to_have_class(re.compile("is-selected"))
    page.keyboard.press("Delete")
    expect(page.locator("[data-card-id]")).to_have_count(2)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("[data-card-id]")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(person.arrow("Note", "To-do list")).to_be_visible()
    expect(page.locator("[data-card-id]")).to_have_count(2)


def test_the_canvas_pans_and_zooms_under_the_pointer_and_cards_stay_where_they_are(person: Person) -> None:
    page = person.page
    person.add("Note")
    note = person.card("Note", "Note")
    choose(person, note)
    place = place_of(person)
    x, y = middle(note)
    person.drag((x, y + 200), (x + 120, y + 240))
    comes_near(note, x + 120, y + 40)

    zoom = page.get_by_role("button", name="Actual size")
    expect(zoom).to_have_text("100%")
    page.mouse.move(*inside(note))
    page.mouse.wheel(0, -300)
    expect(zoom).not_to_have_text("100%")
    person.let_rest()
    choose(person, note)
    assert place_of(person) == place


def test_cards_are_renamed_copied_and_added_from_menus(person: Person) -> None:
    page = person.page
    person.add("Note")
    note = person.card("Note", "Note")
    note.locator(".card-head").click(button="right")
    page.get_by_role("menuitem", name="Rename").click()
    page.keyboard.type("Recipes")
    page.keyboard.press("Enter")
    recipes = person.card("Note", "Recipes")
    expect(recipes).to_be_visible()
    person.choose("Menu of Recipes", "Duplicate")
    expect(recipes).to_have_count(2)
    person.look("a-copy")
    page.locator(".react-flow__pane").click(button="right", position={"x": 40, "y": 40})
    page.get_by_role("menuitem", name="Sticky").click()
    expect(person.card("Sticky", "Sticky")).to_be_visible()
