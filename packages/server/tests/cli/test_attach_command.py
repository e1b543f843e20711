"""`cardloom attach` in a real terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from typing import Any

import pytest

from .running_cli import CAP_S, Cli

LEAVE = b"\x1d"


class Person:
    """Somebody at a terminal in which a command runs."""

    def __init__(self, cli: Cli, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        self.resize(100, 30)
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardloom", *arguments],
            env=cli.environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        self.seen = ""

    def resize(self, cols: int, rows: int) -> None:
        ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def sees(self, pattern: str) -> None:
        """Wait until the terminal has shown something."""
        self._read(lambda: re.search(pattern, self.seen) is not None)

    def ends(self) -> int:
        self._read(lambda: self.process.poll() is not None)
        self._read_rest()
        return self.process.returncode

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def _read(self, holds: Callable[[], bool]) -> None:
        ends_at = time.monotonic() + CAP_S
        while not holds():
            assert time.monotonic() < ends_at, self.seen
            self._read_rest(0.05)

    def _read_rest(self, wait_s: float = 0.0) -> None:
        while select.select([self.master], [], [], wait_s)[0]:
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")


@pytest.fixture
def shell(served: Cli) -> str:
    """The name of a running shell."""
    home = served.json("status")["workspaces"][0]["id"]
    card = served.json("call", "canvas.addCard", f'{{"workspaceId": "{home}", "kind": "terminal", "x": 0, "y": 0}}')
    return str(card["name"])


@pytest.fixture
def attach(served: Cli, shell: str) -> Iterator[Callable[[], Person]]:
    """Attaches people to the shell."""
    people: list[Person] = []

    def make() -> Person:
        person = Person(served, "attach", shell)
        people.append(person)
        return person

    yield make
    for person in people:
        person.close()


def test_what_is_typed_runs_and_ctrl_bracket_leaves_the_shell_running(attach: Any) -> None:
    person = attach()
    person.sees(r"\S")
    person.type(b"echo $((40 + 2))-seen\r")
    person.sees("42-seen")
    person.type(LEAVE)
    assert person.ends() == 0
    assert "it goes on" in person.seen
    assert termios.tcgetattr(person.slave) == person.modes
    again = attach()
    again.sees("42-seen")  # the picture of what was there
    again.type(b"echo still-$((1 + 1))\r")
    again.sees("still-2")


def test_the_shell_has_the_size_of_the_persons_terminal(attach: Any) -> None:
    person = attach()
    person.sees(r"\S")
    person.type(b"stty size\r")
    person.sees(r"30 100")
    person.resize(90, 25)
    os.kill(person.process.pid, signal.SIGWINCH)
    person.type(b"until [ \"$(stty size)\" = '25 90' ]; do :; done; echo resized-$((3 + 4))\r")
    person.sees("resized-7")


def test_a_program_that_ends_lets_the_person_go(attach: Any) -> None:
    person = attach()
    person.sees(r"\S")
    person.type(b"exit\r")
    assert person.ends() == 0
    assert "does not run" in person.seen


def test_a_server_that_goes_away_lets_the_person_go(cli: Cli, start_server: Any) -> None:
    server = start_server()
    server.wait_until_open()
    home = cli.json("status")["workspaces"][0]["id"]
    card = cli.json("call", "canvas.addCard", f'{{"workspaceId": "{home}", "kind": "terminal", "x": 0, "y": 0}}')
    person = Person(cli, "attach", card["name"])
    try:
        person.sees(r"\S")
        server.kill()
        assert person.ends() == 3
        assert "away" in person.seen
        assert termios.tcgetattr(person.slave) == person.modes
    finally:
        person.close()


def test_attaching_needs_a_terminal_and_a_card_that_has_one(served: Cli, cards: dict[str, str], shell: str) -> None:
    code, _, err = served("attach", shell)
    assert code == 1
    assert "needs a terminal" in err
    person = Person(served, "attach", cards["note"])
    try:
        assert person.ends() == 1
        assert "has no terminal" in person.seen
    finally:
        person.close()
