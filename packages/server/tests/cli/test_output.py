"""Standard output that takes nothing more, as people's shells make it: a full disk, and a reader that has enough."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardloom.cli.output import watched_output

from .running_cli import CAP_S, Cli

FULL = Path("/dev/full")
COMMANDS = [["up", "--no-open"], ["status"], ["cards", "--json"], ["--help"], ["--version"]]

needs_full = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a disk that is always full")


def run(cli: Cli, command: list[str], output: int, **more: str) -> tuple[int, str]:
    """Exit code and errors of a command that prints to a descriptor."""
    done = subprocess.run(
        [sys.executable, "-m", "cardloom", *command],
        cwd=cli.home.parent,
        env={**cli.environment, **more},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=CAP_S,
        check=False,
    )
    return done.returncode, done.stderr


@needs_full
@pytest.mark.parametrize(("command", "unbuffered"), [*((command, "") for command in COMMANDS), (["status"], "1")])
def test_a_full_disk_is_told_in_one_line(cli: Cli, command: list[str], unbuffered: str) -> None:
    with FULL.open("wb") as disk:
        code, err = run(cli, command, disk.fileno(), PYTHONUNBUFFERED=unbuffered)
    assert (code, err) == (1, "cardloom: the output could not be written: No space left on device\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_a_command_quietly(cli: Cli, command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(cli, command, writer) == (1, "")
    finally:
        os.close(writer)


@needs_full
def test_a_file_larger_than_any_buffer_is_met_in_the_same_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FULL.open("wb") as disk, io.TextIOWrapper(disk, write_through=True) as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as ended, watched_output():
            sys.stdout.buffer.write(bytes(1 << 20))
        assert (ended.value.code, sys.stdout) == (1, stdout)
    assert "No space left on device" in capsys.readouterr().err


def test_other_failures_pass_as_they_are() -> None:
    with pytest.raises(FileNotFoundError), watched_output():
        Path("/nowhere/at/all").read_text("utf-8")
