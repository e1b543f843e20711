"""Files of the workspace as a headless card works with them, against the host in memory."""

from __future__ import annotations

import pytest

from cardloom_sdk import CallError, Card, ErrorCode, FileChange, FileEntry
from cardloom_sdk.testing import CardHost, VirtualTiming

from .test_card_messages import MANIFEST

BOTH = ("fs.read", "fs.write")


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def refused(work: object, code: ErrorCode, reason: str) -> CallError:
    with pytest.raises(CallError) as refusal:
        await work  # type: ignore[misc]
    assert refusal.value.code is code
    assert isinstance(refusal.value.data, dict)
    assert refusal.value.data["reason"] == reason
    return refusal.value


async def test_a_card_writes_reads_lists_and_throws_away() -> None:
    card = make_card()
    async with CardHost(card, permissions=BOTH) as host:
        made = await card.fs.write_text("reports/latest.md", "# Report", create_dirs=True)
        assert made == await card.fs.stat("reports/latest.md")
        assert (made.path, made.type, made.size) == ("reports/latest.md", "file", 8)
        assert await card.fs.read_text("reports/latest.md") == "# Report"
        assert (await card.fs.mkdir("reports/archive")).type == "directory"
        await card.fs.write_bytes("logo.png", b"\x89\x00")
        assert await card.fs.read_bytes("logo.png") == host.files.content("logo.png") == b"\x89\x00"
        listed = await card.fs.list(recursive=True)
        assert listed.entries == (
            FileEntry("logo.png", "file", 2),
            FileEntry("reports", "directory", None),
            FileEntry("reports/archive", "directory", None),
            FileEntry("reports/latest.md", "file", 8),
        )
        assert not listed.truncated
        assert (await card.fs.list("reports", max_entries=1)).truncated
        await card.fs.trash("reports")
        assert host.files.trashed == ["reports"]
        assert host.files.paths == ["logo.png"]


async def test_the_beginning_of_a_file_says_that_there_is_more() -> None:
    card = make_card()
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("a", "hello")
        content = await card.fs.read("a", max_bytes=2)
        assert (content.data, content.size, content.truncated) == ("he", 5, True)


async def test_a_write_that_expects_an_older_file_loses() -> None:
    card = make_card()
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("TODO.md", "one")
        before = await card.fs.stat("TODO.md")
        await host.change_file("TODO.md", "two")
        error = await refused(
            card.fs.write_text("TODO.md", "mine", if_mtime_ms=before.mtime_ms), ErrorCode.FS_ERROR, "conflict"
        )
        after = await card.fs.stat("TODO.md")
        assert error.data == {"reason": "conflict", "conflict": True, "mtimeMs": after.mtime_ms}
        assert host.files.text("TODO.md") == "two"
        await card.fs.write_text("TODO.md", "mine", if_mtime_ms=after.mtime_ms)


async def test_refusals_name_their_reason() -> None:
    card = make_card()
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("a.txt", "")
        host.files.put(".git/config", "[core]")
        fs = card.fs
        await refused(fs.read_text("../x"), ErrorCode.FS_DENIED, "path")
        await refused(fs.write_text("", "x"), ErrorCode.FS_DENIED, "path")
        await refused(fs.write_text(".git/config", "x"), ErrorCode.FS_DENIED, "protected")
        await refused(fs.trash("GIT~1"), ErrorCode.FS_DENIED, "protected")
        await refused(fs.stat("none"), ErrorCode.FS_ERROR, "not_found")
        await refused(fs.stat("a.txt/b"), ErrorCode.FS_ERROR, "not_a_directory")
        await refused(fs.list("a.txt"), ErrorCode.FS_ERROR, "not_a_directory")
        await refused(fs.read_text(""), ErrorCode.FS_ERROR, "is_a_directory")
        await refused(fs.write_text("new/x", "x"), ErrorCode.FS_ERROR, "not_found")
        await refused(fs.mkdir("a.txt"), ErrorCode.FS_ERROR, "exists")
        assert await fs.read_text(".git/config") == "[core]"
        assert [entry.path for entry in (await fs.list(recursive=True)).entries] == ["a.txt"]


async def test_permissions_are_asked_for() -> None:
    card = make_card()
    async with CardHost(card, permissions=("fs.read",)) as host:
        host.files.put("a", "x")
        assert await card.fs.read_text("a") == "x"
        with pytest.raises(CallError) as refusal:
            await card.fs.write_text("a", "y")
        assert refusal.value.data == {"permission": "fs.write"}


async def test_a_watch_hears_of_changes_until_it_is_stopped() -> None:
    card = make_card()
    heard: list[FileChange] = []
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("src/a", "")
        stop = await card.fs.watch("src", heard.append, recursive=True)
        flat: list[FileChange] = []
        await card.fs.watch("", flat.append)
        await host.change_file("src/deep/b", "1")
        await host.change_file("src/a", "2")
        await host.change_file("other", "3")
        await host.change_file("other", None)
        assert heard == [FileChange("src/deep/b", "rename"), FileChange("src/a", "change")]
        assert flat == [FileChange("other", "rename"), FileChange("other", "rename")]
        await stop()
        await stop()
        await host.change_file("src/a", "4")
        assert len(heard) == 2
        assert [call.method for call in host.calls].count("fs.unwatch") == 1


async def test_a_card_hears_of_its_own_writes() -> None:
    card = make_card()
    heard: list[FileChange] = []
    async with CardHost(card, permissions=BOTH) as host:
        await card.fs.watch("", heard.append)
        await card.fs.write_text("a", "x")
        await host.rest()
        assert heard == [FileChange("a", "rename")]


async def test_a_change_that_comes_before_the_answer_is_heard() -> None:
    card = make_card()
    heard: list[FileChange] = []
    async with CardHost(card, permissions=BOTH) as host:

        def early(_: object) -> object:
            host.outside.before.append(("fs.changed", {"watchId": "f1", "path": "early", "type": "rename"}))
            host.outside.before.append(("fs.changed", {"watchId": "f9", "path": "another's", "type": "rename"}))
            return {"watchId": "f1"}

        host.answer_with("fs.watch", early)
        await card.fs.watch("", heard.append)
        await host.rest()
        assert heard == [FileChange("early", "rename")]


async def test_a_watch_survives_a_host_that_was_away_and_says_that_something_may_be_missing() -> None:
    card = make_card()
    heard: list[FileChange] = []
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("src/a", "")
        stop = await card.fs.watch("src", heard.append)
        await host.unmount()
        host.files.put("src/a", "missed")
        await host.mount()
        assert heard == [FileChange("src", "rescan")]
        await host.change_file("src/a", "heard")
        assert heard[1:] == [FileChange("src/a", "change")]
        await stop()


async def test_a_watch_that_cannot_be_renewed_ends() -> None:
    card = make_card()
    heard: list[FileChange] = []
    async with CardHost(card, permissions=BOTH) as host:
        host.files.put("src/a", "")
        await card.fs.watch("src", heard.append)
        await host.unmount()
        host.files.remove("src")
        await host.mount()
        assert heard == [FileChange("src", "ended")]
        assert "not found" in host.shown.log[-1][1]
        await host.unmount()
        await host.mount()
        assert heard == [FileChange("src", "ended")]


async def test_a_refused_watch_listens_to_nothing() -> None:
    card = make_card()
    async with CardHost(card, permissions=BOTH):
        await refused(card.fs.watch("none", print), ErrorCode.FS_ERROR, "not_found")
        for _ in range(20):
            await card.fs.watch("", print)
        with pytest.raises(CallError) as refusal:
            await card.fs.watch("", print)
        assert refusal.value.code is ErrorCode.QUOTA_EXCEEDED
