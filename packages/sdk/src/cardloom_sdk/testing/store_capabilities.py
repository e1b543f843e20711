"""What a store must do that can edit, branch, fork or keep things beside a session. See `store_contract`."""

from __future__ import annotations

from typing import Any, Final

from cardloom_protocol.session import Conflict, InvalidId, NodeInput, NodePatch, NotFound, SessionError, has

from ..stores.contract import SessionStore
from .store_steps import Check, history, made, refused, shown_ids

# edits.edit


async def editing_the_text_keeps_the_other_parts(store: SessionStore) -> None:
    await made(store, "a")
    parts: list[Any] = [{"type": "thinking", "text": "t"}, {"type": "text", "text": "1"}, {"type": "text", "text": "2"}]
    await store.append_node("s", NodeInput("assistant", id="b", parts=parts))
    edited = await store.edit_node("s", "b", NodePatch(text="new"))
    assert edited.parts == [{"type": "thinking", "text": "t"}, {"type": "text", "text": "new"}]
    assert (await history(store, "s"))[1]["parts"] == edited.parts
    assert (await history(store, "s"))[0]["parts"] == [{"type": "text", "text": "A"}]


async def an_edit_with_a_stale_hash_writes_nothing(store: SessionStore) -> None:
    await made(store, "a")
    seen = (await history(store, "s"))[0]["hash"]
    await store.edit_node("s", "a", NodePatch(text="X", if_hash=seen))
    before = await store.version("s")
    await refused(Conflict, store.edit_node("s", "a", NodePatch(text="Y", if_hash=seen)))
    await refused(Conflict, store.edit_node("s", "a", NodePatch(text="Y", if_hash="")))
    await refused(NotFound, store.edit_node("s", "nope", NodePatch(text="Y")))
    assert await store.version("s") == before


# edits.delete


async def children_of_a_deleted_message_hang_below_its_parent(store: SessionStore) -> None:
    await made(store, "a", "b", "c")
    await store.append_node("s", NodeInput("user", id="c2", text="C2", parent="b"))
    await store.delete_node("s", "b")
    nodes = (await store.load("s")).nodes
    assert {node.id: node.parent for node in nodes} == {"a": None, "c": "a", "c2": "a"}
    await refused(NotFound, store.delete_node("s", "b"))


async def deleting_the_end_of_a_session_ends_it_at_the_message_above(store: SessionStore) -> None:
    await made(store, "a", "b")
    await store.append_node("s", NodeInput("assistant", id="b2", text="B2", parent="a"))
    if has(dict(store.capabilities), "swipes"):
        await store.set_active_leaf("s", "b2")
    await store.delete_node("s", "b2")
    assert await shown_ids(store, "s") == ["a"]


async def the_only_message_can_be_deleted(store: SessionStore) -> None:
    await made(store, "a")
    await store.delete_node("s", "a")
    assert await history(store, "s") == []
    await store.append_node("s", NodeInput("user", id="b", text="B"))
    assert await shown_ids(store, "s") == ["b"]


# edits.hide


async def hiding_sets_one_flag_and_showing_clears_it(store: SessionStore) -> None:
    await made(store, "a")
    await store.append_node("s", NodeInput("assistant", id="b", text="B", flags={"frozen": True}))
    await store.hide_node("s", "b", True)
    await store.hide_node("s", "b", True)
    assert (await history(store, "s"))[1]["flags"] == {"frozen": True, "disabled": True}
    await store.hide_node("s", "b", False)
    assert (await history(store, "s"))[1]["flags"] == {"frozen": True}
    await refused(NotFound, store.hide_node("s", "nope", True))


# swipes


async def an_alternative_is_a_sibling_that_can_be_switched_to(store: SessionStore) -> None:
    await made(store, "u", "a1")
    await store.append_node("s", NodeInput("assistant", id="a2", text="2", parent="u"))
    await store.set_active_leaf("s", "a2")
    shown = await history(store, "s")
    assert [message["id"] for message in shown] == ["u", "a2"]
    assert shown[1]["swipes"] == {"active": 1, "count": 2}
    await store.append_node("s", NodeInput("user", id="u2", text="next"))
    await store.set_active_leaf("s", "a1")
    shown = await history(store, "s")
    assert [message["id"] for message in shown] == ["u", "a1"]
    assert shown[1]["swipes"]["count"] == 2
    await store.set_active_leaf("s", "u2")
    assert await shown_ids(store, "s") == ["u", "a2", "u2"]
    await refused(NotFound, store.set_active_leaf("s", "nope"))


async def a_second_greeting_is_a_second_root(store: SessionStore) -> None:
    await store.create(session_id="s")
    await store.append_node("s", NodeInput("assistant", id="g1", text="1"))
    await store.append_node("s", NodeInput("assistant", id="g2", text="2", parent=None))
    await store.set_active_leaf("s", "g2")
    shown = await history(store, "s")
    assert [(message["id"], message["swipes"]) for message in shown] == [("g2", {"active": 1, "count": 2})]


async def a_new_root_is_one_even_when_an_older_branch_is_active(store: SessionStore) -> None:
    await made(store, "a", "b", "c")
    await store.set_active_leaf("s", "b")
    node = await store.append_node("s", NodeInput("user", id="r", text="R", parent=None))
    assert node.parent is None
    assert {found.id: found.parent for found in (await store.load("s")).nodes}["r"] is None


# fork


async def a_fork_is_a_copy_that_goes_its_own_way(store: SessionStore) -> None:
    await made(store, "a", "b", "c")
    before = await store.version("s")
    info = await store.fork_copy("s", "b")
    assert info["parentSessionId"] == "s"
    assert info["forkMessageId"] == "b"
    assert info["messageCount"] == 2
    assert [message["parts"] for message in await history(store, info["id"])] == [
        [{"type": "text", "text": "A"}],
        [{"type": "text", "text": "B"}],
    ]
    await store.append_node(info["id"], NodeInput("user", text="else"))
    assert await store.version("s") == before
    await refused(NotFound, store.fork_copy("s", "nope"))
    await refused(NotFound, store.fork_copy("ghost"))


async def a_fork_without_a_message_copies_the_active_branch(store: SessionStore) -> None:
    await made(store, "a", "b")
    info = await store.fork_copy("s")
    assert "forkMessageId" not in info
    assert len(await history(store, info["id"])) == 2
    await store.create(session_id="empty")
    await refused(SessionError, store.fork_copy("empty"))


# rename, sessionMeta, assets


async def a_title_is_kept(store: SessionStore) -> None:
    await made(store, "a")
    await store.rename("s", "It's {new}\n%line")
    assert (await store.load("s")).info["title"] == "It's {new}\n%line"
    assert (await store.list()).sessions[0]["title"] == "It's {new}\n%line"
    assert await shown_ids(store, "s") == ["a"]
    await refused(NotFound, store.rename("ghost", "x"))


async def a_document_is_merged_replaced_and_kept_apart(store: SessionStore) -> None:
    await made(store, "a")
    assert await store.get_meta("s") == {}
    await store.patch_meta("s", {"a": 1, "p": {"x": 1}})
    await store.patch_meta("s", {"p": {"y": 2}, "n": None})
    assert await store.get_meta("s") == {"a": 1, "p": {"y": 2}, "n": None}
    await store.set_meta("s", {"activeLeaf": "zzz"})
    assert await store.get_meta("s") == {"activeLeaf": "zzz"}
    await store.set_meta("s", {})
    assert await store.get_meta("s") == {}
    assert await shown_ids(store, "s") == ["a"]
    await refused(NotFound, store.get_meta("ghost"))


async def an_asset_is_found_by_its_reference(store: SessionStore) -> None:
    await made(store, "a")
    ref = await store.put_asset("s", "отчёт 1.pdf", b"\x00\xff", "application/pdf")
    assert await store.get_asset("s", ref) == b"\x00\xff"
    assert await store.put_asset("s", "отчёт 1.pdf", b"new") == ref
    assert await store.get_asset("s", ref) == b"new"
    for bad in ("../x", "", "a/b", ".."):
        await refused(InvalidId, store.put_asset("s", bad, b"x"))
    await refused(NotFound, store.put_asset("ghost", "a", b"x"))
    await refused(SessionError, store.get_asset("s", ref + "x"))
    await refused(SessionError, store.get_asset("s", "file:s.assets/../../etc/passwd"))


CHECKS_BY_CAPABILITY: Final[dict[str, tuple[Check, ...]]] = {
    "edits.edit": (editing_the_text_keeps_the_other_parts, an_edit_with_a_stale_hash_writes_nothing),
    "edits.delete": (
        children_of_a_deleted_message_hang_below_its_parent,
        deleting_the_end_of_a_session_ends_it_at_the_message_above,
        the_only_message_can_be_deleted,
    ),
    "edits.hide": (hiding_sets_one_flag_and_showing_clears_it,),
    "swipes": (
        an_alternative_is_a_sibling_that_can_be_switched_to,
        a_second_greeting_is_a_second_root,
        a_new_root_is_one_even_when_an_older_branch_is_active,
    ),
    "fork": (a_fork_is_a_copy_that_goes_its_own_way, a_fork_without_a_message_copies_the_active_branch),
    "rename": (a_title_is_kept,),
    "sessionMeta": (a_document_is_merged_replaced_and_kept_apart,),
    "assets": (an_asset_is_found_by_its_reference,),
}
"""The checks that a capability brings along."""
