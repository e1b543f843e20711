"""What a disk refuses or holds by accident: stores say so, wait for nothing and leave nothing torn behind."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from cardloom_protocol.session import BadRequest, Conflict, InvalidId, JsonObject, NodeInput, NotFound, SessionError
from cardloom_sdk.stores import ClaudeStore, NrChatStore, PiStore, SessionStore, disk, locking

STORES: dict[str, tuple[Callable[[Path], SessionStore], str]] = {
    "nr-chat": (NrChatStore, ".mds"),
    "pi": (lambda folder: PiStore(folder, cwd="/w"), ".jsonl"),
    "claude": (lambda folder: ClaudeStore(folder, cwd="/w"), ".jsonl"),
}


def files_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture(params=STORES)
def store_and_suffix(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[SessionStore, str]:
    make, suffix = STORES[request.param]
    return make(tmp_path), suffix


async def test_pipes_devices_and_dead_links_are_no_sessions(
    store_and_suffix: tuple[SessionStore, str], tmp_path: Path
) -> None:
    store, suffix = store_and_suffix
    os.mkfifo(tmp_path / f"pipe{suffix}")
    (tmp_path / f"endless{suffix}").symlink_to("/dev/zero")
    (tmp_path / f"dead{suffix}").symlink_to("nowhere")
    (tmp_path / f"loop{suffix}").symlink_to(f"loop{suffix}")
    await store.create(session_id="s")
    async with asyncio.timeout(60):
        assert [info["id"] for info in (await store.list()).sessions] == ["s"]
        for name in ("pipe", "endless", "dead", "loop"):
            with pytest.raises(SessionError):
                await store.load(name)
            with pytest.raises(SessionError):
                await store.append_node(name, NodeInput("user", text="x"))
    assert not (tmp_path / "nowhere").exists()


async def test_an_id_too_long_for_the_disk_is_refused_as_an_id(store_and_suffix: tuple[SessionStore, str]) -> None:
    store, _ = store_and_suffix
    with pytest.raises(InvalidId):
        await store.create(session_id="x" * 5000)
    assert (await store.list()).sessions == []


async def test_what_the_disk_refuses_is_told_with_its_reason_and_without_its_path(
    store_and_suffix: tuple[SessionStore, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = store_and_suffix

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(disk, "_write_new", full)
    with pytest.raises(SessionError) as caught:
        await store.create(session_id="s")
    assert caught.value.code == "unavailable"
    assert "No space left" in caught.value.message
    assert str(tmp_path) not in caught.value.message
    assert files_in(tmp_path) == []


_WRITER = """
import asyncio, pathlib, sys
from cardloom_protocol.session import NodeInput
from cardloom_sdk.stores import ClaudeStore, NrChatStore, PiStore

async def main():
    folder, name, kind = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if kind == "nr-chat":
        store = NrChatStore(folder)
    elif kind == "pi":
        store = PiStore(folder, cwd="/w", hide_service_entries=True)
    else:
        store = ClaudeStore(folder, cwd="/w")
    for number in range(20):
        node = await store.append_node("s", NodeInput("user", id=f"{name}{number}", text="x"))
        if kind != "claude":
            await store.rename("s", f"{name}{number}")
        if kind == "pi":
            await store.hide_node("s", node.id, True)  # which writes the file anew

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", STORES)
async def test_two_processes_that_write_to_one_session_lose_nothing(tmp_path: Path, kind: str) -> None:
    store = PiStore(tmp_path, cwd="/w", hide_service_entries=True) if kind == "pi" else STORES[kind][0](tmp_path)
    await store.create(session_id="s")
    writers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", _WRITER, str(tmp_path), name, kind) for name in "ab"
    ]
    assert [await writer.wait() for writer in writers] == [0, 0]
    found = {node.id for node in (await store.load("s")).nodes}
    assert found == {f"{name}{number}" for name in "ab" for number in range(20)}


async def test_a_session_that_another_process_does_not_let_go_of_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = NrChatStore(tmp_path)
    await store.create(session_id="s")
    monkeypatch.setattr(locking, "_LOCKED_S", 0.0)
    with locking.locked(tmp_path / "s.mds"), pytest.raises(Conflict, match="let go"):
        await store.append_node("s", NodeInput("user", text="x"))
    await store.append_node("s", NodeInput("user", text="x"))


@pytest.mark.parametrize(("platform", "times"), [("linux", 1), ("win32", 0)])
def test_where_an_open_file_cannot_be_replaced_a_session_is_not_held_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, times: int
) -> None:
    path = tmp_path / "s.mds"
    path.touch()
    opened: list[Path] = []
    real_open = os.open

    def noted(path: Path, flags: int, *more: int) -> int:
        opened.append(path)
        return real_open(path, flags, *more)

    monkeypatch.setattr(os, "open", noted)
    monkeypatch.setattr(sys, "platform", platform)
    with locking.locked(path):
        assert opened == [path] * times


class _Full(FileIO):
    """A file on a disk with room for seven more bytes."""

    room = 7

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = super().write(data[: self.room])
        self.room -= written
        return written


async def test_a_disk_that_is_full_in_the_middle_of_a_line_tears_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PiStore(tmp_path, cwd="/w")
    await store.create(session_id="s")
    await store.append_node("s", NodeInput("user", id="a", text="A"))
    (path,) = files_in(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(disk, "opened_at_end", lambda path: _Full(path, "ab"))
    with pytest.raises(SessionError, match="No space left"):
        await store.append_node("s", NodeInput("user", id="b", text="B"))
    assert path.read_bytes() == before
    monkeypatch.undo()
    await store.append_node("s", NodeInput("user", id="b", text="B"))
    assert [node.id for node in (await store.load("s")).nodes] == ["a", "b"]


def test_a_new_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(path: Path, data: bytes) -> None:
        path.write_bytes(data[:3])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(disk, "_write_new", cut_off)
        with pytest.raises(KeyboardInterrupt):
            disk.create_file(tmp_path / "s", "a whole session")
    assert list(tmp_path.iterdir()) == []
    disk.create_file(tmp_path / "s", "a whole session")
    with pytest.raises(Conflict):
        disk.create_file(tmp_path / "s", "another")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("s", "a whole session")]


def test_a_disk_without_hard_links_takes_new_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    disk.create_file(tmp_path / "s", "one")
    with pytest.raises(Conflict):
        disk.create_file(tmp_path / "s", "two")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("s", "one")]


async def test_an_asset_is_not_read_through_a_link_nor_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    store = NrChatStore(tmp_path / "chats")
    await store.create(session_id="s")
    await store.append_node("s", NodeInput("user", text="x"))
    ref = await store.put_asset("s", "a", b"1")
    folder = tmp_path / "chats" / "s.assets"
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(NotFound):
            await store.get_asset("s", ref.removesuffix("a") + name)
    (folder / "pipe").unlink()
    fork = (await store.fork_copy("s"))["id"]
    assert (tmp_path / "chats" / f"{fork}.assets" / "link").is_symlink()


async def test_what_a_format_cannot_hold_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    store = NrChatStore(tmp_path)
    await store.create(session_id="s")
    before = (tmp_path / "s.mds").read_text()
    meta: JsonObject = {}
    for _ in range(100):
        meta = {"x": meta}
    with pytest.raises(BadRequest):
        await store.append_node("s", NodeInput("user", text="x", meta=meta))
    assert (tmp_path / "s.mds").read_text() == before
