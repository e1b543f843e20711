"""The local picture of a canvas."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardloom_sdk import Mirror

SNAPSHOT: dict[str, Any] = {
    "workspace": {"id": "w", "name": "Home"},
    "seq": 3,
    "cards": [{"id": "c1", "name": "One", "x": 0}, {"id": "c2", "name": "Two", "x": 5}],
    "arrows": [{"id": "a1", "a": "c1", "b": "c2"}],
    "dialogs": [],
}


def changed(seq: int, *changes: dict[str, Any]) -> dict[str, Any]:
    return {"workspaceId": "w", "seq": seq, "by": None, "changes": list(changes)}


def test_changes_are_taken_in_by_their_number() -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    assert mirror.apply(changed(4, {"op": "patchCard", "cardId": "c1", "fields": {"x": 9}})) == "applied"
    assert mirror.apply(changed(4, {"op": "patchCard", "cardId": "c1", "fields": {"x": 1}})) == "old"
    assert mirror.apply(changed(6, {"op": "removeCard", "cardId": "c1"})) == "gap"
    assert (mirror.seq, mirror.cards["c1"]["x"]) == (4, 9)


def test_a_removed_card_takes_its_arrows_along() -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    mirror.apply(changed(4, {"op": "removeCard", "cardId": "c2"}))
    assert (set(mirror.cards), mirror.arrows) == ({"c1"}, {})


def test_arrows_workspace_and_new_cards_follow() -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    mirror.apply(
        changed(
            4,
            {"op": "removeArrow", "arrowId": "a1"},
            {"op": "putCard", "card": {"id": "c3", "name": "Three"}},
            {"op": "putArrow", "arrow": {"id": "a2", "a": "c3", "b": "c1"}},
            {"op": "patchWorkspace", "fields": {"name": "Office"}},
            {"op": "aWordOfANewerServer"},
        )
    )
    assert (set(mirror.cards), set(mirror.arrows), mirror.workspace["name"]) == ({"c1", "c2", "c3"}, {"a2"}, "Office")
    assert mirror.arrow_between("c1", "c3") == {"id": "a2", "a": "c3", "b": "c1"}


def test_the_snapshot_itself_is_left_alone() -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    mirror.apply(changed(4, {"op": "patchCard", "cardId": "c1", "fields": {"x": 77}}))
    assert SNAPSHOT["cards"][0]["x"] == 0


def test_cards_are_found_by_name_exactly_or_else_whatever_the_case() -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    mirror.cards["c3"] = {"id": "c3", "name": "one"}
    assert [card["id"] for card in mirror.cards_named("one")] == ["c3"]
    assert [card["id"] for card in mirror.cards_named("TWO")] == ["c2"]
    assert mirror.cards_named("Three") == []


@given(st.lists(st.integers(min_value=1, max_value=12)))
def test_whatever_arrives_only_the_next_number_is_applied(seqs: list[int]) -> None:
    mirror = Mirror.from_snapshot(SNAPSHOT)
    for seq in seqs:
        before = mirror.seq
        taken = mirror.apply(changed(seq, {"op": "patchCard", "cardId": "c1", "fields": {"x": seq}}))
        assert (taken == "applied") == (seq == before + 1)
        assert mirror.seq == (seq if taken == "applied" else before)
