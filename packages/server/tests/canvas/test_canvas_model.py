"""The rules of the canvas as values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.core.graph import Graph
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, PutWorkspace, RemoveCard, Workspace, touched
from cardloom.features.canvas import model
from cardloom.features.canvas.contents import copied_content, first_content
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId

HOME = WorkspaceId("w")


def graph_of(*cards: Card, arrows: tuple[Arrow, ...] = ()) -> Graph:
    graph = Graph()
    graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/w", 0)), *map(PutCard, cards), *map(PutArrow, arrows)])
    return graph


def card(card_id: str, z: int = 1, **fields: Any) -> Card:
    return replace(Card(CardId(card_id), HOME, "note", 0, 0, 100, 100, z, 0), **fields)


def arrow(arrow_id: str, a: str, b: str, rank: int = 1) -> Arrow:
    return Arrow(ArrowId(arrow_id), HOME, CardId(a), CardId(b), "forward", DrawnBy(), 0, rank)


def test_an_arrow_that_a_card_or_an_agent_draws_waits_for_the_owner() -> None:
    graph = graph_of(card("a"), card("b"))
    for kind, pending in (("owner", False), ("card", True), ("agent", True)):
        drawn = model.new_arrow(
            graph,
            ArrowId("x"),
            "a",
            "b",
            direction="forward",
            drawn_by=DrawnBy(kind),  # type: ignore[arg-type]
            rank=1,
            now_ms=0,
        )
        assert drawn.pending is pending
        assert drawn.active is not pending


def test_confirming_an_arrow_changes_nothing_else() -> None:
    waiting = replace(arrow("x", "a", "b"), pending=True)
    assert model.turned(waiting, None, confirm=True) == PutArrow(replace(waiting, pending=False))
    assert model.turned(waiting, None, confirm=False) is None
    assert model.turned(waiting, "backward", confirm=False) == PutArrow(replace(waiting, direction="backward"))


def test_a_move_to_where_the_card_stands_is_no_change() -> None:
    stands = card("a", x=5)
    assert model.placed(stands, {"x": 5, "y": 0}) is None
    assert model.updated(graph_of(stands), stands, {"title": None, "x": 5}) is None
    assert model.updated(graph_of(stands), stands, {"z": "front"}) is None


def test_what_runs_is_told_by_kind_and_state() -> None:
    assert model.is_running(card("a", kind="terminal", runtime={"status": "working"}))
    assert model.is_running(card("a", kind="custom", runtime={"status": "running"}))
    assert not model.is_running(card("a", kind="terminal", runtime={"status": "idle"}))
    assert not model.is_running(card("a", kind="terminal"))
    assert not model.is_running(card("a", runtime={"status": "working"}))


ids = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.sets(ids),
    st.sets(ids),
    st.lists(st.tuples(ids, ids).filter(lambda ends: ends[0] != ends[1]), max_size=8),
    st.lists(st.tuples(ids, ids).filter(lambda ends: ends[0] != ends[1]), max_size=4),
)
def test_a_restoration_never_makes_a_canvas_that_could_not_be_drawn(
    standing: set[str], removed: set[str], gone: list[tuple[str, str]], drawn: list[tuple[str, str]]
) -> None:
    graph = graph_of(*(card(card_id) for card_id in sorted(standing)))
    for number, (a, b) in enumerate(drawn):
        if {a, b} <= standing and graph.arrow_between(CardId(a), CardId(b)) is None:
            graph.apply(HOME, [PutArrow(arrow(f"new{number}", a, b, number))])
    arrows = [arrow(f"old{number}", a, b, 100 + number) for number, (a, b) in enumerate(gone)]
    graph.apply(HOME, model.restoration(graph, [card(card_id) for card_id in sorted(removed)], arrows))
    assert {c.id for c in graph.cards_of(HOME)} == standing | removed
    pairs = [frozenset((each.a, each.b)) for each in graph.arrows_of(HOME)]
    assert len(pairs) == len(set(pairs))
    assert all(pair <= standing | removed for pair in pairs)


def test_a_removal_names_the_arrows_before_the_card() -> None:
    graph = graph_of(card("a"), card("b"), arrows=(arrow("x", "a", "b"),))
    removal = model.removal(graph, graph.card("a"))
    assert isinstance(removal[-1], RemoveCard)
    graph.apply(HOME, removal)
    assert graph.arrows_of(HOME) == []


@given(st.lists(st.tuples(st.sampled_from(["i1", "i2", None]), st.text(min_size=1, max_size=20)), max_size=10))
def test_items_get_ids_of_their_own_and_keep_the_ones_they_brought(entries: list[tuple[str | None, str]]) -> None:
    fresh = iter(range(1000))
    given_items = [{"text": text} | ({"id": item_id} if item_id else {}) for item_id, text in entries]
    made = first_content("todo", {"items": given_items}, lambda: f"f{next(fresh)}")["items"]
    assert [item["text"] for item in made] == [text for _, text in entries]
    assert len({item["id"] for item in made}) == len(made)
    for item_id in {item_id for item_id, _ in entries if item_id}:
        assert sum(item["id"] == item_id for item in made) == 1
    copy = copied_content("todo", {"items": made}, lambda: f"f{next(fresh)}")["items"]
    assert not {item["id"] for item in copy} & {item["id"] for item in made}


def test_the_201st_item_is_refused() -> None:
    with pytest.raises(CallError, match="content/items"):
        first_content("todo", {"items": [{"text": "x"}] * 201}, lambda: "i")


def test_a_change_names_the_fields_that_pages_must_replace() -> None:
    assert touched(card("a"), title="T").fields == ("title", "name")
    assert touched(card("a"), x=1, y=2).fields == ("x", "y")
