"""What a shell does, read from its marks, and what a command printed. Pure: no time, no process.

Spec: harnesses, shell integration; agents, terminals; decision 45.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import utf16_length
from cardloom_protocol.limits import limit

from ...host.marks import Mark
from ...host.plain_text import PlainText, overwritten


class Phase(StrEnum):
    """Where a shell is.

    STARTING until its first prompt; PROMPT waits for a command; RUNNING runs one; PREPARING makes the next prompt;
    UNMARKED is a shell that tells nothing; ENDED has no process.
    """

    STARTING = "starting"
    PROMPT = "prompt"
    RUNNING = "running"
    PREPARING = "preparing"
    UNMARKED = "unmarked"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Ready:
    """The shell waits for a command."""


@dataclass(frozen=True, slots=True)
class Started:
    """A command began. `command` is "" where the user keeps it out of the history."""

    command: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A command ended; `exit_code` is None where the shell cannot tell."""

    command: str
    exit_code: int | None


Fact = Ready | Started | Ended

_PASTED: Final = re.compile(r"\x1b\[200~(.*?)(?:\x1b\[201~|$)", re.DOTALL)
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")


class Tracker:
    """Follows one shell through its marks. `marks_start` is False for a shell that does not tell a command's start."""

    def __init__(self, *, marks_start: bool = True) -> None:
        self.phase = Phase.STARTING
        self.command = ""
        self.draft = False
        """Whether somebody began to type at the prompt and has not sent it."""
        self._marks_start = marks_start
        self._told: str | None = None
        self._echo: str | None = None
        self._plain = PlainText()

    @property
    def integrated(self) -> bool:
        """Whether the shell's marks arrive."""
        return self.phase not in (Phase.STARTING, Phase.UNMARKED, Phase.ENDED)

    def take(self, piece: bytes | Mark) -> list[Fact]:
        """Follow one piece of output and give what it tells."""
        if isinstance(piece, bytes):
            self._hear(piece)
            return []
        match piece.kind:
            case "prompt":
                return self._end(None)
            case "input":
                return [*self._end(None), *self._ready()]
            case "command":
                self._told = piece.command
                return []
            case "start":
                return self._start()
            case "end":
                return self._end(piece.exit_code)

    def typed(self, text: str) -> list[Fact]:
        """Follow what was typed: an unsent line is a draft, a line end may be a command's beginning."""
        if self.phase not in (Phase.PROMPT, Phase.PREPARING):
            return []
        keys = _ESCAPES.sub("", _PASTED.sub(lambda found: found[1].replace("\r", "\n"), text))
        for key in keys:
            if key in "\r\x03\x15":
                self.draft = False
                if key == "\x03":
                    self.phase = Phase.PREPARING  # the shell drops what comes before its new prompt
            elif key >= " " and key != "\x7f":
                self.draft = True
        if "\r" in keys and self.phase is Phase.PROMPT and not self._marks_start:
            return self._start()
        return []

    def _hear(self, data: bytes) -> None:
        """Remember the first character echoed at the prompt: a blank hides a command from bash's history."""
        if self.phase is Phase.PROMPT and self._echo is None:
            shown = self._plain.feed_utf8(data).lstrip("\r\n")
            self._echo = shown[0] if shown else None

    def _ready(self) -> list[Fact]:
        self._echo = None
        self._told = None
        self._plain = PlainText()
        if self.phase is Phase.PROMPT:
            return []
        self.phase = Phase.PROMPT
        return [Ready()]

    def _start(self) -> list[Fact]:
        told = self._told or ""
        if self._echo == " " and not told.startswith(" "):
            told = ""
        self._told = None
        self.draft = False
        if self.phase is Phase.RUNNING:
            self.command = "\n".join(text for text in (self.command, told) if text)
            return []
        self.phase = Phase.RUNNING
        self.command = told
        return [Started(told)]

    def _end(self, exit_code: int | None) -> list[Fact]:
        if self.phase is not Phase.RUNNING:
            if self.phase in (Phase.STARTING, Phase.UNMARKED):
                self.phase = Phase.PREPARING
            return []
        self.phase = Phase.PREPARING
        self.draft = False
        return [Ended(self.command, exit_code)]


class Capture:
    """Keeps the plain text of one command, the tail of it when it is long: errors and sums stand at the end.

    `skip_lines` leaves out lines at the beginning that are the echo of what was typed.
    """

    def __init__(self, max_units: int = limit("terminalRunOutputBytes"), *, skip_lines: int = 0) -> None:
        self._max_units = max_units
        self._skip_lines = skip_lines
        self._plain = PlainText(overwriting=True)
        self._pieces: list[str] = []
        self._chars = 0
        self._truncated = False

    def feed(self, data: bytes) -> None:
        """Take in output in UTF-8."""
        text = self._plain.feed_utf8(data)
        while self._skip_lines and text:
            _, line_end, text = text.partition("\n")
            self._skip_lines -= bool(line_end)
        self._pieces.append(text)
        self._chars += len(text)
        if self._chars > 4 * self._max_units:
            kept = overwritten("".join(self._pieces))
            if len(kept) > 2 * self._max_units:
                self._truncated = True
                kept = kept[-2 * self._max_units :]
            self._pieces = [kept]
            self._chars = len(kept)

    def result(self, *, drop: re.Pattern[str] | None = None) -> tuple[str, bool]:
        """The text as it looks, at most `max_units` UTF-16 units, and whether its beginning is missing."""
        text = "".join(self._pieces)
        if drop is not None:
            text = drop.sub("", text)
        text = overwritten(text)
        if utf16_length(text) <= self._max_units:
            return text, self._truncated
        cut = text.encode("utf-16-le", "surrogatepass")[-2 * self._max_units :]
        return cut.decode("utf-16-le", "ignore"), True


# Zsh marks an unfinished last line and moves to the next one, after the command and before its end mark.
UNFINISHED_LINE: Final = re.compile(r"[%#] {2,}\r ?\r?\Z")
PROMPT_LINE: Final = re.compile(r"[^\n]*\Z")


def keys_for_command(command: str, *, bracketed_paste: bool) -> str:
    """The keys that make a shell run a command. INVALID_PARAMS when it is empty or its lines cannot be sent as one."""
    text = _typeable(command)
    if not text.strip():
        raise CallError(ErrorCode.INVALID_PARAMS, "the command is empty")
    if "\n" in text or "\t" in text:
        if bracketed_paste:
            return f"\x1b[200~{text}\x1b[201~\r"
        if "\n" in text:
            raise CallError(ErrorCode.INVALID_PARAMS, "this shell takes one line at a time")
        text = text.replace("\t", "\x16\t")  # quoted, or it would complete a file name
    return text + "\r"


def keys_for_text(text: str, *, submit: bool, bracketed_paste: bool) -> str:
    """The keys for text that is only typed, with Enter after it when it is submitted."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if submit:
        text = text.rstrip("\n")
    if "\n" in text:
        text = f"\x1b[200~{_typeable(text)}\x1b[201~" if bracketed_paste else text.replace("\n", "\r")
    return text + ("\r" if submit else "")


_UNTYPEABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _typeable(text: str) -> str:
    """Text without control characters other than line ends and tabs: none may end a paste or act as a key."""
    return _UNTYPEABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).rstrip("\n")


def shown_status(phase: Phase, *, worked: bool) -> AgentStatus:
    """The status word of a shell: `worked` once a command has run in it."""
    match phase:
        case Phase.RUNNING:
            return AgentStatus.WORKING
        case Phase.ENDED:
            return AgentStatus.EXITED
        case _:
            return AgentStatus.FINISHED if worked else AgentStatus.IDLE


# What a viewer's emulator answers by itself to a program's queries. The server has answered already. A cursor report
# may also be Shift-F3 and the like (row 1, column 2 to 16), which is let through.
_VIEWER_ANSWER: Final = re.compile(
    r"\x1b\[[?>=][0-9;]*c"
    r"|\x1b\[0n"
    r"|\x1b\[(?!1;(?:[2-9]|1[0-6])R)\??\d+;\d+(?:;\d+)?R"
    r"|\x1b\[\??[0-9;]+\$y"
    r"|\x1b\](?:4;\d+|1[0-9]);rgba?:[^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1bP[01]\$r[^\x1b]*\x1b\\"
    r"|\x1bP[>!]\|[^\x1b]*\x1b\\"
)


def without_answers(text: str) -> str:
    """What a person typed, without what their emulator answered to the program."""
    return _VIEWER_ANSWER.sub("", text) if "\x1b" in text else text
