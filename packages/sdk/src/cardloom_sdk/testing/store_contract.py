"""What every store of sessions must do, as checks that run on any of them.

A check takes an empty store and returns when all is well. `checks_for` picks those that a store's capabilities reach;
what lies beyond them must be refused. Spec: session protocol, storage.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from cardloom_protocol.session import (
    Conflict,
    InvalidId,
    NodeInput,
    NodePatch,
    NotFound,
    NotSupported,
    has,
)

from ..stores.contract import SessionStore
from .store_capabilities import CHECKS_BY_CAPABILITY
from .store_steps import EVERY_PART, Check, history, made, refused, shown_ids


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


_EVERY_STORE: Final[tuple[Check, ...]] = (
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
)


def checks_for(store: SessionStore) -> list[Check]:
    """The checks that a store's capabilities reach."""
    capabilities = dict(store.capabilities)
    reached = [checks for name, checks in CHECKS_BY_CAPABILITY.items() if has(capabilities, name)]
    return [*_EVERY_STORE, *(check for checks in reached for check in checks)]


__all__ = ["Check", "checks_for"]
