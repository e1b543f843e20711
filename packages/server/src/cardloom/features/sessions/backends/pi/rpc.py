"""pi's RPC mode: commands with ids in, answers and events out, one JSON object a line.

Lines end with LF alone. Spec: real command-line programs (pi); session protocol, adapters.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.json_text import JsonObject, object_of, read_object, text_of

from .....host.piped import PipedProgram
from .....host.processes import Command

UNAVAILABLE: Final = "pi_unavailable"
"""pi cannot be started. Check that it is installed."""
ENDED: Final = "pi_ended"
"""pi ended in the middle. What it had said is kept."""
REFUSED: Final = "pi_refused"
"""pi did not take a command."""

ANSWER_S: Final = 60.0


class PiRpc:
    """One `pi --mode rpc`. Events are read with `event`; None is the end of the program."""

    def __init__(self, program: PipedProgram, answer_s: float) -> None:
        self._program = program
        self._answer_s = answer_s
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[JsonObject]] = {}
        self._events: asyncio.Queue[JsonObject | None] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        *options: str,
        answer_s: float = ANSWER_S,
    ) -> PiRpc:
        """Start pi. `pi_unavailable` when it cannot be."""
        command = Command([*argv, "--mode", "rpc", *options], cwd, environment)
        try:
            return cls(await PipedProgram.start(command), answer_s)
        except OSError as error:
            raise SessionError(UNAVAILABLE, f"pi cannot be started: {error.strerror or error}.") from None

    async def ask(self, kind: str, **fields: JsonValue) -> JsonObject:
        """The data of a command's answer. `pi_refused`, `pi_ended`."""
        command_id = f"c{next(self._numbers)}"
        if self._reading.done():
            raise self.ended()
        answer = self._waiting[command_id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._answer_s):
                await self.send({**fields, "id": command_id, "type": kind})
                found = await answer
        except TimeoutError:
            raise SessionError(REFUSED, f"pi did not answer {kind} within {self._answer_s:g} s.") from None
        finally:
            self._waiting.pop(command_id, None)
        if found.get("success") is not True:
            raise SessionError(REFUSED, f"pi refuses {kind}: {text_of(found.get('error'))[:500]}")
        return object_of(found.get("data"))

    async def send(self, record: JsonObject) -> None:
        """Send a record that has no answer."""
        await self._program.send(compact_json(record).encode("utf-8", "replace"))

    async def event(self) -> JsonObject | None:
        """The next event."""
        return await self._events.get()

    async def close(self) -> None:
        """End the program."""
        await self._program.stop()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    def ended(self) -> SessionError:
        """The error of a program that is gone."""
        words = self._program.last_words
        return SessionError(ENDED, f"pi ended{self._program.ending}{f': {words[:300]}' if words else '.'}")

    async def _read(self) -> None:
        try:
            while (line := await self._program.line()) is not None:
                self._take(line)
        except ValueError:
            return  # a line without end: pi is of no use any more, which its end tells
        finally:
            await self._program.settle()
            self._events.put_nowait(None)
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(self.ended())

    def _take(self, line: bytes) -> None:
        record = read_object(line.decode("utf-8", "replace"))
        if record is None:
            return  # extensions may print; what is no record means nothing
        if record.get("type") != "response":
            self._events.put_nowait(record)
            return
        answer = self._waiting.get(text_of(record.get("id")))
        if answer is not None and not answer.done():
            answer.set_result(record)
