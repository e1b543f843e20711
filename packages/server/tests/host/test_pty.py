"""Programs on pseudo-terminals: real ones."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest

from cardloom.host import pty as ptys
from cardloom.host.pty import Launch, Pty, Size
from cardloom_protocol.errors import CallError, ErrorCode

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of the POSIX kind")


class _Program:
    """A program, what it printed, and its exit code once it has one."""

    def __init__(
        self,
        *argv: str,
        cwd: str = "/",
        size: Size = Size(),  # noqa: B008 - a frozen value
        read_bytes_per_s: int = ptys.READ_BYTES_PER_S,
    ) -> None:
        self.printed = b""
        self.pieces: list[int] = []
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._news = asyncio.Event()
        launch = Launch(argv, cwd, dict(os.environ))
        self.pty = Pty.spawn(launch, size, self._take, self.ended.set_result, read_bytes_per_s=read_bytes_per_s)

    async def until(self, text: bytes) -> None:
        async with asyncio.timeout(60):
            while text not in self.printed or not self.printed.endswith(b"\n"):
                self._news.clear()
                await self._news.wait()

    async def exit_code(self) -> int:
        return await asyncio.wait_for(asyncio.shield(self.ended), 60)

    def _take(self, data: bytes) -> None:
        assert not self.ended.done()
        self.printed += data
        self.pieces.append(len(data))
        self._news.set()


@pytest.fixture(params=["told by the system", "waited for by a thread"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "waited for by a thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.mark.usefixtures("_both_ways")
async def test_everything_printed_comes_before_the_exit_code() -> None:
    program = _Program("/bin/sh", "-c", "seq 20000; echo end; exit 7")
    assert await program.exit_code() == 7
    assert program.printed.endswith(b"\r\n20000\r\nend\r\n")
    assert program.printed.startswith(b"1\r\n2\r\n")


@pytest.mark.usefixtures("_both_ways")
async def test_a_program_ended_by_a_signal_has_the_shells_code_for_it() -> None:
    assert await _Program("/bin/sh", "-c", "kill -9 $$").exit_code() == 137


async def test_a_program_has_its_own_session_and_terminal_and_nothing_else_of_ours(tmp_path: Path) -> None:
    kept = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(kept, True)
    script = "ps -o pid=,sid=,tpgid=,tty= -p $$; ls /proc/self/fd | wc -l; exec 9</dev/tty && echo controlling"
    program = _Program("/bin/sh", "-c", script)
    assert await program.exit_code() == 0
    os.close(kept)
    lines = program.printed.decode().split("\r\n")
    pid, session, foreground, tty = lines[0].split()
    assert pid == session == foreground
    assert tty.startswith("pts/")
    assert int(lines[1]) == 4  # the three of the terminal and the folder that is listed
    assert lines[2] == "controlling"


async def test_the_size_is_told_at_the_start_and_when_it_changes() -> None:
    program = _Program(
        "/bin/sh", "-c", "trap 'stty size' WINCH; stty size; echo on; while :; do sleep 0.05; done", size=Size(90, 30)
    )
    await program.until(b"30 90\r\non\r\n")
    program.pty.resize(Size(100, 40))
    await program.until(b"40 100\r\n")
    await program.pty.kill()


@pytest.mark.parametrize(
    ("asked", "given"),
    [((0, -5), (20, 5)), ((120, 32), (120, 32)), ((5000, 5000), (1000, 500)), ((20, 500), (20, 500))],
)
def test_sizes_are_kept_within_the_limits(asked: tuple[int, int], given: tuple[int, int]) -> None:
    assert Size.clamped(*asked) == Size(*given)


async def test_a_megabyte_of_keys_arrives_whole() -> None:
    program = _Program("/bin/sh", "-c", "stty raw -echo; echo on; head -c 1000000 | cksum")
    await program.until(b"on")
    data = bytes(range(1, 251)) * 4000
    program.pty.write(data)
    assert await program.exit_code() == 0
    expected = await asyncio.create_subprocess_exec(
        "cksum", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    told, _ = await expected.communicate(data)
    assert told.strip() in program.printed


async def test_keys_that_nobody_reads_are_refused_beyond_a_bound() -> None:
    program = _Program("/bin/sh", "-c", "stty raw -echo; echo on; sleep 1000")
    await program.until(b"on")
    program.pty.write(b"x" * 1_000_000)
    with pytest.raises(CallError) as refusal:
        program.pty.write(b"x" * 1_000_000)
    assert refusal.value.code is ErrorCode.BUSY
    await program.pty.kill()
    with pytest.raises(CallError) as refusal:
        program.pty.write(b"x")
    assert refusal.value.code is ErrorCode.UNAVAILABLE


async def test_killing_ends_what_runs_in_the_foreground_too() -> None:
    program = _Program("/bin/bash", "--norc", "-i")
    program.pty.write(b'sh -c \'trap "" TERM; echo "PI"D $$ ; exec sleep 1000\'\r')
    await program.until(b"\rPID ")
    found = psutil.Process(int(program.printed.rsplit(b"\rPID ", 1)[1].split()[0]))
    await program.pty.kill()
    assert program.ended.done()
    assert await asyncio.to_thread(psutil.wait_procs, [found], 60) == ([found], [])


async def test_a_program_that_ignores_every_wish_is_killed() -> None:
    program = _Program("/bin/sh", "-c", "trap '' TERM HUP; echo on; while :; do sleep 1000; done")
    await program.until(b"on")
    await program.pty.kill(grace_s=0.1)
    assert await program.exit_code() == 137


async def test_a_shell_that_leaves_a_job_behind_has_ended_all_the_same() -> None:
    program = _Program("/bin/sh", "-c", "trap '' HUP; sleep 2 & exit 5")
    assert await program.exit_code() == 5


async def test_turns_are_bounded_and_so_is_the_speed() -> None:
    loop = asyncio.get_running_loop()
    program = _Program("/bin/sh", "-c", "head -c 500000 /dev/zero", read_bytes_per_s=1 << 20)
    began_s = loop.time()
    assert await program.exit_code() == 0
    assert len(program.printed) == 500_000
    assert max(program.pieces[:-1]) <= ptys.READ_BYTES
    assert loop.time() - began_s >= 0.2


async def test_a_program_that_cannot_start_is_named() -> None:
    with pytest.raises(CallError) as refusal:
        _Program("/bin/sh", "-c", "true", cwd="/no/such/folder")
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    assert "/bin/sh did not start" in refusal.value.message
