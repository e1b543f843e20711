"""`cardloom fs …` against a real server."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from .running_cli import CAP_S, Cli


@pytest.fixture
def served(tmp_path: Path, start_server: Any, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line with a server running that has a trash of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    start_server().wait_until_open()
    return Cli(tmp_path / "data")


@pytest.fixture
def folder(tmp_path: Path, served: Cli) -> Path:
    return tmp_path / "project"


def test_a_file_is_written_read_and_thrown_away(served: Cli, folder: Path, tmp_path: Path) -> None:
    code, out, _ = served("fs", "write", "notes/a.txt", "hello", "--create-dirs")
    assert (code, out.startswith("notes/a.txt: 5 bytes, changed ")) == (0, True)
    assert served("fs", "read", "notes/a.txt")[:2] == (0, "hello")
    found = served.json("fs", "read", "notes/a.txt", "--max", "2")
    assert found == {"data": "he", "encoding": "utf8", "size": 5, "truncated": True}
    assert served("fs", "read", "notes/a.txt", "--max", "2")[1:] == (
        "he",
        "cardloom: this is the beginning of 5 bytes",
    )
    assert served("fs", "mkdir", "notes/old")[0] == 0
    code, out, _ = served("fs", "list", "-r")
    assert (code, out.split()) == (0, ["notes/", "5", "notes/a.txt", "notes/old/"])
    assert served("fs", "trash", "notes/a.txt")[:2] == (0, "notes/a.txt is in the trash.")
    assert (tmp_path / "share" / "Trash" / "files" / "a.txt").read_text() == "hello"
    assert os.listdir(folder / "notes") == ["old"]


def test_bytes_come_from_standard_input_or_a_file(served: Cli, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "logo").write_bytes(b"\x89PNG\x00\xff")
    assert served("fs", "write", "logo.png", "--from", str(tmp_path / "logo"))[0] == 0
    assert (folder / "logo.png").read_bytes() == b"\x89PNG\x00\xff"
    assert served("fs", "write", "in.txt", given="from a pipe\n")[0] == 0
    assert (folder / "in.txt").read_text() == "from a pipe\n"
    code, _, err = served("fs", "write", "x", "text", "--from", str(tmp_path / "logo"))
    assert (code, "not both" in err) == (2, True)
    code, _, err = served("fs", "write", "x", "--from", str(tmp_path / "none"))
    assert (code, "cannot be read" in err) == (2, True)


def test_a_conflict_tells_the_time_to_try_again_with(served: Cli, folder: Path) -> None:
    first = served.json("fs", "write", "a", "one")
    second = served.json("fs", "write", "a", "two", "--if-mtime-ms", repr(first["mtimeMs"]))
    refused = served.json("fs", "write", "a", "three", "--if-mtime-ms", repr(first["mtimeMs"]), code=1)
    assert refused["error"]["data"] == {"reason": "conflict", "conflict": True, "mtimeMs": second["mtimeMs"]}
    assert served.json("fs", "stat", "a")["mtimeMs"] == second["mtimeMs"]
    assert repr(second["mtimeMs"]) in served("fs", "stat", "a")[1]


def test_refusals_name_the_path_and_never_one_of_the_machine(served: Cli, folder: Path, tmp_path: Path) -> None:
    (folder / "out").symlink_to(tmp_path)
    for arguments in (("read", "out/data"), ("list", "../"), ("write", ".git/config", "x"), ("stat", "none")):
        code, out, err = served("fs", *arguments)
        assert (code, out) == (1, "")
        assert err.startswith("cardloom: ")
        assert arguments[1] in err
        assert str(tmp_path) not in err


def test_names_cannot_paint_the_terminal(served: Cli, folder: Path) -> None:
    (folder / "\x1b[31mred").write_text("")
    code, out, _ = served("fs", "list")
    assert (code, out.split()[-1]) == (0, "'\\x1b[31mred'")


def test_a_watch_prints_changes_until_it_is_ended(served: Cli, folder: Path) -> None:
    process = served.start("fs", "watch", "-r")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Watching project.")
    (folder / "a.txt").write_text("x")
    assert process.stdout.readline().split() == ["rename", "a.txt"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=CAP_S)
    assert process.returncode == 130


def test_a_watch_in_json_ends_with_what_it_watches(served: Cli, folder: Path) -> None:
    (folder / "sub").mkdir()
    process = served.start("fs", "watch", "sub", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Watching sub.")
    (folder / "sub" / "x").write_text("")
    assert json.loads(process.stdout.readline()) == {"path": "sub/x", "type": "rename"}
    (folder / "sub").rename(folder / "gone")
    out, _ = process.communicate(timeout=CAP_S)
    assert json.loads(out.splitlines()[0]) == {"path": "sub", "type": "ended"}
    assert process.returncode == 1
