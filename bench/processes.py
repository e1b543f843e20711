"""Servers in processes of their own: Cardloom on a fresh data folder, and the bare one."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from .sampling import waited_s

ROOT = Path(__file__).parents[1]
CAP_S = 30.0


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers. `data` and `home` are its folders where it has any."""

    port: int
    process: subprocess.Popen[bytes]
    data: Path
    home: Path
    started_ms: float
    own_start_ms: float
    """How long it took until it answered, and that less what it waited for a core."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        return (self.data / "owner.key").read_text().strip()

    def memory_mb(self) -> float:
        """Its resident memory, that of the programs it runs left out."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 1e6

    def programs_mb(self) -> float:
        """The resident memory of the programs it runs, pages that several share counted for each."""
        return sum(float(child.memory_info().rss) for child in psutil.Process(self.process.pid).children()) / 1e6

    def waited_ms(self) -> float:
        """How long its main thread was ready to run so far and had no core to run on."""
        return waited_s(self.process.pid) * 1000

    def cpu_s(self) -> float:
        """The processor time it used so far, that of the programs it runs left out."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def cardloom(filled: Path | None = None) -> Iterator[Running]:
    """A Cardloom server with one workspace, empty or from a folder that `canvases.filled` made."""
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        where = filled or home
        data, project = where / "data", where / "project"
        project.mkdir(exist_ok=True)
        (home / ".bashrc").write_text("PS1='$ '\n")
        port = free_port()
        environment = {
            **os.environ,
            "HOME": str(home),
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "CARDLOOM_HOME": str(data),
            "CARDLOOM_PORT": str(port),
        }
        command = (sys.executable, "-m", "cardloom", "up", str(project))
        with _running(command, environment, port, data, home) as server:
            yield server


@contextmanager
def bare() -> Iterator[Running]:
    """The bare server with the same settings."""
    port = free_port()
    with _running((sys.executable, "-m", "bench.bare", str(port)), dict(os.environ), port, ROOT, ROOT) as server:
        yield server


@contextmanager
def hello() -> Iterator[Running]:
    """A server that can say hello and nothing else, without anything of ours."""
    port = free_port()
    command = (sys.executable, "-m", "uvicorn", "bench.hello:app", "--port", str(port), "--log-level", "warning")
    with _running(command, dict(os.environ), port, ROOT, ROOT) as server:
        yield server


@contextmanager
def served(module: str, *arguments: str) -> Iterator[Running]:
    """A server that a module of ours runs when it is given its arguments and a port."""
    port = free_port()
    command = (sys.executable, "-m", module, *arguments, str(port))
    with _running(command, dict(os.environ), port, ROOT, ROOT) as server:
        yield server


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(
    command: Sequence[str], environment: dict[str, str], port: int, data: Path, home: Path
) -> Iterator[Running]:
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        _wait_for_health(process, port, started)
        started_ms = (time.perf_counter() - started) * 1000
        yield Running(port, process, data, home, started_ms, started_ms - waited_s(process.pid) * 1000)
    finally:
        process.terminate()
        try:
            process.wait(CAP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_health(process: subprocess.Popen[bytes], port: int, started: float) -> None:
    while process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CAP_S)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except ConnectionError:
            if time.perf_counter() - started > CAP_S:
                raise
            time.sleep(0.002)
        finally:
            connection.close()
    raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
