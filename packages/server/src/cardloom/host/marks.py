"""The marks by which a shell tells where its prompt, its command and that command's end are.

OSC 633 (or 133) with a letter: A prompt begins, B prompt ends and typing begins, C command starts, D command ended
with an exit code, E the command's text. Every mark ends with a secret of its terminal, without which it is taken for
a program's output. Spec: harnesses, shell integration.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Literal

MarkKind = Literal["prompt", "input", "start", "end", "command"]

_KINDS: dict[str, MarkKind] = {"A": "prompt", "B": "input", "C": "start", "D": "end", "E": "command"}
_MARK = re.compile(r"\x1b\](?:133|633);([A-E])((?:;[^\x07\x1b]*)?)(?:\x07|\x1b\\)")
_UNFINISHED = re.compile(r"\x1b(?:\][^\x07\x1b]*\x1b?)?")
_MAX_CARRY = 64 << 10
_ESCAPED = re.compile(r"\\(\\|x[0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark. `command` comes with "command", `exit_code` with "end" (None where the shell cannot tell)."""

    kind: MarkKind
    command: str | None = None
    exit_code: int | None = None


class MarkScanner:
    """Splits output at the marks of one terminal. Text that may be the beginning of a mark waits for the next piece."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce.encode()
        self._carry = ""

    def feed(self, text: str) -> list[str | Mark]:
        """Give text and marks in order."""
        if self._carry:
            text = self._carry + text
            self._carry = ""
        elif "\x1b]" not in text and not text.endswith("\x1b"):
            return [text]
        pieces: list[str | Mark] = []
        at = 0
        for found in _MARK.finditer(text):
            mark = self._read(found[1], found[2])
            if mark is not None:
                if found.start() > at:
                    pieces.append(text[at : found.start()])
                pieces.append(mark)
                at = found.end()
        end = self._unfinished(text, at)
        self._carry = text[end:]
        if end > at:
            pieces.append(text[at:end])
        return pieces

    def _unfinished(self, text: str, start: int) -> int:
        """Where an unfinished command of the operating system kind begins, the end of the text where none does."""
        at = text.rfind("\x1b", start)
        if at == len(text) - 1 and at > start:
            before = text.rfind("\x1b", start, at)
            if before >= 0 and _UNFINISHED.fullmatch(text, before):
                at = before
        if at < 0 or len(text) - at > _MAX_CARRY or not _UNFINISHED.fullmatch(text, at):
            return len(text)
        return at

    def _read(self, letter: str, rest: str) -> Mark | None:
        fields = rest.split(";")[1:]
        if not fields or not hmac.compare_digest(fields[-1].encode(), self._nonce):
            return None
        kind = _KINDS[letter]
        value = fields[0] if len(fields) > 1 else ""
        if kind == "command":
            return Mark(kind, command=unescaped(value))
        if kind == "end":
            return Mark(kind, exit_code=int(value) if value.isascii() and value.isdigit() else None)
        return Mark(kind)


def unescaped(text: str) -> str:
    """Undo the escapes of a command's text: `\\\\` and `\\xNN`."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)
