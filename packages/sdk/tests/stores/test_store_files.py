"""Session files on disk: nothing torn, nothing overwritten, nothing outside the folder."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from cardloom_protocol.session import BadRequest, Conflict, JsonObject, NodeInput, NodePatch, NotFound, to_history
from cardloom_sdk.stores import ClaudeStore, MemoryStore, NrChatStore, PiStore, StoreRegistry
from cardloom_sdk.stores.disk import Writers, append_file, change_file, encoded, read_text, replace_file, sweep_scratch

HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-07-01T00:00:00.000Z","cwd":"/w"}\n'
ENTRY = '{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"A"}}\n'


def test_bytes_that_are_no_utf8_survive_a_change_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"\xff\xfe one\r\ntwo\xed\xa0\x80")
    change_file(path, lambda text: (text.replace("one", "new é"), None))
    assert path.read_bytes() == b"\xff\xfe new \xc3\xa9\r\ntwo\xed\xa0\x80"


def test_half_a_character_of_a_client_becomes_a_replacement_mark() -> None:
    assert encoded("a\ud800b\udcff") == b"a\xef\xbf\xbdb\xff"


def test_a_write_of_another_program_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("one")
    seen: list[str] = []

    def change(text: str) -> tuple[str, int]:
        seen.append(text)
        if len(seen) == 1:
            path.write_text("one and two")
        return text + "!", len(seen)

    assert change_file(path, change) == 2
    assert path.read_text() == "one and two!"


def test_a_program_that_never_stops_writing_is_given_up_on(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("x")

    def change(text: str) -> tuple[str, None]:
        path.write_text(text + "x")
        return "lost", None

    with pytest.raises(Conflict):
        change_file(path, change)
    with pytest.raises(Conflict):
        append_file(path, change)
    assert "lost" not in path.read_text()


def test_a_failed_write_leaves_the_file_and_no_scratch_behind(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("x")

    def change(text: str) -> tuple[str, None]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        change_file(path, change)
    with pytest.raises(OSError):
        replace_file(tmp_path / "missing" / "s", b"x")
    assert [found.name for found in tmp_path.iterdir()] == ["s"]


def test_a_linked_file_stays_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text("x")
    real.chmod(0o600)
    link = tmp_path / "link"
    link.symlink_to(real)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_text(tmp_path / "none")
    with pytest.raises(NotFound):
        read_text(tmp_path)


async def test_writers_of_one_session_wait_for_each_other() -> None:
    writers, order = Writers(), list[str]()

    def work(name: str) -> None:
        order.append(name)
        order.append(name)

    await asyncio.gather(*(writers.run("s", partial(work, name)) for name in "abc"))
    assert order == ["a", "a", "b", "b", "c", "c"]


async def test_a_cancelled_write_is_finished_before_the_next_one_begins() -> None:
    writers, order = Writers(), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        assert go_on.wait(60)
        order.append("first")

    first = asyncio.create_task(writers.run("s", slow))
    await asyncio.to_thread(begun.wait, 60)
    first.cancel()
    second = asyncio.create_task(writers.run("s", partial(order.append, "second")))
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    await second
    assert order == ["first", "second"]


async def test_appending_to_a_pi_session_never_rewrites_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(HEADER + "\n\n" + ENTRY + "torn {")
    inode = path.stat().st_ino
    await PiStore(tmp_path, cwd="/w").append_node("s1", NodeInput("user", id="n", text="x"))
    assert path.stat().st_ino == inode
    assert path.read_text().startswith(HEADER + "\n\n" + ENTRY + 'torn {\n{"type":"message","id":"n","parentId":"a"')


async def test_an_asset_is_not_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    store = NrChatStore(tmp_path / "chats")
    await store.create(session_id="s")
    ref = await store.put_asset("s", "a", b"1")
    (tmp_path / "chats" / "s.assets" / "a").unlink()
    (tmp_path / "chats" / "s.assets" / "a").symlink_to(outside)
    assert await store.put_asset("s", "a", b"2") == ref
    assert await store.get_asset("s", ref) == b"2"
    assert outside.read_text() == "x"


async def test_appending_to_a_transcript_never_rewrites_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"user","uuid":"u1","message":{"role":"user","content":"\xff"}}')
    inode = path.stat().st_ino
    store = ClaudeStore(tmp_path, cwd="/w")
    await store.append_node("s", NodeInput("user", id="n", text="x"))
    assert path.stat().st_ino == inode
    assert path.read_bytes().startswith(b'{"type":"user","uuid":"u1","message":{"role":"user","content":"\xff"}}\n{')
    assert [message["id"] for message in to_history(await store.load("s"))] == ["u1", "n"]


async def test_a_pi_session_is_found_by_its_header_whatever_the_file_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "--home--" / "deep"
    folder.mkdir(parents=True)
    (folder / "any name.jsonl").write_text(HEADER + ENTRY)
    (tmp_path / "s1.jsonl").write_text("not a session\n")
    store = PiStore(tmp_path, cwd="/w")
    await store.append_node("s1", NodeInput("user", text="more"))
    assert (folder / "any name.jsonl").read_text().startswith(HEADER + ENTRY)
    assert [info["id"] for info in (await store.list()).sessions] == ["s1"]
    (folder / "any name.jsonl").rename(folder / "other.jsonl")
    assert len((await store.load("s1")).nodes) == 2


async def test_files_that_cannot_be_read_are_left_out_of_lists_and_named_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "bad.mds").write_text("%user {oops\n")
    (tmp_path / "good.mds").write_text("%user\nx\n")
    (tmp_path / "folder.mds").mkdir()
    store = NrChatStore(tmp_path)
    assert [info["id"] for info in (await store.list()).sessions] == ["good"]
    with pytest.raises(BadRequest) as caught:
        await store.load("bad")
    assert "line 1" in caught.value.message
    assert (tmp_path / "bad.mds").read_text() == "%user {oops\n"


async def test_lists_are_ordered_by_the_last_write_then_by_name(tmp_path: Path) -> None:
    store = NrChatStore(tmp_path)
    for name, at_ns in (("b", 5_000_000_001), ("a", 5_000_000_001), ("c", 5_000_000_002)):
        (tmp_path / f"{name}.mds").write_text("%user\nx\n")
        os.utime(tmp_path / f"{name}.mds", ns=(at_ns, at_ns))
    sessions = (await store.list()).sessions
    assert [info["id"] for info in sessions] == ["c", "a", "b"]
    assert sessions[0]["updatedAt"] == "1970-01-01T00:00:05.000Z"


async def test_a_changed_file_is_listed_as_it_is_now(tmp_path: Path) -> None:
    store = NrChatStore(tmp_path)
    await store.create(session_id="s")
    assert (await store.list()).sessions[0]["messageCount"] == 0
    await store.append_node("s", NodeInput("user", text="x"))
    assert (await store.list()).sessions[0]["messageCount"] == 1
    await store.delete("s")
    assert (await store.list()).sessions == []


async def test_a_fork_takes_its_assets_along_and_deletion_removes_them(tmp_path: Path) -> None:
    store = NrChatStore(tmp_path)
    await store.create(session_id="s")
    ref = await store.put_asset("s", "x.png", b"png")
    image: JsonObject = {"type": "image", "meta": {"mime": "image/png", "ref": ref}}
    await store.append_node("s", NodeInput("user", id="a", parts=[image]))
    fork = await store.fork_copy("s")
    copied = (await store.load(fork["id"])).nodes[0].parts[0]["meta"]
    assert isinstance(copied, dict)
    await store.delete("s")
    assert not (tmp_path / "s.assets").exists()
    assert await store.get_asset(fork["id"], str(copied["ref"])) == b"png"
    with pytest.raises(NotFound):
        await store.delete("s")


async def test_pi_keeps_title_document_and_leaf_in_service_entries(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(HEADER + ENTRY)
    store = PiStore(tmp_path, cwd="/w", hide_service_entries=True)
    await store.append_node("s1", NodeInput("assistant", id="b", text="B"))
    await store.rename("s1", "T")
    await store.set_meta("s1", {"k": 1})
    await store.append_node("s1", NodeInput("assistant", id="b2", text="B2", parent="a"))
    session = await store.load("s1")
    assert [(node.id, node.parent) for node in session.nodes] == [("a", None), ("b", "a"), ("b2", "a")]
    assert session.info["title"] == "T"
    assert await store.get_meta("s1") == {}  # the document belongs to the other branch
    await store.set_active_leaf("s1", "b")
    assert await store.get_meta("s1") == {"k": 1}
    session = await store.load("s1")
    assert [(m["id"], m.get("swipes")) for m in to_history(session)] == [("a", None), ("b", {"active": 0, "count": 2})]
    await store.append_node("s1", NodeInput("user", id="c", text="C"))
    assert [message["id"] for message in to_history(await store.load("s1"))] == ["a", "b", "c"]
    fork = await store.fork_copy("s1", "b2")
    assert (await store.load(fork["id"])).info["title"] == "T"


async def test_pi_says_which_model_and_profile_a_session_uses(tmp_path: Path) -> None:
    lines = [
        '{"type":"model_change","id":"m","parentId":null,"timestamp":"t","provider":"p","modelId":"old"}',
        '{"type":"model_change","id":"n","parentId":"m","timestamp":"t","provider":"p","modelId":"new"}',
        '{"type":"thinking_level_change","id":"o","parentId":"n","timestamp":"t","thinkingLevel":"high"}',
        '{"type":"custom","id":"q","parentId":"o","customType":"nr-session-profile","data":{"doc":{"name":"Bot"}}}',
    ]
    (tmp_path / "s.jsonl").write_text(HEADER + "\n".join(lines) + "\n")
    session = await PiStore(tmp_path, cwd="/w", hide_service_entries=True).load("s1")
    assert session.nodes == []
    assert session.info["model"] == {"model": "p/new", "thinking": "high"}
    assert session.info["profile"] == "inline"
    assert session.info["profileDoc"] == {"id": "inline", "name": "Bot"}


async def test_a_service_entry_of_pi_is_a_node_only_where_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(HEADER + '{"type":"label","id":"x","parentId":null}\n')
    assert len((await PiStore(tmp_path, cwd="/w").load("s1")).nodes) == 1
    hidden = PiStore(tmp_path, cwd="/w", hide_service_entries=True)
    assert (await hidden.load("s1")).nodes == []
    with pytest.raises(BadRequest):
        await hidden.edit_node("s1", "x", NodePatch(text="x"))


def test_a_store_is_chosen_by_its_name() -> None:
    registry = StoreRegistry()
    registry.register("memory", lambda _: MemoryStore())
    assert isinstance(registry.create("memory"), MemoryStore)
    registry.register("memory", lambda options: NrChatStore(Path(str(options["folder"]))))
    assert isinstance(registry.create("memory", {"folder": "x"}), NrChatStore)
    assert registry.names == ["memory"]
    with pytest.raises(NotFound) as caught:
        registry.create("other")
    assert "memory" in caught.value.message


def test_what_killed_writers_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "memory/s.assets").mkdir(parents=True)
    old = [".0123456789ab.tmp", "memory/.ffffffffffff.tmp", "memory/s.assets/.aaaaaaaaaaaa.tmp"]
    kept = ["memory/s.mds", ".0123456789abc.tmp", ".0123456789AB.tmp", "0123456789ab.tmp", ".0123456789ab.tmp.mds"]
    young = [".111111111111.tmp"]
    for name in [*old, *kept, *young]:
        (tmp_path / name).write_text("x")
    for name in [*old, *kept]:
        os.utime(tmp_path / name, (1000, 1000))
    os.utime(tmp_path / young[0], (2000, 2000))
    (tmp_path / ".222222222222.tmp").mkdir()
    elsewhere = tmp_path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".333333333333.tmp").write_text("x")
    os.utime(elsewhere / ".333333333333.tmp", (1000, 1000))
    (tmp_path / "link").symlink_to(elsewhere)
    sweep_scratch(tmp_path, 2000)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {*kept, *young}
    assert len(list(elsewhere.iterdir())) == 1
    sweep_scratch(tmp_path / "nowhere", 2000)


async def test_a_writer_killed_in_the_middle_leaves_what_the_next_start_sweeps(tmp_path: Path) -> None:
    store = NrChatStore(tmp_path)
    await store.create(session_id="s")
    script = """
import os, pathlib, sys
from cardloom_sdk.stores import disk
write = disk._write_new

def killed(path, data):
    write(path, data)
    os._exit(9)

disk._write_new = killed
disk.replace_file(pathlib.Path(sys.argv[1]), b"torn")
"""
    writer = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(tmp_path / "s.mds"))
    assert await writer.wait() == 9
    assert len(os.listdir(tmp_path)) == 2
    sweep_scratch(tmp_path, float("inf"))
    assert os.listdir(tmp_path) == ["s.mds"]
