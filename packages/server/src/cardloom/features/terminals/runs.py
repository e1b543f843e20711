"""One command that a card or the owner's client sent to a shell, from its keys to its result."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

from cardloom_protocol.ids import CardId

from ...core.call import Cause
from ...host.shells import Shell
from .model import PROMPT_LINE, UNFINISHED_LINE, Capture


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

    def begin_told(self, shell: Shell) -> None:
        """The shell told the start: output begins here, and what came before was echo."""
        if not shell.marks_start:  # the typed line end was taken for it
            self._begin(self._without_echo())
        else:
            self._begin(Capture(), drop=UNFINISHED_LINE if shell.id == "shell-zsh" else None)

    def begin_untold(self) -> None:
        """The keys are on their way to a shell that tells nothing: echo and the next prompt are no output."""
        self._begin(self._without_echo(), drop=PROMPT_LINE)

    def _without_echo(self) -> Capture:
        return Capture(skip_lines=self.keys.count("\n") + 1)

    def _begin(self, capture: Capture, *, drop: re.Pattern[str] | None = None) -> None:
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
