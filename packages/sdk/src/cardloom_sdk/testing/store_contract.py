"""What every store of sessions must do, as checks that run on any of them.

A check takes an empty store and returns when all is well. `checks_for` picks those that a store's capabilities reach;
what lies beyond them must be refused. Spec: session protocol, storage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from cardloom_protocol.session import (
    Conflict,
    InvalidId,
    Message,
    NodeInput,
    NodePatch,
    NotFound,
    NotSupported,
    SessionError,
    has,
    to_history,
)

from ..stores.contract import SessionStore

Check: TypeAlias = Callable[[SessionStore], Awaitable[None]]

EVERY_PART: list[Any] = [
    {"type": "text", "text": "lead %user\n%assistant\n````\n%x\n````"},
    {"type": "text", "text": ""},
    {"type": "thinking", "text": "t", "meta": {"signature": "s"}},
    {"type": "tool_use", "data": {"b": 1, "a": [None, 1.5, "é😀\u2028"]}, "meta": {"callId": "c1", "name": "calc"}},
    {"type": "tool_result", "data": [1], "text": "one", "meta": {"callId": "c1", "name": "calc", "error": False}},
    {"type": "file", "text": "body", "meta": {"name": "a b.pdf", "mime": "application/pdf", "ref": "r", "tokens": 5}},
    {"type": "image", "meta": {"mime": "image/png", "url": "data:image/png;base64,AAAA", "alt": "x"}},
    {"type": "image", "meta": {"url": "https://example.org/y.png"}},
    {"type": "error", "text": "boom", "meta": {"code": "E"}},
    {"type": "custom", "data": {"w": 1}, "text": "alt", "meta": {"hint": "poll", "extra": 7}},
    {"type": "hologram", "payload": {"deep": [{"x": "\u0001"}]}},
]


async def refused(kind: type[SessionError], work: Awaitable[object]) -> None:
    """Waits for work that must fail with an error of that kind."""
    try:
        await work
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected")


async def history(store: SessionStore, session_id: str) -> list[Message]:
    """The messages that a client would see."""
    return to_history(await store.load(session_id))


async def shown_ids(store: SessionStore, session_id: str) -> list[str]:
    """The ids of the messages that a client would see."""
    return [message["id"] for message in await history(store, session_id)]


async def made(store: SessionStore, *ids: str, session_id: str = "s") -> None:
    """A session with some messages, one below the other."""
    await store.create(session_id=session_id)
    for number, node_id in enumerate(ids):
        role = "assistant" if number % 2 else "user"
        await store.append_node(session_id, NodeInput(role, id=node_id, text=node_id.upper()))


# Every store


async def a_new_session_is_empty_and_listed(store: SessionStore) -> None:
    info = await store.create(session_id="s", info={"title": "T"})
    assert info["id"] == "s"
    assert info["messageCount"] == 0
    assert info["createdAt"].endswith("Z")
    assert await history(store, "s") == []
    assert [found["id"] for found in (await store.list()).sessions] == ["s"]


async def a_session_gets_an_id_of_its_own(store: SessionStore) -> None:
    first, second = await store.create(), await store.create()
    assert first["id"] != second["id"]
    await store.append_node(first["id"], NodeInput("user", text="x"))
    assert len(await history(store, first["id"])) == 1
    assert await history(store, second["id"]) == []


async def an_existing_session_is_not_made_again(store: SessionStore) -> None:
    await made(store, "a")
    await refused(Conflict, store.create(session_id="s"))
    assert await shown_ids(store, "s") == ["a"]


async def unsafe_ids_are_refused_before_anything_is_read(store: SessionStore) -> None:
    for bad in ("../x", "", "..", "a b", "a\n", "a/b"):
        await refused(InvalidId, store.create(session_id=bad))
        await refused(InvalidId, store.load(bad))
        await refused(InvalidId, store.append_node(bad, NodeInput("user", text="x")))
    await made(store)
    await refused(InvalidId, store.append_node("s", NodeInput("user", id="../x", text="x")))
    assert (await store.list()).sessions[0]["id"] == "s"


async def an_unknown_session_is_not_found(store: SessionStore) -> None:
    await refused(NotFound, store.load("ghost"))
    await refused(NotFound, store.append_node("ghost", NodeInput("user", text="x")))
    await refused(NotFound, store.version("ghost"))
    assert (await store.list()).sessions == []


async def messages_follow_each_other(store: SessionStore) -> None:
    await made(store, "a", "b", "c")
    session = await store.load("s")
    assert [(node.id, node.parent) for node in session.nodes] == [("a", None), ("b", "a"), ("c", "b")]
    assert [message["parts"] for message in await history(store, "s")][1] == [{"type": "text", "text": "B"}]


async def a_message_id_is_taken_once(store: SessionStore) -> None:
    await made(store, "a", "b")
    before = await store.version("s")
    await refused(Conflict, store.append_node("s", NodeInput("user", id="a", text="x")))
    assert await store.version("s") == before


async def every_part_flag_and_meta_comes_back(store: SessionStore) -> None:
    await made(store, "a")
    node = NodeInput(
        "assistant",
        id="b",
        name="Bot {x}",
        parts=EVERY_PART,
        flags={"visible": False, "frozen": True, "injected": True},
        meta={"model": "m", "usage": {"input": 1, "output": 2}, "k": {"deep": [1]}},
    )
    returned = await store.append_node("s", node)
    read = (await store.load("s")).nodes[-1]
    assert read.parts == EVERY_PART == returned.parts
    assert (read.role, read.name, read.flags) == ("assistant", "Bot {x}", node.flags)
    assert read.meta is not None
    assert {name: value for name, value in read.meta.items() if name != "createdAt"} == node.meta


async def a_message_may_have_no_parts_at_all(store: SessionStore) -> None:
    await made(store)
    await store.append_node("s", NodeInput("assistant", id="a", parts=[]))
    assert (await store.load("s")).nodes[0].parts == []


async def a_named_parent_makes_a_branch(store: SessionStore) -> None:
    await made(store, "a", "b")
    node = await store.append_node("s", NodeInput("assistant", id="b2", text="B2", parent="a"))
    assert node.parent == "a"
    root = await store.append_node("s", NodeInput("user", id="r", text="R", parent=None))
    assert root.parent is None
    parents = {found.id: found.parent for found in (await store.load("s")).nodes}
    assert parents == {"a": None, "b": "a", "b2": "a", "r": None}


async def pages_of_sessions_cover_all_of_them_once(store: SessionStore) -> None:
    for number in range(5):
        await store.create(session_id=f"s{number}")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await store.list(limit=2, cursor=cursor)
        seen += [info["id"] for info in page.sessions]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(seen) == [f"s{number}" for number in range(5)]
    assert len((await store.list(limit=2, cursor="junk")).sessions) == 2


async def what_was_loaded_can_be_changed_without_harm(store: SessionStore) -> None:
    await made(store, "a")
    loaded = await store.load("s")
    loaded.nodes[0].parts[0]["text"] = "changed"
    loaded.nodes[0].parts.append({"type": "text", "text": "more"})
    assert (await history(store, "s"))[0]["parts"] == [{"type": "text", "text": "A"}]


async def what_was_given_can_be_changed_without_harm(store: SessionStore) -> None:
    await made(store)
    parts: list[Any] = [{"type": "custom", "data": {"deep": [1]}, "meta": {"hint": "h"}}]
    await store.append_node("s", NodeInput("user", id="a", parts=parts))
    parts[0]["data"]["deep"].append(2)
    assert (await history(store, "s"))[0]["parts"][0]["data"] == {"deep": [1]}


async def many_writers_lose_nothing(store: SessionStore) -> None:
    await made(store)
    await asyncio.gather(*(store.append_node("s", NodeInput("user", text=str(number))) for number in range(20)))
    texts = {str(message["parts"][0]["text"]) for message in await history(store, "s")}
    assert texts == {str(number) for number in range(20)}


async def the_version_changes_with_the_messages(store: SessionStore) -> None:
    await made(store, "a")
    before = await store.version("s")
    assert await store.version("s") == before
    await store.append_node("s", NodeInput("user", text="x"))
    assert await store.version("s") != before


async def what_is_beyond_the_capabilities_is_refused(store: SessionStore) -> None:
    await made(store, "a")
    before = await store.version("s")
    beyond: list[tuple[str, Callable[[], Awaitable[object]]]] = [
        ("edits.edit", lambda: store.edit_node("s", "a", NodePatch(text="x"))),
        ("edits.delete", lambda: store.delete_node("s", "a")),
        ("edits.hide", lambda: store.hide_node("s", "a", True)),
        ("swipes", lambda: store.set_active_leaf("s", "a")),
        ("fork", lambda: store.fork_copy("s")),
        ("rename", lambda: store.rename("s", "x")),
        ("sessionMeta", lambda: store.get_meta("s")),
        ("sessionMeta", lambda: store.patch_meta("s", {})),
        ("sessionMeta", lambda: store.set_meta("s", {})),
        ("assets", lambda: store.put_asset("s", "a", b"")),
        ("assets", lambda: store.get_asset("s", "a")),
    ]
    for capability, call in beyond:
        if not has(dict(store.capabilities), capability):
            await refused(NotSupported, call())
    assert await store.version("s") == before


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


_CHECKS: dict[str, tuple[Check, ...]] = {
    "": (
        a_new_session_is_empty_and_listed,
        a_session_gets_an_id_of_its_own,
        an_existing_session_is_not_made_again,
        unsafe_ids_are_refused_before_anything_is_read,
        an_unknown_session_is_not_found,
        messages_follow_each_other,
        a_message_id_is_taken_once,
        every_part_flag_and_meta_comes_back,
        a_message_may_have_no_parts_at_all,
        a_named_parent_makes_a_branch,
        pages_of_sessions_cover_all_of_them_once,
        what_was_loaded_can_be_changed_without_harm,
        what_was_given_can_be_changed_without_harm,
        many_writers_lose_nothing,
        the_version_changes_with_the_messages,
        what_is_beyond_the_capabilities_is_refused,
    ),
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


def checks_for(store: SessionStore) -> list[Check]:
    """The checks that a store's capabilities reach."""
    capabilities = dict(store.capabilities)
    return [
        check
        for capability, checks in _CHECKS.items()
        if not capability or has(capabilities, capability)
        for check in checks
    ]
