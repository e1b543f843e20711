"""A program under the guardian ends when whoever started it does, and tells how it ended otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cardloom.host import guardian

CAP_S = 60
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def start(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", str(Path(guardian.__file__)), *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_exit_code_and_the_output_are_the_programs() -> None:
    process = start(sys.executable, "-c", "print('hello'); raise SystemExit(5)")
    assert process.wait(CAP_S) == 5
    assert process.communicate()[0] == "hello\n"


def test_a_program_that_cannot_be_started_is_told() -> None:
    process = start("/no/such/program")
    assert process.wait(CAP_S) == guardian.NOT_STARTED
    assert "No such file" in process.communicate()[1]


@POSIX
@pytest.mark.parametrize("stubborn", [False, True])
def test_the_end_of_the_input_ends_the_program(stubborn: bool) -> None:
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    process = start(sys.executable, "-c", f"{ignore}print('up', flush=True)\nimport time; time.sleep(600)")
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "up\n"
    process.stdin.close()
    assert process.wait(CAP_S) == 128 + (9 if stubborn else 15)
    process.stdout.close()
