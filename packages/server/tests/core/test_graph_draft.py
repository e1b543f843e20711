"""A draft of the graph shows changes as if they were made, and the graph behind it stays as it was."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.core.graph import Graph
from cardloom.core.layer import Layer
from cardloom.core.records import (
    Arrow,
    Card,
    Change,
    DrawnBy,
    PutArrow,
    PutCard,
    PutWorkspace,
    RemoveArrow,
    RemoveCard,
    Workspace,
)
from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId

HOME = WorkspaceId("w")
CARDS = [CardId(f"c{number}") for number in range(5)]
PAIRS = [(one, two) for one in CARDS for two in CARDS if one < two]


def card(card_id: CardId, x: float) -> Card:
    return Card(card_id, HOME, "note", x, 0, 1, 1, 0, 0)


def arrow(pair: tuple[CardId, CardId]) -> Arrow:
    return Arrow(ArrowId(f"a_{pair[0]}{pair[1]}"), HOME, *pair, "forward", DrawnBy(), 0, PAIRS.index(pair))


changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(lambda card_id, x: PutCard(card(card_id, x)), st.sampled_from(CARDS), st.integers(0, 9)),
    st.builds(RemoveCard, st.sampled_from(CARDS)),
    st.builds(lambda pair: PutArrow(arrow(pair)), st.sampled_from(PAIRS)),
    st.builds(lambda pair: RemoveArrow(arrow(pair).id), st.sampled_from(PAIRS)),
)


def graph_of(made: Sequence[Change]) -> Graph:
    graph = Graph()
    graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/", 0))])
    graph.apply(HOME, made)
    return graph


def pictured(graph: Graph) -> object:
    return (
        dict(graph.workspaces),
        graph.cards_of(HOME),
        graph.arrows_of(HOME),
        [graph.arrows_at(card_id) for card_id in CARDS],
        [graph.find_card(card_id) for card_id in CARDS],
        [graph.arrow_between(*pair) for pair in PAIRS],
        graph.version(HOME),
    )


@given(st.lists(changes, max_size=12), st.lists(changes, max_size=12))
def test_a_draft_shows_what_the_changes_would_make_and_leaves_the_graph_alone(
    made: list[Change], planned: list[Change]
) -> None:
    graph = graph_of(made)
    before = pictured(graph)
    draft = graph.draft()
    draft.apply(HOME, planned)
    assert pictured(graph) == before
    graph.apply(HOME, planned)
    assert pictured(draft) == pictured(graph)


def test_a_layer_forgets_what_was_removed_and_takes_it_back() -> None:
    behind = {"a": 1, "b": 2}
    layer = Layer(behind)
    del layer["a"]
    layer["c"] = 3
    with pytest.raises(KeyError):
        del layer["a"]
    assert (dict(layer), len(layer), "a" in layer) == ({"b": 2, "c": 3}, 2, False)
    layer["a"] = 4
    assert (dict(layer), behind) == ({"a": 4, "b": 2, "c": 3}, {"a": 1, "b": 2})
