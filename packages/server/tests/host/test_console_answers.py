"""Which answers a program on a console gets, and in which order; what is told of one that ends late."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

import pytest

from cardloom.host.console import Console
from cardloom.host.marks import Mark
from cardloom.host.pty import Launch, Size

CAP_S = 60
ASKS = r"""
stty raw -echo
printf '\033]7501;?\007\033[c'
dd bs=1 count=13 2>/dev/null | od -An -c | tr -d ' \n'
"""


class _Program:
    def __init__(self) -> None:
        self.printed_text = ""
        self.began = asyncio.Event()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        self.printed_text += text
        self.began.set()

    def exited(self, exit_code: int) -> None:
        self.ended.set_result(exit_code)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of the POSIX kind")
async def test_what_only_we_can_answer_is_answered_before_what_every_terminal_answers() -> None:
    program = _Program()
    answers = {"\x1b]7501;?\x07": "\x1b]7501;?\x1b\\"}
    console = Console(
        program, Size(), "none", answer_first=lambda text: "".join(answers[ask] for ask in answers if ask in text)
    )
    console.start(Launch(("/bin/sh", "-c", ASKS), "/", dict(os.environ)))
    try:
        assert await asyncio.wait_for(program.ended, CAP_S) == 0
    finally:
        await console.kill(grace_s=0)
        console.close()
    assert "033]7501;?033\\033[?" in program.printed_text


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of the POSIX kind")
async def test_a_closed_console_tells_nothing_of_a_program_that_ends_later() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    program = _Program()
    console = Console(program, Size(), "none")
    waits = "trap 'echo bye; exit 3' TERM HUP; echo up; while :; do read x; done"
    console.start(Launch(("/bin/sh", "-c", waits), "/", {}))
    await asyncio.wait_for(program.began.wait(), CAP_S)
    console.close()
    await console.kill()
    assert console.pid is None
    assert ("bye" in program.printed_text, program.ended.done(), faults) == (False, False, [])
