"""Programs in process groups of their own."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from cardloom.host.processes import Command, Program

CAP_S = 60

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")


class Ear:
    """Hears what a program prints."""

    def __init__(self) -> None:
        self.out, self.err = b"", b""
        self._news = asyncio.Event()

    def hear(self, data: bytes, errors: bool) -> None:
        if errors:
            self.err += data
        else:
            self.out += data
        self._news.set()

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(CAP_S):
            while not true():
                self._news.clear()
                await self._news.wait()


async def start(source: str, tmp_path: Path, **environment: str) -> tuple[Program, Ear]:
    ear = Ear()
    command = Command((sys.executable, "-u", "-c", source), tmp_path, {**os.environ, **environment})
    return await Program.start(command, ear.hear), ear


async def test_both_outputs_are_heard_to_the_end_and_the_code_is_given(tmp_path: Path) -> None:
    program, ear = await start("import sys; print('o' * 100000); print('e', file=sys.stderr); sys.exit(7)", tmp_path)
    assert await program.wait() == 7
    assert (len(ear.out), ear.err) == (100_001, b"e\n")


async def test_folder_and_environment_are_the_given_ones(tmp_path: Path) -> None:
    program, ear = await start("import os; print(os.getcwd(), os.environ['MARK'])", tmp_path, MARK="here")
    assert await program.wait() == 0
    assert ear.out.decode().split() == [str(tmp_path), "here"]


async def test_it_leads_a_session_of_its_own(tmp_path: Path) -> None:
    program, ear = await start("import os; print(os.getsid(0) == os.getpid() == os.getpgrp())", tmp_path)
    await program.wait()
    assert ear.out == b"True\n"


async def test_a_child_that_keeps_the_pipes_does_not_keep_the_end_from_being_seen(tmp_path: Path) -> None:
    source = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"
    program, ear = await start(source, tmp_path)
    async with asyncio.timeout(CAP_S):
        assert await program.wait() == 0
        child = int(ear.out)
        await asyncio.to_thread(psutil.wait_procs, [psutil.Process(child)] if psutil.pid_exists(child) else [])


async def test_it_is_asked_first_and_ended_when_it_does_not_listen(tmp_path: Path) -> None:
    polite, ear = await start(
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nprint('up')\ntime.sleep(600)",
        tmp_path,
    )
    await ear.until(lambda: bool(ear.out))
    assert await polite.stop(10_000) == 3
    deaf, ear = await start(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up')\ntime.sleep(600)", tmp_path
    )
    await ear.until(lambda: bool(ear.out))
    assert await deaf.stop(50) == -9


async def test_its_input_stays_open_while_it_runs(tmp_path: Path) -> None:
    source = "import select, sys\nready, _, _ = select.select([0], [], [], 0.2)\nprint('ended' if ready else 'open')"
    program, ear = await start(source, tmp_path)
    await program.wait()
    assert ear.out == b"open\n"


async def test_a_program_that_does_not_exist_leaves_nothing_open(tmp_path: Path) -> None:
    gc.collect()  # what other tests left is not closed meanwhile
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with pytest.raises(FileNotFoundError):
        await Program.start(Command(("/no/such/program",), tmp_path, {}), lambda _data, _errors: None)
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) <= before


async def test_programs_that_come_and_go_leave_nothing_open(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("descriptors are counted in /proc")
    gc.collect()  # what other tests left is not closed meanwhile
    program, _ = await start("pass", tmp_path)
    await program.wait()
    await asyncio.sleep(0)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        program, _ = await start("pass", tmp_path)
        await program.wait()
        await asyncio.sleep(0)
    assert len(os.listdir("/proc/self/fd")) <= before
