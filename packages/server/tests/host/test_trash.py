"""What is thrown away reaches the system's trash, can be restored to its place, and is never deleted here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from cardloom.host.fence import Fence
from cardloom.host.replacing import TEMPORARY
from cardloom.host.trash import Trash
from cardloom.host.trash_records import correct_record


class Bin:
    """Stands for the system's trash; `refusing` makes it take nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refusing: OSError | None = None
        self.sent: list[str] = []
        folder.mkdir()

    def send(self, path: str) -> None:
        self.sent.append(path)
        if self.refusing is not None:
            raise self.refusing
        os.rename(path, self.folder / os.path.basename(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def bin_(tmp_path: Path) -> Bin:
    return Bin(tmp_path / "bin")


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return tmp_path / "data" / "trash"


def put(trash: Trash, folder: Path, path: str) -> None:
    with Fence.of(str(folder)).enter() as inside, inside.place(path, follow=False) as place:
        trash.put(place, os.path.join(inside.real_path, *place.names))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_entry_goes_by_a_private_folder_and_leaves_nothing_behind(folder: Path, bin_: Bin, private: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "f").write_text("kept")
    put(Trash(private, bin_.send), folder, "a/f")
    assert (bin_.folder / "f").read_text() == "kept"
    assert bin_.sent[0].startswith(str(private))
    assert names(private) == []
    assert names(folder / "a") == []


def test_a_link_is_hidden_in_a_folder_and_its_target_stays(folder: Path, bin_: Bin, private: Path) -> None:
    (folder / "real").write_text("stays")
    (folder / "link").symlink_to("real")
    (folder / "broken").symlink_to("none")
    for name in ("link", "broken"):
        put(Trash(private, bin_.send), folder, name)
        assert (bin_.folder / name / name).is_symlink()
    assert (folder / "real").read_text() == "stays"
    assert names(private) == []


def test_what_is_refused_is_put_back(folder: Path, bin_: Bin, private: Path) -> None:
    bin_.refusing = PermissionError(13, "no")
    (folder / "f").write_text("kept")
    (folder / "link").symlink_to("f")
    for name in ("f", "link"):
        with pytest.raises(PermissionError):
            put(Trash(private, bin_.send), folder, name)
    assert (folder / "f").read_text() == "kept"
    assert os.readlink(folder / "link") == "f"
    assert names(private) == []


def test_what_is_refused_while_its_place_was_taken_is_kept_and_tried_again(
    folder: Path, bin_: Bin, private: Path
) -> None:
    (folder / "f").write_text("first")

    def refuse(path: str) -> None:
        (folder / "f").write_text("second")
        raise OSError(5, "no")

    with pytest.raises(OSError):
        put(Trash(private, refuse), folder, "f")
    assert (folder / "f").read_text() == "second"
    (kept,) = private.rglob("f")
    assert kept.read_text() == "first"
    Trash(private, bin_.send).finish()
    assert (bin_.folder / "f").read_text() == "first"
    assert names(private) == []


def test_the_next_server_finishes_what_a_killed_one_began(folder: Path, bin_: Bin, private: Path) -> None:
    (folder / "f").write_text("kept")

    def die(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put(Trash(private, die), folder, "f")
    assert names(folder) == []
    Trash(private, bin_.send).finish()
    assert (bin_.folder / "f").read_text() == "kept"
    assert names(private) == []
    Trash(private, bin_.send).finish()
    Trash(private.parent / "none", bin_.send).finish()


def test_a_note_that_cannot_be_read_harms_nothing(bin_: Bin, private: Path) -> None:
    (private / "x" / "room").mkdir(parents=True)
    (private / "x" / "room" / "f").write_text("kept")
    (private / "x" / "note.json").write_text("{")
    Trash(private, bin_.send).finish()
    assert (private / "x" / "room" / "f").read_text() == "kept"


@pytest.fixture
def other_disk() -> Iterator[Path]:
    """A folder on another file system than the test's."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        pytest.skip("there is no other file system to write to")
    folder = memory / f"cardloom-trash-{os.getpid()}"
    folder.mkdir()
    yield folder
    subprocess.run(["rm", "-r", str(folder)], check=True)


def test_an_entry_of_another_disk_goes_by_a_folder_beside_it(other_disk: Path, tmp_path: Path) -> None:
    private, bin_ = tmp_path / "data" / "trash", Bin(other_disk / "bin")
    if other_disk.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("both folders are on one file system")
    project = other_disk / "project"
    (project / "sub").mkdir(parents=True)
    (project / "sub" / "f").write_text("kept")
    (project / "sub" / "l").symlink_to("f")
    for name in ("l", "f"):
        put(Trash(private, bin_.send), project, f"sub/{name}")
    assert (bin_.folder / "f").read_text() == "kept"
    assert names(project / "sub") == names(private) == []
    (project / "g").write_text("kept")
    bin_.refusing = OSError(5, "no")
    with pytest.raises(OSError):
        put(Trash(private, bin_.send), project, "g")
    assert names(project) == ["g", "sub"]


def test_an_entry_of_another_disk_survives_a_killed_server(other_disk: Path, tmp_path: Path) -> None:
    private, bin_ = tmp_path / "data" / "trash", Bin(other_disk / "bin")
    (other_disk / "f").write_text("kept")

    def die(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put(Trash(private, die), other_disk, "f")
    Trash(private, bin_.send).finish()
    assert (bin_.folder / "f").read_text() == "kept"
    assert names(other_disk) == ["bin"]


# The real trash

PROGRAM = """
import os, sys
from pathlib import Path
from cardloom.host.fence import Fence
from cardloom.host.trash import Trash
trash = Trash(Path(sys.argv[1]))
for path in sys.argv[3:]:
    with Fence.of(sys.argv[2]).enter() as inside, inside.place(path, follow=False) as place:
        trash.put(place, os.path.join(inside.real_path, *place.names))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the records looked at are those of free desktops")
def test_the_systems_trash_remembers_where_an_entry_was(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "my project"
    home.mkdir()
    (project / "sub").mkdir(parents=True)
    for name in ("f.txt", "sub/f.txt", "sub/ä %.md"):
        (project / name).write_text(name)
    (project / "link").symlink_to("none")
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "share")}
    private = home / "share" / "cardloom" / "trash"
    subprocess.run(
        [sys.executable, "-c", PROGRAM, private, project, "f.txt", "sub/f.txt", "sub/ä %.md", "link"],
        env=environment,
        check=True,
    )
    assert names(project) == ["sub"]
    assert names(private) == []
    trash = home / "share" / "Trash"
    origins = {}
    for record in (trash / "info").iterdir():
        (line,) = [line for line in record.read_text().splitlines() if line.startswith("Path=")]
        origins[record.name.removesuffix(".trashinfo")] = unquote(line.removeprefix("Path="))
    assert origins == {
        "f.txt": str(project / "f.txt"),
        "f 1.txt": str(project / "sub" / "f.txt"),
        "ä %.md": str(project / "sub" / "ä %.md"),
        "link": str(project / "link"),
    }
    assert (trash / "files" / "f 1.txt").read_text() == "sub/f.txt"


def test_records_of_other_entries_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    records = tmp_path / "Trash" / "info"
    records.mkdir(parents=True)
    (records / "f.trashinfo").write_text("[Trash Info]\nPath=/elsewhere/f\nDeletionDate=2030-01-01T00:00:00\n")
    (records / "f 1.trashinfo").write_text("[Trash Info]\nPath=room/f\nDeletionDate=2030-01-01T00:00:00\n")
    (records / "f 2.trashinfo").write_bytes(b"\xff\xfe")
    correct_record(str(tmp_path / "room" / "f"), "/home/me/a b")
    assert (records / "f.trashinfo").read_text().splitlines()[1] == "Path=/elsewhere/f"
    assert (records / "f 1.trashinfo").read_text().splitlines()[1:] == [
        "Path=/home/me/a%20b",
        "DeletionDate=2030-01-01T00:00:00",
    ]
    assert len(names(records)) == 3


def test_the_note_says_where_an_entry_was_and_is(folder: Path, private: Path) -> None:
    (folder / "f").write_text("")
    seen: list[dict[str, str]] = []

    def send(path: str) -> None:
        (note,) = private.glob("*/note.json")
        assert note.parent.name.startswith(TEMPORARY)
        seen.append(json.loads(note.read_text()))
        os.unlink(path)

    put(Trash(private, send), folder, "f")
    assert seen[0]["origin"] == str(folder / "f")
    assert seen[0]["path"].endswith("/room/f")
