"""A real server in its own process, with its own data folder, started and ended as a person does on a console."""

from __future__ import annotations

import os
import queue
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

CAP_S = 40.0
ROOT = Path(__file__).resolve().parents[2]
# Below those that systems lend to connections on their way out: a server that is away gets its own port again. Each
# process of a parallel run has some for itself: between finding one free and listening on it a server has to start.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = range(20_000 + WORKER % 8 * 1000, 21_000 + WORKER % 8 * 1000)


class RunningServer:
    """`command` is what follows `python -m cardloom`. `home` is the person's home folder, kept from the real one."""

    def __init__(self, command: Sequence[str], data: Path, home: Path, port: int) -> None:
        self.command = list(command)
        self.data = data
        self.home = home
        self.port = port
        self.said: list[str] = []
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardloom", *self.command],
            env=self._environment(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(self.process, self._lines), daemon=True).start()

    def _environment(self) -> Mapping[str, str]:
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "TMPDIR", "TZ")}
        return {
            **kept,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "HOME": str(self.home),
            "SHELL": "/bin/bash",
            "CARDLOOM_HOME": str(self.data),
            "CARDLOOM_PORT": str(self.port),
        }

    def _listen(self, process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.said.append(line.rstrip())
            lines.put(line.rstrip())
        lines.put(None)

    def address(self) -> str:
        """The next address it prints, with a code that works once."""
        while True:
            try:
                line = self._lines.get(timeout=CAP_S)
            except queue.Empty:
                raise AssertionError(f"the server printed no address for {CAP_S:g} s: {self.said}") from None
            if line is None:
                raise AssertionError(f"the server ended: {self.said}")
            if "#code=" in line:
                return next(word for word in line.split() if "#code=" in word)

    def another_address(self) -> str:
        """What `cardloom open` prints."""
        return self.cardloom("open", "--no-open").split()[-1]

    def cardloom(self, *command: str) -> str:
        """What a command of the same person prints."""
        said = subprocess.run(
            [sys.executable, "-m", "cardloom", *command],
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=CAP_S,
            check=True,
        )
        return said.stdout

    def kill(self) -> None:
        """kill -9: no goodbye, nothing flushed."""
        self.process.kill()
        self.process.wait(CAP_S)

    def start_again(self) -> None:
        """Start it on the same data folder and port, after it ended."""
        assert self.process.poll() is not None
        self._start()

    def end(self) -> None:
        """End it as Ctrl-C does, with all that runs in it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(CAP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(CAP_S)


def free_port() -> int:
    """A port that nobody has now, and that no connection will be lent."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
