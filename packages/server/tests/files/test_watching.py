"""Watches of workspace files: what is told, to whom, until when."""

# ruff: noqa: ASYNC240 - the files are the tests' own and few

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.limits import limit

from .conftest import Filer, until


@pytest.fixture
async def marker(filer: Filer, folder: Path) -> Callable[[], Any]:
    """Waits until everything that happened before has been told: writes a file and waits for its event."""
    (folder / "marks").mkdir()
    watch_id = (await filer.call("fs.watch", path="marks"))["watchId"]
    count = iter(range(1000))

    async def mark() -> None:
        name = f"marks/{next(count)}"
        (folder / name).write_text("")
        await filer.client.event("fs.changed", lambda data: data["watchId"] == watch_id and data["path"] == name)

    return mark


def told(filer: Filer, watch_id: str) -> set[tuple[str, str]]:
    """What was told of a watch so far."""
    return {(data["path"], data["type"]) for name, data in filer.client.events if data.get("watchId") == watch_id}


async def test_changes_are_told_by_path_and_kind(filer: Filer, folder: Path) -> None:
    (folder / "old").write_text("1")
    watch_id = (await filer.call("fs.watch", path=""))["watchId"]
    (folder / "new").write_text("1")
    with (folder / "old").open("a") as file:
        file.write("2")
    assert await filer.change("new", "rename") == {"watchId": watch_id, "path": "new", "type": "rename"}
    assert await filer.change("old", "change") == {"watchId": watch_id, "path": "old", "type": "change"}
    (folder / "new").unlink()
    await filer.change("new", "rename")


async def test_changes_of_one_window_are_told_once_a_path(filer: Filer, folder: Path, marker: Any) -> None:
    (folder / "a").write_text("")
    watch_id = (await filer.call("fs.watch", path=""))["watchId"]
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    for number in range(50):
        (folder / "a").write_text(str(number))
    await marker()
    events = [data for name, data in filer.client.events if data["watchId"] == watch_id and data["path"] == "a"]
    windows = (loop.time() - began_s) * 1000 / limit("fsWatchGatherMs")  # many on a machine that is slow to write
    assert len(events) <= windows + 2


async def test_only_a_recursive_watch_tells_of_folders_below(filer: Filer, folder: Path, marker: Any) -> None:
    (folder / "sub" / "deep").mkdir(parents=True)
    flat = (await filer.call("fs.watch", path="sub"))["watchId"]
    deep = (await filer.call("fs.watch", path="sub", recursive=True))["watchId"]
    (folder / "sub" / "deep" / "x").write_text("")
    await marker()
    assert told(filer, flat) == set()
    assert ("sub/deep/x", "rename") in told(filer, deep)


async def test_folders_that_come_later_are_watched_with_what_is_in_them(filer: Filer, folder: Path) -> None:
    await filer.call("fs.watch", path="", recursive=True)
    (folder / "a" / "b" / "c").mkdir(parents=True)
    (folder / "a" / "b" / "c" / "first").write_text("")
    await filer.change("a/b/c/first", "rename")
    (folder / "a" / "b" / "c" / "second").write_text("")
    await filer.change("a/b/c/second", "rename")
    (folder / "a").rename(folder / "z")
    await filer.change("z/b/c/second", "rename")
    (folder / "z" / "b" / "c" / "third").write_text("")
    await filer.change("z/b/c/third", "rename")


async def test_a_folder_that_was_moved_out_tells_nothing_more(
    filer: Filer, folder: Path, tmp_path: Path, marker: Any
) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    watch_id = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    (folder / "a").rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "secret").write_text("")
    (tmp_path / "elsewhere" / "b" / "secret").write_text("")
    await filer.change("a", "rename")
    await marker()
    assert not [path for path, _ in told(filer, watch_id) if "secret" in path]


async def test_links_are_told_and_never_followed(filer: Filer, folder: Path, tmp_path: Path, marker: Any) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "in").mkdir()
    (folder / "before").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "same").symlink_to("in")
    watch_id = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    (folder / "after").symlink_to(outside)
    (outside / "secret").write_text("")
    (folder / "in" / "x").write_text("")
    await marker()
    paths = {path for path, _ in told(filer, watch_id)}
    assert {"after", "in/x"} <= paths
    assert not [path for path in paths if "secret" in path or path.startswith(("same/", "loop/"))]


async def test_a_watch_through_a_link_tells_paths_as_they_were_asked_for(filer: Filer, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    (folder / "real" / "f").write_text("")
    (folder / "file").symlink_to("real/f")
    await filer.call("fs.watch", path="link")
    await filer.call("fs.watch", path="file")
    (folder / "real" / "x").write_text("")
    (folder / "real" / "f").write_text("1")
    await filer.change("link/x", "rename")
    await filer.change("link/f", "change")
    await filer.change("file", "change")


async def test_one_file_can_be_watched_also_when_it_is_replaced(filer: Filer, folder: Path, marker: Any) -> None:
    (folder / "a.txt").write_text("1")
    watch_id = (await filer.call("fs.watch", path="a.txt"))["watchId"]
    (folder / "b.txt").write_text("")
    await filer.call("fs.write", path="a.txt", data="2")
    await filer.change("a.txt", "rename")
    (folder / "a.txt").write_text("3")
    await filer.change("a.txt", "change")
    assert {path for path, _ in told(filer, watch_id)} <= {"a.txt"}


async def test_our_temporary_files_are_nobodys_business(filer: Filer, folder: Path, marker: Any) -> None:
    watch_id = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    await filer.call("fs.write", path="a.txt", data="1")
    await marker()
    assert {path for path, _ in told(filer, watch_id) if not path.startswith("marks")} == {"a.txt"}


async def test_what_recursive_lists_leave_out_is_not_watched_either(filer: Filer, folder: Path, marker: Any) -> None:
    (folder / "node_modules" / "a").mkdir(parents=True)
    (folder / ".git").mkdir()
    whole = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    inside = (await filer.call("fs.watch", path="node_modules", recursive=True))["watchId"]
    (folder / "node_modules" / "a" / "x").write_text("")
    (folder / ".git" / "index").write_text("")
    await marker()
    await filer.client.event("fs.changed", lambda data: data["watchId"] == whole and "marks" in data["path"])
    assert {path.split("/")[0] for path, _ in told(filer, whole)} <= {"marks"}
    assert ("node_modules/a/x", "rename") in told(filer, inside)


async def test_a_burst_of_five_thousand_changes_arrives_whole(filer: Filer, folder: Path) -> None:
    watch_id = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    (folder / "many").mkdir()

    def make() -> None:
        for number in range(5000):
            (folder / "many" / str(number)).touch()

    await asyncio.to_thread(make)
    expected = {f"many/{number}" for number in range(5000)}
    await until(lambda: {path for path, _ in told(filer, watch_id)} >= expected)
    assert filer.client.closed is None


async def test_a_watch_ends_when_it_is_told_to(filer: Filer, folder: Path, marker: Any, page: Any) -> None:
    watch_id = (await filer.call("fs.watch", path=""))["watchId"]
    assert (await page.refused("files.unwatch", watchId=watch_id)).code is ErrorCode.NOT_FOUND
    assert await filer.call("fs.unwatch", watchId=watch_id) is None
    assert (await filer.refused("fs.unwatch", watchId=watch_id)).code is ErrorCode.NOT_FOUND
    (folder / "x").write_text("")
    await marker()
    assert told(filer, watch_id) == set()


async def test_a_card_may_have_twenty_watches(filer: Filer, new_filer: Any, folder: Path) -> None:
    ids = [(await filer.call("fs.watch", path=""))["watchId"] for _ in range(20)]
    assert (await filer.refused("fs.watch", path="")).code is ErrorCode.QUOTA_EXCEEDED
    other = await new_filer()
    await other.call("fs.watch", path="")
    await filer.call("fs.unwatch", watchId=ids[0])
    await filer.call("fs.watch", path="")
    (folder / "x").write_text("")
    for watch_id in ids[1:]:
        await filer.client.event("fs.changed", lambda data, watch_id=watch_id: data["watchId"] == watch_id)


async def test_a_refused_watch_takes_no_place(filer: Filer) -> None:
    for _ in range(25):
        assert (await filer.refused("fs.watch", path="none")).data == {"reason": "not_found"}
        assert (await filer.refused("fs.watch", path="../x")).data == {"reason": "path"}
    await filer.call("fs.watch", path="")


async def test_a_watch_outside_is_refused(filer: Filer, folder: Path, tmp_path: Path) -> None:
    (folder / "out").symlink_to(tmp_path)
    (folder / "deep").symlink_to("out/data")
    for path in ("out", "deep", "out/data"):
        error = await filer.refused("fs.watch", path=path, recursive=True)
        assert (error.code, error.data) == (ErrorCode.FS_DENIED, {"reason": "outside"})


async def test_watches_end_with_the_cards_connection(app: App, filer: Filer, new_filer: Any, folder: Path) -> None:
    await filer.call("fs.watch", path="", recursive=True)
    await filer.client.close()
    assert not app.files.watches.any
    other = await new_filer()
    await other.call("fs.watch", path="")
    (folder / "x").write_text("")
    await other.change("x")


async def test_watches_end_with_the_permission(filer: Filer, app: App) -> None:
    watch_id = (await filer.call("fs.watch", path=""))["watchId"]
    filer.grant()
    assert await filer.change("", "ended") == {"watchId": watch_id, "path": "", "type": "ended"}
    assert not app.files.watches.any


async def test_a_watched_folder_that_goes_ends_its_watch(filer: Filer, folder: Path, app: App) -> None:
    (folder / "a").mkdir()
    await filer.call("fs.watch", path="a")
    shutil.rmtree(folder / "a")
    await filer.change("a", "ended")
    assert not app.files.watches.any


async def test_a_link_that_leads_elsewhere_ends_its_watch_and_tells_nothing_of_there(
    filer: Filer, folder: Path, tmp_path: Path
) -> None:
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    watch_id = (await filer.call("fs.watch", path="link"))["watchId"]
    (folder / "link").unlink()
    (folder / "link").symlink_to(tmp_path)
    (tmp_path / "secret").write_text("")
    (folder / "real" / "x").write_text("")
    await filer.change("link", "ended")
    assert told(filer, watch_id) == set()


async def test_a_replaced_workspace_folder_ends_its_watches_with_an_event(
    filer: Filer, folder: Path, tmp_path: Path, app: App
) -> None:
    watch_id = (await filer.call("fs.watch", path="", recursive=True))["watchId"]
    folder.rename(tmp_path / "moved")
    (tmp_path / "moved" / "secret").write_text("")
    folder.mkdir()
    await filer.change("", "ended")
    assert not [path for path, _ in told(filer, watch_id) if "secret" in path]
    assert not app.files.watches.any


async def test_a_folder_above_the_workspace_that_moves_ends_its_watches(page: Any, app: App, tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    made = await page.call("workspace.create", name="inner", path=str(inner))
    await page.call("files.watch", workspaceId=made["id"], path="")
    (tmp_path / "outer").rename(tmp_path / "gone")
    (tmp_path / "gone" / "inner" / "secret").write_text("")
    told = await page.event("files.changed")
    assert told["changes"] == [{"path": "", "type": "ended"}]


async def test_pointing_a_workspace_elsewhere_or_closing_it_ends_its_watches(
    filer: Filer, page: Any, workspace_id: str, tmp_path: Path
) -> None:
    await filer.call("fs.watch", path="")
    other = tmp_path / "other"
    other.mkdir()
    await page.call("workspace.update", workspaceId=workspace_id, path=str(other))
    await filer.change("", "ended")
    await filer.call("fs.watch", path="")
    await page.call("workspace.close", workspaceId=workspace_id)
    await filer.change("", "ended")


async def test_the_owner_gets_the_changes_of_a_window_as_one_event(
    page: Any, clients: Any, workspace_id: str, folder: Path
) -> None:
    other = await clients.page()
    watch_id = (await page.call("files.watch", workspaceId=workspace_id, path="", recursive=True))["watchId"]
    for name in ("a", "b"):
        (folder / name).write_text("")
    told = await page.event("files.changed")
    assert told == {
        "watchId": watch_id,
        "changes": [{"path": "a", "type": "rename"}, {"path": "b", "type": "rename"}],
    }
    assert await page.call("files.unwatch", watchId=watch_id) is None
    assert not [name for name, _ in other.events if name == "files.changed"]


async def test_changes_wait_while_the_card_reads_nothing_and_are_never_lost(
    filer: Filer, folder: Path, app: App
) -> None:
    await filer.call("fs.watch", path="")
    filer.client._pump.cancel()
    for number in range(3000):
        (folder / f"{number:04}").touch()
    await until(lambda: app.files.watches.of(lambda one: len(one.waiting) > 1000))
    assert filer.client.closed is None
    filer.client._pump = asyncio.create_task(filer.client._read())
    expected = {f"{number:04}" for number in range(3000)}
    await until(lambda: {data["path"] for name, data in filer.client.events if name == "fs.changed"} >= expected)


async def test_a_caller_without_a_connection_cannot_watch(app: App, workspace_id: str) -> None:
    from cardloom.core.ids import new_connection_id
    from cardloom_protocol.callers import Caller, CallerKind
    from cardloom_protocol.errors import CallError

    params: dict[str, Any] = {"workspaceId": workspace_id, "path": ""}
    with pytest.raises(CallError) as refusal:
        await app.dispatcher.dispatch("files.watch", params, Caller(CallerKind.OWNER, new_connection_id()))
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    assert not app.files.watches.any
