"""Which coding agents are installed here, and in which version: asked once, and again when somebody wants to know.

Spec: agents, harnesses; a program that does not answer in time counts as one of unknown version.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.agents import HARNESSES as NAMES
from cardloom_protocol.errors import CallError, ErrorCode

from ....host.environment import cleaned
from ..harnesses.shape import Harness, Version

VERSION_WAIT_S: Final = 10.0
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_MAX_ANSWER: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Found:
    """One harness as it is here. `program` None: not installed. `problem` tells what keeps it from working."""

    harness: Harness
    program: str | None
    version: str | None = None
    problem: str | None = None

    @property
    def numbers(self) -> Version | None:
        found = None if self.version is None else _VERSION.search(self.version)
        return None if found is None else (int(found[1]), int(found[2]), int(found[3]))

    def to_wire(self) -> dict[str, Any]:
        abilities, detection = self.harness.abilities, self.harness.detection
        return {
            "id": self.harness.id,
            "name": NAMES[self.harness.id].name,
            "found": self.program is not None or not detection.programs,
            "program": self.program,
            "version": self.version,
            "problem": self.problem,
            "command": detection.programs[0] if detection.programs else None,
            "minVersion": None if detection.min_version is None else _dotted(detection.min_version),
            "install": detection.install,
            "abilities": {
                "resume": abilities.resume,
                "firstPrompt": abilities.first_prompt,
                "modelChoice": abilities.model_choice,
                "dangerous": abilities.dangerous,
                "mcp": abilities.mcp,
                "questions": abilities.questions,
                "always": abilities.always,
                "answers": abilities.answers,
                "reply": abilities.reply,
                "statusFrom": list(abilities.status_from),
                "subagents": abilities.subagents,
            },
        }


class Detector:
    """Looks for harnesses. A harness without programs of its own is told its program by the person."""

    def __init__(self, harnesses: Mapping[str, Harness], environment: Mapping[str, str] = os.environ) -> None:
        self._harnesses = harnesses
        self._environment = environment
        self._known: dict[str, Found] = {}
        self._turn = asyncio.Lock()

    async def all(self, *, again: bool = False) -> list[Found]:
        """Every harness, those that are installed first."""
        async with self._turn:
            wanted = [harness for harness in self._harnesses.values() if again or harness.id not in self._known]
            await asyncio.gather(*(self._look_and_keep(harness) for harness in wanted))
            found = [self._known[harness_id] for harness_id in self._harnesses]
            return sorted(found, key=lambda one: one.program is None)

    async def one(self, harness: Harness) -> Found:
        """One of them, looked at anew while it is missing."""
        known = self._known.get(harness.id)
        if known is None or known.program is None or not os.access(known.program, os.X_OK):
            known = self._known[harness.id] = await self._look(harness)
        return known

    async def _look_and_keep(self, harness: Harness) -> None:
        """Keep each as soon as it is known: whoever asks may go before the slowest program has answered."""
        self._known[harness.id] = await self._look(harness)

    async def _look(self, harness: Harness) -> Found:
        detection, path = harness.detection, self._environment.get("PATH", os.defpath)
        found = (shutil.which(program, path=path) for program in detection.programs)
        program = next((path for path in found if path is not None), None)
        if program is None:
            return Found(harness, None, problem=_missing(harness))
        version = await _version(program, detection.version_arguments, cleaned(self._environment))
        known = Found(harness, program, version)
        if detection.min_version is not None and known.numbers is not None and known.numbers < detection.min_version:
            needed = _dotted(detection.min_version)
            return Found(harness, program, version, f"version {version} is too old; {needed} or newer is needed")
        return known


def named_program(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> tuple[str, tuple[str, ...]]:
    """The program that a person named, and its arguments. UNAVAILABLE when there is none of that name, or no name."""
    if not words:
        raise CallError(ErrorCode.UNAVAILABLE, "this agent needs the name of its program as the first argument")
    name = os.path.expanduser(words[0])
    program = shutil.which(name, path=environment.get("PATH", os.defpath))
    if program is None:
        raise CallError(ErrorCode.UNAVAILABLE, f"{name} is not installed (not found in PATH)")
    return program, tuple(words[1:])


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))


def _missing(harness: Harness) -> str | None:
    programs = harness.detection.programs
    if not programs:
        return None
    return f"{programs[0]} is not installed (not found in PATH)"


async def _version(program: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    """The version a program prints, None when it prints none in time."""
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=dict(environment),
            start_new_session=sys.platform != "win32",
        )
    except OSError:
        return None
    assert process.stdout is not None
    answer = bytearray()
    try:
        async with asyncio.timeout(VERSION_WAIT_S):
            # Whatever it started may hold its output open: nothing is waited for behind the line of the version.
            while _version_in(answer, b"\n") is None and (piece := await process.stdout.read(_MAX_ANSWER)):
                answer += piece[: _MAX_ANSWER - len(answer)]
            await process.wait()
    except TimeoutError:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)  # what it started goes with it
        await process.wait()
    return _version_in(answer)


def _version_in(answer: bytes | bytearray, end: bytes = b"") -> str | None:
    """The first version in what was printed, or in its lines that have come whole."""
    whole = answer[: answer.rfind(end) + 1] if end else answer
    found = _VERSION.search(whole.decode("utf-8", "replace"))
    return None if found is None else found[0]
