"""Ids, pages, hashes and the tree."""

from __future__ import annotations

import pytest

from cardloom_protocol.session import (
    Conflict,
    InvalidId,
    NodePatch,
    StoredSession,
    StoreNode,
    asset_name,
    content_hash,
    page_of,
    read_json,
    safe_id,
    swiped_leaf,
    to_history,
    to_thread,
    tree_of,
)
from cardloom_protocol.session.names import base36, uuid7


def nodes(*entries: str) -> list[StoreNode]:
    """Nodes written as `id` or `id<parent`."""
    made = []
    for entry in entries:
        name, _, parent = entry.partition("<")
        made.append(StoreNode(name, parent or None, "user", [{"type": "text", "text": name}]))
    return made


def test_switching_to_a_sibling_ends_at_its_deepest_last_message() -> None:
    tree = tree_of(nodes("u", "a1<u", "a2<u", "x<a2", "y<a2", "z<y"))
    assert tree.nodes[swiped_leaf(tree, 1, step=1)].id == "z"
    assert tree.nodes[swiped_leaf(tree, 2, index=0)].id == "a1"


def test_switching_stops_at_the_ends() -> None:
    tree = tree_of(nodes("u", "a1<u", "a2<u"))
    assert swiped_leaf(tree, 2, step=1) == 2
    assert swiped_leaf(tree, 1, step=-1) == 1
    assert swiped_leaf(tree, 1, index=99) == 2
    assert swiped_leaf(tree, 1, index=-1) == 1


def test_a_very_long_chat_is_walked_without_recursion() -> None:
    chain = [StoreNode("0", None, "user", [])]
    chain += [StoreNode(str(number), str(number - 1), "user", []) for number in range(1, 20_000)]
    session = StoredSession({"id": "s"}, chain)
    assert len(to_history(session)) == 20_000
    assert to_thread(session)[-1]["depth"] == 19_999
    tree = tree_of(chain)
    assert tree.descend(0) == 19_999
    assert len(tree.subtree(0)) == 20_000


def test_a_cycle_ends_every_walk() -> None:
    tree = tree_of(nodes("a<c", "b<a", "c<b", "r"))
    assert [tree.nodes[at].id for at in tree.path(1)] == ["c", "a", "b"]
    assert sorted(tree.subtree(0)) == [0, 1, 2]
    assert [at for at, _ in tree.walk()] == [3]


def test_the_hash_follows_role_and_parts_alone() -> None:
    node = StoreNode("a", None, "user", [{"type": "text", "text": "x"}], name="N", flags={"frozen": True})
    assert to_history(StoredSession({"id": "s"}, [node]))[0]["hash"] == content_hash("user", node.parts) == "7b557464"


def test_a_patch_with_another_hash_is_a_conflict_even_when_it_is_empty() -> None:
    NodePatch(text="x").check("7b557464")
    NodePatch(text="x", if_hash="7b557464").check("7b557464")
    with pytest.raises(Conflict):
        NodePatch(text="x", if_hash="").check("7b557464")


def test_ids_that_a_path_could_misread_are_refused_whole() -> None:
    assert safe_id("...") == "..."
    for value in ("a\n", "é", "..", "", None):
        with pytest.raises(InvalidId):
            safe_id(value)
    with pytest.raises(InvalidId) as caught:
        safe_id("x" * 5000 + "/")
    assert len(caught.value.message) < 300


def test_an_asset_is_one_file_name() -> None:
    assert asset_name("отчёт 1.pdf") == "отчёт 1.pdf"
    for value in ("a/b", "..", "a\x1f", 5):
        with pytest.raises(InvalidId):
            asset_name(value)


def test_a_uuid_of_version_7_begins_with_the_time() -> None:
    made = uuid7(0x0190A0000001, bytes(range(10)))
    assert made == "0190a000-0001-7001-8203-040506070809"
    assert uuid7(1, b"\xff" * 10) == "00000000-0001-7fff-bfff-ffffffffffff"


def test_short_ids_have_one_character_a_byte() -> None:
    assert base36(bytes([0, 35, 36, 255])) == "0z03"


def test_a_page_that_asks_for_nothing_does_not_move() -> None:
    page = page_of([1, 2, 3], 0)
    assert (page.items, page.cursor) == ([], page_of([1, 2, 3], -5).cursor)
    assert page_of([1, 2, 3], 2, page.cursor).items == [1, 2]


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[1,]", "", "\ufeff{}", "01", "'a'", "[" * 100_000, "{}x"])
def test_what_javascript_would_not_read_is_no_json(text: str) -> None:
    with pytest.raises(ValueError):
        read_json(text)


def test_numbers_too_long_for_python_are_read_all_the_same() -> None:
    assert read_json("1" * 5000) == float("inf")
    assert read_json("123456789012345678901") == 123456789012345678901
