"""Every harness with its real program, without a server: what it is told in each scene, and what comes of it, on tape.

Only with CARDLOOM_RECORD, which names the folder for the tapes. `test_real_runs` plays the same scenes on the canvas.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from cardloom.features.agents.harnesses import posting
from cardloom.features.agents.harnesses.table import HARNESSES
from ensure_clis import Program, cache_folder

from ..model_server.scenario import PLAIN_TEXT
from ..model_server.serving import ModelServer
from ..recorded_agents.scenes import (
    ANSWERED,
    APPROVED,
    EXITED,
    FAILED,
    IDLE,
    INTERRUPTED,
    KILLED,
    MANNERS,
    QUEUED,
    WORKING,
    expected_statuses,
)
from ..recorded_agents.tape import Entry, write_tape
from ..recorded_agents.trimming import HOME, trimmed
from .home import Home, make_home
from .workbench import Workbench

BROKEN_OFF_S = 4.0
RECORD = os.environ.get("CARDLOOM_RECORD")
pytestmark = pytest.mark.skipif(not RECORD, reason="makes recordings, and none are asked for")


@pytest.fixture
def home(home: Home, tmp_path: Path, program: Program, models: ModelServer) -> Iterator[Home]:
    """For a recording, a home that could be anybody's."""
    if not RECORD:
        yield home
        return
    assert not HOME.exists()
    yield make_home(HOME, program, models.url)
    shutil.rmtree(HOME)


@pytest.fixture
async def bench(program: Program, home: Home) -> AsyncIterator[Workbench]:
    """The program at rest, under its harness."""
    async with one_life(program, home) as bench:
        yield bench


@contextlib.asynccontextmanager
async def one_life(program: Program, home: Home) -> AsyncIterator[Workbench]:
    """One life of the program, from when it takes prompts."""
    path = home.folder / "bin" / program.name
    async with Workbench(HARNESSES[program.id], home, str(path)) as bench:
        await bench.until(lambda: re.search(MANNERS[program.id].ready, bench.screen()) is not None, "to be ready")
        await bench.quiet()
        yield bench


def keep(tape: Sequence[Entry], program: Program) -> None:
    assert RECORD is not None
    names = {sys.prefix: "/python", str(Path(posting.__file__).parent): "/cardloom", str(cache_folder()): "/agents"}
    write_tape(Path(RECORD) / f"{program.id}-{program.version}.jsonl.gz", trimmed(tape, names))


async def test_every_scene_shows_its_statuses(
    program: Program, home: Home, bench: Workbench, models: ModelServer
) -> None:
    manners = MANNERS[program.id]

    async def scene(name: str, prompt: str) -> None:
        await bench.quiet()
        bench.scene(name)
        await bench.prompt(prompt)

    await scene("answer", "[[text]] hello")
    await bench.statuses(*ANSWERED)
    if manners.hooked:
        await bench.until(lambda: bench.player.state.reply is not None, "to have a reply")
        assert bench.player.state.reply is not None
        assert PLAIN_TEXT in bench.player.state.reply.text

    await scene("approve", "[[tool:echo yes > yes.txt]] go")
    await bench.statuses(*APPROVED[:2])
    question = bench.player.state.question
    assert question is not None
    assert not manners.hooked or "echo yes" in question.action
    await bench.quiet()
    await bench.answer("approve")
    await bench.statuses(*APPROVED)

    await scene("deny", "[[tool:echo no > no.txt]] go")
    await bench.statuses(*manners.denied[:2])
    await bench.quiet()
    await bench.answer("deny")
    await bench.statuses(*manners.denied)

    await scene("interrupt", "[[slow:talk]]")
    await bench.until(lambda: "talk6" in bench.screen(), "to talk")
    await bench.interrupt()
    await bench.statuses(*INTERRUPTED)
    await tidy(bench, program)

    await scene("escape", "[[slow:more]]")
    await bench.until(lambda: "more6" in bench.screen(), "to talk more")
    await break_off(bench, manners.escape)
    await bench.statuses(*INTERRUPTED)
    await tidy(bench, program)

    await scene("queue", "[[hold]] wait")
    await bench.statuses(WORKING)
    await bench.until(lambda: models.record.exchanges()[-1].scenario == "hold", "to ask the model")
    models.record.release()
    for turns, word in enumerate(("first", "second"), 1):
        await bench.statuses(*ANSWERED * turns)
        await bench.quiet()
        await bench.prompt(f"[[text]] {word}")
    await bench.statuses(*QUEUED)

    await scene("error", f"[[{manners.refused}]] fail")
    await bench.statuses(*FAILED)
    assert bench.player.state.error
    await tidy(bench, program)

    if manners.delegates:
        await scene("sub-agent", "[[sub]] delegate")
        await bench.statuses(*ANSWERED)

    await bench.quiet()
    bench.scene("exit")
    await bench.type_keys(manners.leave, "\r")
    await bench.statuses(EXITED)
    assert bench.player.statuses | {"kill": [IDLE, *KILLED]} == expected_statuses(program.id)
    bench.scene("kill")
    keep([*bench.tape, *await killed(program, home)], program)


async def break_off(bench: Workbench, keys: Sequence[str]) -> None:
    """Keys that break a turn off, pressed once more when the turn goes on: a busy program may miss one of two."""
    for _ in range(3):
        await bench.type_keys(*keys)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BROKEN_OFF_S):
                await bench.until(lambda: bench.player.state.shown is not WORKING, "to break off")
                return


async def tidy(bench: Workbench, program: Program) -> None:
    """Delete a prompt that the program gave back."""
    if MANNERS[program.id].gives_back:
        await bench.quiet()
        await bench.type_keys("\x15")


async def killed(program: Program, home: Home) -> Sequence[Entry]:
    """Another life, which ends from outside in the middle of a turn, on tape."""
    async with one_life(program, home) as bench:
        await bench.prompt("[[hold]] wait")
        await bench.statuses(WORKING)
        await bench.kill()
        await bench.statuses(*KILLED)
    return bench.tape
