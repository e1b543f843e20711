"""Copying sessions between stores: what fits arrives whole, what does not is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.session import NodeInput
from cardloom_protocol.session.errors import NotFound
from cardloom_protocol.session.parts import AnyPart
from cardloom_sdk.stores import ClaudeStore, MemoryStore, NrChatStore, PiStore, SessionStore, copy_session

MAKERS: dict[str, Callable[[Path], SessionStore]] = {
    "memory": lambda folder: MemoryStore(),
    "nr-chat": NrChatStore,
    "pi": lambda folder: PiStore(folder, cwd="/w"),
    "claude": lambda folder: ClaudeStore(folder, cwd="/w"),
}


async def _talk(store: SessionStore) -> str:
    session_id = (await store.create(info={"title": "A talk"}))["id"]
    for role, text in (("user", "hello"), ("assistant", "good day"), ("user", "and now?"), ("assistant", "this")):
        await store.append_node(session_id, NodeInput(role, text=text))
    return session_id


def _only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def _texts(history: list[object]) -> list[tuple[str, str]]:
    return [(message["role"], message["parts"][0]["text"]) for message in history]  # type: ignore[index]


@pytest.mark.parametrize("to", list(MAKERS))
@pytest.mark.parametrize("of", list(MAKERS))
async def test_a_talk_keeps_its_words_and_order_between_any_two_stores(tmp_path: Path, of: str, to: str) -> None:
    source, target = MAKERS[of](tmp_path / "a"), MAKERS[to](tmp_path / "b")
    session_id = await _talk(source)
    copied = await copy_session(source, target, session_id)
    before, after = await source.history(session_id), await target.history(copied.session_id)
    assert (
        _texts(list(after))
        == _texts(list(before))
        == [
            ("user", "hello"),
            ("assistant", "good day"),
            ("user", "and now?"),
            ("assistant", "this"),
        ]
    )
    assert copied.messages == 4


async def test_nothing_is_lost_where_the_target_keeps_everything(tmp_path: Path) -> None:
    source, target = MemoryStore(), MemoryStore()
    session_id = await _talk(source)
    first = (await source.load(session_id)).nodes[0]
    other = await source.append_node(session_id, NodeInput("assistant", text="another answer", parent=first.id))
    await source.set_active_leaf(session_id, other.id)
    copied = await copy_session(source, target, session_id)
    assert copied.losses == ()
    assert len((await target.load(copied.session_id)).nodes) == 5
    assert _texts(list(await target.history(copied.session_id)))[-1] == ("assistant", "another answer")


async def test_branches_are_told_as_lost_where_the_target_keeps_one_path(tmp_path: Path) -> None:
    source, target = MemoryStore(), ClaudeStore(tmp_path, cwd="/w")
    session_id = await _talk(source)
    first = (await source.load(session_id)).nodes[0]
    other = await source.append_node(session_id, NodeInput("assistant", text="another answer", parent=first.id))
    await source.set_active_leaf(session_id, other.id)
    copied = await copy_session(source, target, session_id)
    assert "branches beside the active one (3×)" in [str(loss) for loss in copied.losses]
    assert copied.messages == 2


async def test_what_a_format_has_no_place_for_is_named_with_its_message(tmp_path: Path) -> None:
    source, target = MemoryStore(), PiStore(tmp_path, cwd="/w")
    session_id = (await source.create())["id"]
    node = await source.append_node(
        session_id,
        NodeInput("user", parts=[{"type": "custom", "data": {"w": 1}, "text": "alt"}], flags={"hidden": True}),
    )
    copied = await copy_session(source, target, session_id)
    told = " ".join(str(loss) for loss in copied.losses)
    assert node.id in told
    assert "custom" in told or "hidden" in told


async def _with_file_and_document(store: SessionStore) -> str:
    session_id = (await store.create(info={"title": "A talk"}))["id"]
    ref = await store.put_asset(session_id, "a b.bin", b"\x00\x01")
    for _ in range(2):
        part: AnyPart = {"type": "file", "meta": {"name": "a b.bin", "ref": ref}}
        await store.append_node(session_id, NodeInput("user", parts=[part]))
    await store.set_meta(session_id, {"prompt": {"pre": "Be kind."}, "k": [1]})
    return session_id


@pytest.mark.parametrize(("of", "to"), [("memory", "nr-chat"), ("nr-chat", "memory"), ("nr-chat", "nr-chat")])
async def test_files_and_the_document_go_along(tmp_path: Path, of: str, to: str) -> None:
    source, target = MAKERS[of](tmp_path / "a"), MAKERS[to](tmp_path / "b")
    copied = await copy_session(source, target, await _with_file_and_document(source))
    assert copied.losses == ()
    for message in await target.history(copied.session_id):
        meta: Any = message["parts"][0]["meta"]
        assert await target.get_asset(copied.session_id, meta["ref"]) == b"\x00\x01"
    assert await target.get_meta(copied.session_id) == {"prompt": {"pre": "Be kind."}, "k": [1]}


async def test_files_and_the_document_are_told_as_lost_where_they_have_no_place(tmp_path: Path) -> None:
    source, target = MemoryStore(), ClaudeStore(tmp_path, cwd="/w")
    copied = await copy_session(source, target, await _with_file_and_document(source))
    told = [str(loss) for loss in copied.losses]
    assert "the session's document" in told
    assert any(loss.startswith("a file beside the session") for loss in told)


async def test_a_file_that_is_not_there_is_told_and_the_rest_copied() -> None:
    source, target = MemoryStore(), MemoryStore()
    session_id = (await source.create())["id"]
    part: AnyPart = {"type": "image", "meta": {"ref": "assets/gone.png"}}
    node = await source.append_node(session_id, NodeInput("user", parts=[part]))
    copied = await copy_session(source, target, session_id)
    (loss,) = copied.losses
    assert (loss.first, copied.messages) == (node.id, 1)


async def test_an_unknown_session_is_not_found_and_nothing_is_made() -> None:
    source, target = MemoryStore(), MemoryStore()
    with pytest.raises(NotFound):
        await copy_session(source, target, "none")
    assert (await target.list()).sessions == []


async def test_service_entries_of_pi_that_are_not_carried_over_are_told_by_kind(tmp_path: Path) -> None:
    source = PiStore(tmp_path, cwd="/w", hide_service_entries=True)
    session_id = await _talk(source)
    path = _only_file(tmp_path)
    parent = (await source.file(session_id)).entries[-1].id
    entries: list[dict[str, Any]] = [
        {"type": "model_change", "provider": "p", "modelId": "old"},
        {"type": "model_change", "provider": "p", "modelId": "older"},
        {"type": "model_change", "provider": "p", "modelId": "new"},
        {"type": "label", "targetId": parent, "label": "here"},
        {"type": "custom", "customType": "my-extension", "data": {}},
        {"type": "session_info", "name": "Renamed"},
    ]
    with path.open("a") as file:
        for number, entry in enumerate(entries):
            told = {"id": f"e{number}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", **entry}
            file.write(json.dumps(told) + "\n")
            parent = f"e{number}"
    copied = await copy_session(source, MemoryStore(), session_id)
    assert {loss.what: (loss.count, loss.first) for loss in copied.losses} == {
        "the service entry session_info": (1, None),
        "the service entry model_change": (2, None),
        "the service entry label": (1, None),
        "the service entry custom my-extension": (1, None),
    }
