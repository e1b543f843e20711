"""Files are replaced whole or not at all, whatever ends the writer, fills the disk or writes at the same time."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardloom.host import renaming, replacing
from cardloom.host.fence import Fence, Special
from cardloom.host.replacing import TEMPORARY, Changed, mtime_ms, replace_file

TRIALS = 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def write(folder: Path, path: str, data: bytes, if_mtime_ms: float | None = None) -> os.stat_result:
    with Fence.of(str(folder)).enter() as inside, inside.place(path) as place:
        return replace_file(place, data, if_mtime_ms=if_mtime_ms)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(folder: Path) -> None:
    script = Path(__file__).with_name("killed_writer.py")
    done = subprocess.run(
        [sys.executable, script, folder, str(TRIALS)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{TRIALS} writers killed")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 128 KiB; only root may mount one."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("mounting a small disk takes root on Linux; the file size limit is tried instead")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("nothing may be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_keeps_the_old_file(small_disk: Path) -> None:
    write(small_disk, "f", b"old")
    with pytest.raises(OSError) as refusal:
        write(small_disk, "f", b"x" * 200_000)
    assert refusal.value.errno == errno.ENOSPC
    assert (small_disk / "f").read_bytes() == b"old"
    assert names(small_disk) == ["f"]


def test_a_file_that_may_not_grow_so_large_stays_as_it_was(folder: Path) -> None:
    write(folder, "f", b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError) as refusal:
            write(folder, "f", b"x" * 200_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refusal.value.errno == errno.EFBIG
    assert (folder / "f").read_bytes() == b"old"
    assert names(folder) == ["f"]


def try_to_write(folder: Path, data: bytes, expected: float, start: threading.Barrier, won: list[bytes]) -> None:
    start.wait()
    with contextlib.suppress(Changed):
        write(folder, "f", data, expected)
        won.append(data)


@pytest.mark.parametrize("by", ["swapping", "renaming"])
def test_of_writers_that_expect_the_same_file_exactly_one_wins(
    folder: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "renaming":
        monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    for turn in range(40):
        expected = mtime_ms(write(folder, "f", b"old"))
        start = threading.Barrier(8)
        won: list[bytes] = []
        threads = [
            threading.Thread(target=try_to_write, args=(folder, str(number).encode(), expected, start, won))
            for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1, f"turn {turn}: {won}"
        assert (folder / "f").read_bytes() == won[0]
        assert names(folder) == ["f"]


def test_each_write_is_younger_than_the_one_before(folder: Path) -> None:
    times = [mtime_ms(write(folder, "f", b"x")) for _ in range(50)]
    assert times == sorted(set(times))
    later = time.time() + 1000
    os.utime(folder / "f", (later, later))
    assert mtime_ms(write(folder, "f", b"x")) > later * 1000


def test_a_file_that_another_program_writes_in_the_last_moment_is_not_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not renaming._call():
        pytest.skip("names cannot be swapped here")
    expected = mtime_ms(write(folder, "f", b"old"))
    swap = renaming.exchange

    def late(handle: int, one: str, other: str) -> bool:
        if not (folder / "editor").exists():
            (folder / "editor").write_bytes(b"theirs")
            (folder / "editor").rename(folder / "f")
            (folder / "editor").write_bytes(b"done")
        return swap(handle, one, other)

    monkeypatch.setattr(replacing, "exchange", late)
    with pytest.raises(Changed) as refusal:
        write(folder, "f", b"ours", expected)
    assert (folder / "f").read_bytes() == b"theirs"
    assert refusal.value.mtime_ms == mtime_ms((folder / "f").stat())
    assert names(folder) == ["editor", "f"]


def test_where_names_cannot_be_swapped_the_file_is_renamed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "exchange", lambda *_: False)
    expected = mtime_ms(write(folder, "f", b"old"))
    write(folder, "f", b"new", expected)
    assert (folder / "f").read_bytes() == b"new"
    with pytest.raises(Changed):
        write(folder, "f", b"newer", expected)


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(folder: Path) -> None:
    mask = os.umask(0o027)
    try:
        assert stat.S_IMODE(write(folder, "f", b"").st_mode) == 0o640
        (folder / "f").chmod(0o604)
        assert stat.S_IMODE(write(folder, "f", b"").st_mode) == 0o604
    finally:
        os.umask(mask)


def test_what_is_no_file_is_not_replaced(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "sub").mkdir()
    with pytest.raises(Special):
        write(folder, "fifo", b"")
    with pytest.raises(IsADirectoryError):
        write(folder, "sub", b"")
    assert names(folder) == ["fifo", "sub"]


def test_a_read_only_file_is_not_replaced(folder: Path) -> None:
    (folder / "f").write_bytes(b"old")
    (folder / "f").chmod(0o444)
    folder.chmod(0o777)
    is_root = os.geteuid() == 0
    with Fence.of(str(folder)).enter() as inside, inside.place("f") as place:
        if is_root:  # who may write everything
            os.seteuid(65534)
        try:
            with pytest.raises(PermissionError):
                replace_file(place, b"new")
        finally:
            if is_root:
                os.seteuid(0)
    assert names(folder) == ["f"]


def test_what_a_killed_writer_left_is_removed_by_a_later_one(folder: Path) -> None:
    old, young = folder / f"{TEMPORARY}old", folder / f"{TEMPORARY}young"
    for left in (old, young):
        left.write_bytes(b"half")
    long_ago = time.time() - 10_000
    os.utime(old, (long_ago, long_ago))
    (folder / f"{TEMPORARY}folder").mkdir()
    os.utime(folder / f"{TEMPORARY}folder", (long_ago, long_ago))
    write(folder, "f", b"x")
    assert names(folder) == [f"{TEMPORARY}folder", f"{TEMPORARY}young", "f"]
