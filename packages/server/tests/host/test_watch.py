"""Both watchers keep the same promises; what only one of them has to do follows below."""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.host import inotify
from cardloom.host.fence import Fence
from cardloom.host.inotify import Inotify, Notice
from cardloom.host.walk import Outside
from cardloom.host.watch import Change, TooManyFolders, Wanted, Watch
from cardloom.host.watch_elsewhere import WatcherElsewhere
from cardloom.host.watcher import Watcher

if sys.platform == "linux":
    from cardloom.host.watch_linux import LinuxWatcher

CAP_S = 60.0


def everything(_: str) -> bool:
    return True


class Heard:
    """What one watch told, in order."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._news: queue.Queue[list[Change]] = queue.Queue()

    def tell(self, changes: list[Change]) -> None:
        self._news.put(changes)

    def until(self, holds: Callable[[set[tuple[str, str]]], bool]) -> set[tuple[str, str]]:
        """Take in what is told until something holds of all of it."""
        while not holds(self.all()):
            self.changes += self._news.get(timeout=CAP_S)
        return self.all()

    def all(self) -> set[tuple[str, str]]:
        return {(change.path, change.kind) for change in self.changes}

    def path(self, path: str) -> None:
        """Wait until a path was told."""
        self.until(lambda told: any(one == path for one, _ in told))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture(params=["linux", "elsewhere"])
def watcher(request: pytest.FixtureRequest) -> Iterator[Watcher]:
    """Each watcher in turn."""
    if request.param == "linux" and sys.platform != "linux":
        pytest.skip("this system has no queue of Linux")
    made: Watcher = LinuxWatcher() if request.param == "linux" else WatcherElsewhere()
    yield made
    made.close()


def watch(watcher: Watcher, folder: Path, path: str = "", *, recursive: bool = True) -> tuple[Heard, Watch]:
    heard = Heard()
    return heard, watcher.add(Wanted(Fence.of(str(folder)), path, recursive, everything, heard.tell))


def test_entries_that_come_change_and_go_are_told(watcher: Watcher, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "old").write_text("1")
    heard, _ = watch(watcher, folder)
    (folder / "sub" / "new").write_text("1")
    heard.path("sub/new")
    with (folder / "sub" / "old").open("a") as file:
        file.write("2")
    heard.until(lambda told: ("sub/old", "change") in told)
    (folder / "sub" / "old").unlink()
    heard.until(lambda told: ("sub/old", "rename") in told)


def test_nothing_outside_is_told(watcher: Watcher, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (folder / "before").symlink_to(outside)
    heard, _ = watch(watcher, folder)
    (folder / "after").symlink_to(outside)
    (outside / "deep" / "secret").write_text("")
    (outside / "secret").write_text("")
    (folder / "last").write_text("")
    heard.path("last")
    assert not [path for path, _ in heard.all() if "secret" in path or "/" in path]


def test_a_flat_watch_tells_of_its_own_entries_alone(watcher: Watcher, folder: Path) -> None:
    (folder / "sub").mkdir()
    heard, _ = watch(watcher, folder, recursive=False)
    (folder / "sub" / "x").write_text("")
    (folder / "last").write_text("")
    heard.path("last")
    assert not [path for path, _ in heard.all() if path == "sub/x"]


def test_a_folder_that_goes_ends_its_watch(watcher: Watcher, folder: Path, tmp_path: Path) -> None:
    (folder / "a").mkdir()
    heard, _ = watch(watcher, folder, "a")
    (folder / "a").rename(tmp_path / "b")
    (tmp_path / "b" / "secret").write_text("")
    assert heard.until(lambda told: ("a", "ended") in told) == {("a", "ended")}


def test_a_replaced_top_ends_its_watch(watcher: Watcher, folder: Path, tmp_path: Path) -> None:
    heard, _ = watch(watcher, folder)
    folder.rename(tmp_path / "moved")
    folder.mkdir()
    watcher.check()
    heard.until(lambda told: ("", "ended") in told)


def test_a_removed_watch_tells_nothing(watcher: Watcher, folder: Path) -> None:
    heard, first = watch(watcher, folder)
    other, _ = watch(watcher, folder)
    watcher.remove(first)
    (folder / "x").write_text("")
    other.path("x")
    assert heard.changes == []
    assert heard._news.empty()


def test_what_leads_out_or_nowhere_cannot_be_watched(watcher: Watcher, folder: Path, tmp_path: Path) -> None:
    (folder / "out").symlink_to(tmp_path)
    os.mkfifo(folder / "fifo")
    with pytest.raises(Outside):
        watch(watcher, folder, "out")
    with pytest.raises(FileNotFoundError):
        watch(watcher, folder, "none")


# Linux


@pytest.fixture
def works(folder: Path) -> Iterator[Any]:
    """The inside of a watcher of Linux, with notices that a test may add."""
    if sys.platform != "linux":
        pytest.skip("this system has no queue of Linux")
    made = LinuxWatcher(max_folders=4)
    yield made
    made.close()


def test_one_real_folder_is_watched_once_for_everybody(works: Any, folder: Path) -> None:
    (folder / "sub").mkdir()
    first, _ = watch(works, folder)
    second, _ = watch(works, folder, "sub")
    inside = works._works._folders
    assert sorted(len(inside.holders(number)) for number in inside._holders) == [1, 2]
    (folder / "sub" / "x").write_text("")
    first.path("sub/x")
    second.path("sub/x")


def test_a_tree_with_too_many_folders_is_not_watched(works: Any, folder: Path) -> None:
    for number in range(4):
        (folder / str(number)).mkdir()
    with pytest.raises(TooManyFolders):
        watch(works, folder)
    assert works._works._folders._holders == {}
    watch(works, folder, recursive=False)


def test_a_tree_that_grows_too_large_asks_for_a_look(works: Any, folder: Path) -> None:
    heard, _ = watch(works, folder)
    for number in range(8):
        (folder / str(number)).mkdir()
    heard.until(lambda told: ("", "rescan") in told)


def test_an_overflow_asks_for_a_look_and_covers_the_tree_anew(
    works: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the queue overflows nobody hears that a folder moved out and another one came."""
    (folder / "a").mkdir()
    heard, _ = watch(works, folder)
    read = Inotify.read

    losing = True

    def overflowing(self: Inotify) -> Iterator[Notice]:
        for notice in list(read(self)):
            yield Notice(-1, inotify.OVERFLOWED, "") if losing and notice.name else notice

    monkeypatch.setattr(Inotify, "read", overflowing)
    (folder / "a").rename(tmp_path / "away")
    (folder / "b").mkdir()
    heard.until(lambda told: ("", "rescan") in told)
    assert ("b", "rename") not in heard.all()
    losing = False
    (tmp_path / "away" / "secret").write_text("")
    (folder / "b" / "x").write_text("")
    heard.path("b/x")
    assert not [path for path, _ in heard.all() if "secret" in path]


def test_more_paths_than_fit_give_way_to_a_rescan(folder: Path) -> None:
    with Fence.of(str(folder)).enter() as inside:
        made = Watch(Wanted(Fence.of(str(folder)), "", True, everything, print), inside, max_paths=3)
    for name in "abcd":
        made.note((name,), "rename", 0)
    assert made.take() == [Change("", "rescan")]
    assert made.take() == []


def test_a_rename_says_more_than_a_change(folder: Path) -> None:
    with Fence.of(str(folder)).enter() as inside:
        made = Watch(Wanted(Fence.of(str(folder)), "", True, everything, print), inside)
    made.note(("a",), "change", 0)
    made.note(("a",), "rename", 0)
    made.note(("a",), "change", 0)
    assert made.due_ms == 100
    assert made.take() == [Change("a", "rename")]
    assert made.due_ms is None


@pytest.mark.skipif(sys.platform != "linux", reason="the queue of Linux")
def test_watches_are_told_in_the_order_of_their_changes(folder: Path) -> None:
    made = LinuxWatcher()
    told: queue.Queue[int] = queue.Queue()

    def listener(number: int) -> Callable[[list[Change]], None]:
        return lambda _: told.put(number)

    try:
        for number in range(20):
            (folder / str(number)).mkdir()
            made.add(Wanted(Fence.of(str(folder)), str(number), True, everything, listener(number)))
        for number in range(20):
            (folder / str(number) / "new").touch()
        assert [told.get(timeout=CAP_S) for _ in range(20)] == list(range(20))
    finally:
        made.close()
