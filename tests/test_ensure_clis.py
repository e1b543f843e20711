"""Agents' programs are installed once, looked for, and named when they cannot be had."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ensure_clis import NODE, PROGRAMS, Program, ensure, missing_reason

CLAUDE = next(program for program in PROGRAMS if program.id == "claude-code")
PI = next(program for program in PROGRAMS if program.id == "pi")


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose `npm` notes its calls and does what the file `does` beside it says; the cache is beside it."""
    bin = tmp_path / "bin"
    bin.mkdir()
    script = bin / "npm"
    script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n. {tmp_path}/does\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CARDLOOM_AGENT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def bring(npm: Path, *programs: Program) -> None:
    """Let npm bring these programs, and the folder it is told with --prefix."""
    lines = ['while [ "$1" != --prefix ]; do shift; done', 'cd "$2"']
    for program in programs:
        file = f"node_modules/{program.file}"
        lines.append(f'case "$3" in {program.package}@*) mkdir -p {os.path.dirname(file)}; touch {file};; esac')
    (npm / "does").write_text("\n".join(lines) + "\n")


def test_a_program_is_brought_once_and_found_afterwards(npm: Path) -> None:
    bring(npm, CLAUDE)
    assert missing_reason(CLAUDE) is not None
    assert ensure([CLAUDE]) == {}
    assert ensure([CLAUDE]) == {}
    assert missing_reason(CLAUDE) is None
    calls = (npm / "calls").read_text().splitlines()
    assert len(calls) == 1
    assert "--ignore-scripts" in calls[0]
    assert f"{CLAUDE.package}@{CLAUDE.version}" in calls[0]


def test_a_program_that_needs_node_is_missing_without_it(npm: Path) -> None:
    bring(npm, PI)
    assert set(ensure([PI])) == {NODE.id}
    assert NODE.package in (missing_reason(PI) or "")
    bring(npm, NODE)
    assert ensure([PI]) == {}
    assert missing_reason(PI) is None
    assert PI.command == [str(NODE.path), str(PI.path)]


def test_a_part_that_was_left_out_without_a_word_is_told_and_leaves_nothing(npm: Path) -> None:
    (npm / "does").write_text("exit 0\n")
    assert CLAUDE.file in ensure([CLAUDE])[CLAUDE.id]
    assert list((npm / "cache").iterdir()) == []


def test_a_failing_npm_is_told_in_its_own_words(npm: Path) -> None:
    (npm / "does").write_text("echo 'npm error code ENOTFOUND' >&2; exit 1\n")
    assert ensure([CLAUDE]) == {CLAUDE.id: "npm error code ENOTFOUND"}


def test_without_npm_the_reason_says_so(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(npm / "nothing"))
    assert "npm" in ensure([CLAUDE])[CLAUDE.id]


PRIVATE = Path(__file__).resolve().parents[1] / "tools" / "private_network.py"
REACHES = """
import socket
near = socket.create_server(("127.0.0.1", 0))
socket.create_connection(near.getsockname(), 5).close()
try:
    socket.create_connection(("192.0.2.1", 80), 5)
except OSError as error:
    print(error.errno)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="networks of one's own are Linux's")
def test_a_private_network_has_a_loopback_and_no_way_out() -> None:
    told = subprocess.run(
        [sys.executable, PRIVATE, sys.executable, "-c", REACHES], capture_output=True, text=True, check=False
    )
    if "no private network" in told.stderr:
        pytest.skip(told.stderr.strip())
    assert told.stdout.split() == [str(errno.ENETUNREACH)]


@pytest.mark.skipif(sys.platform != "linux", reason="networks of one's own are Linux's")
def test_the_exit_code_of_a_command_in_a_private_network_is_its_own() -> None:
    assert subprocess.run([sys.executable, PRIVATE, "sh", "-c", "exit 7"], check=False).returncode == 7
