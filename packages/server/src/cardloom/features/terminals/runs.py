"""One command that a card or the owner's client sent to a shell, from its keys to its result."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

from cardloom_protocol.ids import CardId

from ...core.call import Cause
from .model import Capture


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a command: a card, or the owner (None), and the cause that its consequences carry on."""

    card_id: CardId | None = None
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """What became of a command. `exit_code` is None where the shell cannot tell, or it has not ended."""

    exit_code: int | None
    output: str
    truncated: bool
    timed_out: bool

    def to_wire(self) -> dict[str, Any]:
        return {
            "exitCode": self.exit_code,
            "output": self.output,
            "truncated": self.truncated,
            "timedOut": self.timed_out,
        }


@dataclass(slots=True)
class Run:
    """A command on its way: reserved first, then `sent`, then `begun` by the shell; `done` gets its exit code."""

    command: str
    sender: Sender
    keys: str
    done: asyncio.Future[int | None]
    sent: bool = False
    begun: bool = False
    capture: Capture = field(default_factory=Capture)
    drop: re.Pattern[str] | None = None

    @property
    def echoed_lines(self) -> int:
        """How many lines a terminal shows of what is typed."""
        return self.keys.count("\n") + 1

    def begin(self, capture: Capture, *, drop: re.Pattern[str] | None = None) -> None:
        """Take the output from here on; `drop` is what the shell adds at its end."""
        self.begun = True
        self.capture = capture
        self.drop = drop

    def end(self, exit_code: int | None) -> None:
        """Note the end; only the first counts."""
        if not self.done.done():
            self.done.set_result(exit_code)

    def result(self, *, timed_out: bool) -> RunResult:
        """The result as it is now."""
        output, truncated = self.capture.result(drop=None if timed_out else self.drop)
        return RunResult(None if timed_out else self.done.result(), output, truncated, timed_out)
