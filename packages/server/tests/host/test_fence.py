"""The fence's two ways to a file, what it closes, and how it spells names; the attacks are in tests/vectors/fence."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.host.fence import LIST, Closed, Fence, FolderGone, Inside, Special
from cardloom.host.listing import list_folder
from cardloom.host.openat2 import Kernel, kernel
from cardloom.host.spelling import on_disk
from cardloom.host.walk import HANDLE, Outside, Walk

MakeFence = Callable[..., Fence]
HANDLE_ONLY = getattr(os, "O_PATH", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture(params=["kernel", "walk"])
def make_fence(request: pytest.FixtureRequest) -> MakeFence:
    """Makes fences of each of the two ways."""
    if request.param == "walk":
        return Fence
    call = kernel()
    if call is None:
        pytest.skip("this system has no openat2")
    return lambda folder, private=(): Fence(folder, private, call=call)


def read(fence: Fence, path: str) -> bytes:
    with fence.enter() as inside:
        handle, _ = inside.open_file(path)
        with os.fdopen(handle, "rb") as file:
            return file.read()


def open_handles() -> int:
    return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))


def test_a_file_is_read_through_links_that_stay_inside(make_fence: MakeFence, folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "f").write_bytes(b"in")
    (folder / "relative").symlink_to("a/../a")
    (folder / "absolute").symlink_to(folder / "a")
    for path in ("a/f", "relative/f", "absolute/f"):
        assert read(make_fence(str(folder)), path) == b"in"


def test_absolute_links_are_inside_by_the_given_and_by_the_real_path(make_fence: MakeFence, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "f").write_bytes(b"in")
    (tmp_path / "given").symlink_to("real")
    (real / "one").symlink_to(tmp_path / "given" / "f")
    (real / "two").symlink_to(real / "f")
    fence = make_fence(str(tmp_path / "given"))
    assert read(fence, "one") == read(fence, "two") == b"in"


def test_a_way_out_is_refused(make_fence: MakeFence, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "up").symlink_to("..")
    (folder / "absolute").symlink_to(tmp_path / "secret")
    for path in ("up/secret", "absolute", "../secret"):
        with pytest.raises(Outside):
            read(make_fence(str(folder)), path)


def test_no_handle_stays_open(make_fence: MakeFence, folder: Path, tmp_path: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "f").write_text("x")
    (folder / "a" / "out").symlink_to(tmp_path)
    (folder / "a" / "loop").symlink_to("loop")
    (folder / "a" / "back").symlink_to("b/../f")
    acts: tuple[Callable[[Inside, str], object], ...] = (
        lambda inside, path: os.close(inside.open_file(path)[0]),
        lambda inside, path: os.close(inside.open(path, LIST)),
        lambda inside, path: inside.place(path).close(),
        lambda inside, path: inside.look(path),
    )
    gc.collect()  # what other tests left is not closed meanwhile
    before = open_handles()
    for path in ("a/f", "a/back", "a/out", "a/out/x", "a/loop", "a/b", "a/none", "none/x", "a/f/x", "", "x" * 300):
        for act in acts:
            with contextlib.suppress(OSError, Outside), make_fence(str(folder)).enter() as inside:
                act(inside, path)
    assert open_handles() <= before


def test_special_files_are_looked_at_and_never_opened(
    make_fence: MakeFence, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits at a FIFO for a reader must not take us for one."""
    os.mkfifo(folder / "fifo")
    (folder / "file").write_text("x")
    opened: list[int] = []
    really_open = Inside.open

    def note(inside: Inside, path: str, flags: int) -> int:
        opened.append(flags)
        return really_open(inside, path, flags)

    monkeypatch.setattr(Inside, "open", note)
    with make_fence(str(folder)).enter() as inside:
        with pytest.raises(Special):
            inside.open_file("fifo")
        assert all(flags & HANDLE_ONLY for flags in opened)
        os.close(inside.open_file("file")[0])
        assert not opened[-1] & HANDLE_ONLY


def test_real_names_must_be_real(make_fence: MakeFence, folder: Path) -> None:
    (folder / "real" / "sub").mkdir(parents=True)
    (folder / "link").symlink_to("real")
    with make_fence(str(folder)).enter() as inside:
        os.close(inside.open_real(("real", "sub"), HANDLE))
        for names in (("link",), ("link", "sub")):
            with pytest.raises(OSError) as refusal:
                inside.open_real(names, HANDLE)
            assert refusal.value.errno in (errno.ELOOP, errno.ENOTDIR)
        with pytest.raises(FileNotFoundError):
            inside.open_real(("none", "sub"), HANDLE)


def test_the_folder_is_entered_as_it_is_now(make_fence: MakeFence, folder: Path, tmp_path: Path) -> None:
    fence = make_fence(str(folder))
    (folder / "f").write_bytes(b"1")
    assert read(fence, "f") == b"1"
    folder.rename(tmp_path / "old")
    with pytest.raises(FolderGone):
        read(fence, "f")
    folder.mkdir()
    (folder / "f").write_bytes(b"2")
    assert read(fence, "f") == b"2"
    (folder / "f").unlink()
    folder.rmdir()
    folder.write_text("a file")
    with pytest.raises(FolderGone):
        read(fence, "f")


# What is closed


def test_roots_homes_and_our_own_data_are_closed(
    make_fence: MakeFence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, data = tmp_path / "homes" / "me", tmp_path / "srv" / "app" / "data"
    for path in (home / "project", data / "packages"):
        path.mkdir(parents=True)
    (tmp_path / "to-home").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "to-home"))
    for path in (Path("/"), home, home.parent, tmp_path / "to-home", tmp_path, data, data.parent, data / "packages"):
        with pytest.raises(Closed):
            make_fence(str(path), (str(data),)).enter()
    for path in (home / "project", tmp_path / "to-home" / "project"):
        make_fence(str(path), (str(data),)).enter().close()


def test_a_folder_that_becomes_a_closed_one_is_closed_from_then_on(
    make_fence: MakeFence, folder: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    link = tmp_path / "workspace"
    link.symlink_to(folder)
    fence = make_fence(str(link), (str(data),))
    fence.enter().close()
    link.unlink()
    link.symlink_to(tmp_path)
    with pytest.raises(Closed):
        fence.enter()


def test_a_user_without_a_home_closes_nothing_by_accident(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.chdir(folder)
    Fence(str(folder)).enter().close()


# The walk


def test_a_walk_tells_the_real_names_and_the_path_as_it_was_given(folder: Path) -> None:
    (folder / "real" / "sub").mkdir(parents=True)
    (folder / "link").symlink_to("real")
    with Fence(str(folder)).enter() as inside:
        with inside.place("link/sub/new/er") as place:
            assert (place.there, place.rest) == (("real", "sub"), ("new", "er"))
            assert (place.found, place.shown) == (None, "link/sub/new/er")
        with inside.place("link") as place:
            assert (place.there, place.rest, place.shown) == ((), ("real",), "link")
        with inside.place("link", follow=False) as place:
            assert place.names == ("link",)
            assert place.found is not None
            assert stat.S_ISLNK(place.found.st_mode)
        with inside.place("") as place:
            assert (place.names, place.name) == ((), ".")


def test_a_walk_holds_two_folders_open_however_deep_the_path(folder: Path) -> None:
    path = "/".join("d" * 200)
    (folder / path).mkdir(parents=True)
    most = 0
    before = open_handles()

    class Counting(Walk):
        def _look(self, name: str) -> os.stat_result | None:
            nonlocal most
            most = max(most, open_handles())
            return super()._look(name)

    with Fence(str(folder)).enter() as inside:
        Counting(inside.top, ()).to(path).close()
    assert most <= before + 3


def test_links_that_ask_for_endless_steps_are_given_up(folder: Path) -> None:
    deep = "/".join("d" * 60)
    (folder / deep).mkdir(parents=True)
    back = "../d/" * 700
    for number in range(40):
        (folder / deep / str(number)).symlink_to(f"{back}{number + 1}")
    with Fence(str(folder)).enter() as inside, pytest.raises(OSError) as refusal:
        inside.place(f"{deep}/0")
    assert refusal.value.errno == errno.ELOOP


# Names on disks that fold


class Folding:
    """A folder of a disk that takes letters for each other and keeps short names."""

    def __init__(self, *names: str, short: dict[str, str] | None = None) -> None:
        self.names = names
        self.short = short or {}
        self.listed = 0

    def look(self, name: str) -> os.stat_result | None:
        for number, one in enumerate(self.names):
            if one.casefold() == name.casefold() or self.short.get(one, "").casefold() == name.casefold():
                return os.stat_result((0, number, 1, 1, 0, 0, 0, 0, 0, 0))
        return None

    def list(self) -> Iterator[str]:
        self.listed += 1
        return iter(self.names)

    def spelled(self, name: str) -> str:
        found = self.look(name)
        assert found is not None
        return on_disk(name, found, self.look, self.list)


def test_a_name_is_given_back_as_it_is_on_disk() -> None:
    disk = Folding("README.md", ".git", "Straße", short={".git": "GIT~1"})
    assert disk.spelled("readme.MD") == "README.md"
    assert disk.spelled("README.md") == "README.md"
    assert disk.spelled(".GIT") == ".git"
    assert disk.spelled("git~1") == ".git"
    assert disk.spelled("STRASSE") == "Straße"


def test_a_name_that_only_one_entry_answers_to_costs_no_listing() -> None:
    class Exact(Folding):
        def look(self, name: str) -> os.stat_result | None:
            return super().look(name) if name in self.names else None

    disk = Exact("a", "B", "é")
    assert [disk.spelled(name) for name in ("a", "B", "é")] == ["a", "B", "é"]
    assert disk.listed == 0


def test_names_of_one_file_are_not_taken_for_each_other(folder: Path) -> None:
    """Hard links whose names differ by case alone are two entries where the disk says so."""
    (folder / "a").write_text("x")
    os.link(folder / "a", folder / "A")
    with Fence(str(folder)).enter() as inside:
        for name in ("a", "A"):
            with inside.place(name) as place:
                assert place.shown == name


# Lists


def test_a_list_survives_folders_that_go_and_folders_that_are_closed(
    make_fence: MakeFence, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (folder / name).mkdir()
        (folder / name / "x").write_text("")
    (folder / "b").chmod(0)
    scandir = os.scandir

    def losing(handle: int) -> Any:
        found = scandir(handle)
        if (folder / "c").exists():
            (folder / "c").rename(folder.parent / "gone")
        return found

    with make_fence(str(folder)).enter() as inside:
        monkeypatch.setattr(os, "scandir", losing)
        listing = list_folder(inside, "", recursive=True, max_entries=100, admits=lambda _: True, fits=lambda _: True)
    paths = [entry.path for entry in listing.entries]
    assert paths[:2] == ["a", "b"]
    assert "a/x" in paths
    assert "c/x" not in paths


# The kernel's call


def test_without_the_call_everything_is_walked(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def missing(*_: object) -> int:
        raise OSError(errno.ENOSYS, "no such call")

    kernel.cache_clear()
    monkeypatch.setattr(Kernel, "open", missing)
    try:
        assert kernel() is None
        (folder / "f").write_bytes(b"in")
        assert read(Fence.of(str(folder)), "f") == b"in"
    finally:
        kernel.cache_clear()


def test_a_call_that_is_told_to_come_again_comes_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "f").write_bytes(b"in")
    call = kernel()
    if call is None:
        pytest.skip("this system has no openat2")
    made = Kernel()
    real, refusals = made._call, [errno.EAGAIN, errno.EINTR]

    def busy(*arguments: object) -> int:
        import ctypes

        if refusals:
            ctypes.set_errno(refusals.pop())
            return -1
        return int(real(*arguments))

    monkeypatch.setattr(made, "_call", busy)
    assert read(Fence(str(folder), call=made), "f") == b"in"
    assert refusals == []
