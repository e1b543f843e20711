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

_KINDS: dict[bytes, MarkKind] = {b"A": "prompt", b"B": "input", b"C": "start", b"D": "end", b"E": "command"}
_MARK = re.compile(rb"\x1b\](?:133|633);([A-E])((?:;[^\x07\x1b]*)?)(?:\x07|\x1b\\)")
_UNFINISHED = re.compile(rb"\x1b(?:\][^\x07\x1b]*\x1b?)?")
_MAX_CARRY = 64 << 10
_ESCAPED = re.compile(r"\\(\\|x[0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark. `command` comes with "command", `exit_code` with "end" (None where the shell cannot tell)."""

    kind: MarkKind
    command: str | None = None
    exit_code: int | None = None


class MarkScanner:
    """Splits output at the marks of one terminal. What may be the beginning of a mark waits for the next piece."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce.encode()
        self._carry = b""

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """Give output and marks in order. What comes in is UTF-8 that is not cut within a character."""
        if self._carry:
            data = self._carry + data
            self._carry = b""
        pieces: list[bytes | Mark] = []
        at = 0
        # Looking for one byte and for what is long and rare costs a tenth of looking for where a mark may begin.
        for found in _MARK.finditer(data) if b"]" in data and self._nonce in data else ():
            mark = self._read(found[1], found[2])
            if mark is not None:
                if found.start() > at:
                    pieces.append(data[at : found.start()])
                pieces.append(mark)
                at = found.end()
        end = self._unfinished(data, at)
        self._carry = data[end:]
        if end > at:
            pieces.append(data[at:end])
        return pieces

    def _unfinished(self, data: bytes, start: int) -> int:
        """Where an unfinished command of the operating system kind begins, the end of the data where none does."""
        at = data.rfind(b"\x1b", start)
        if at == len(data) - 1 and at > start:
            before = data.rfind(b"\x1b", start, at)
            if before >= 0 and _UNFINISHED.fullmatch(data, before):
                at = before
        if at < 0 or len(data) - at > _MAX_CARRY or not _UNFINISHED.fullmatch(data, at):
            return len(data)
        return at

    def _read(self, letter: bytes, rest: bytes) -> Mark | None:
        fields = rest.split(b";")[1:]
        if not fields or not hmac.compare_digest(fields[-1], self._nonce):
            return None
        kind = _KINDS[letter]
        value = fields[0] if len(fields) > 1 else b""
        if kind == "command":
            return Mark(kind, command=unescaped(value.decode()))
        if kind == "end":
            return Mark(kind, exit_code=int(value) if value.isdigit() else None)
        return Mark(kind)


def unescaped(text: str) -> str:
    """Undo the escapes of a command's text: `\\\\` and `\\xNN`."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)
