"""When a request of Claude Code was begun, by the lines before it: the newest one of a person, a tool or the program.

Spec: harnesses, Claude usage; decision 28a.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from .lines import decoded, ms_of

HEAD_BYTES: Final = 400
"""The beginning of a line, where its kind is."""
_PROGRESS: Final = b'"type":"progress"'
"""A line that tells of a sub-agent's message and holds it."""
_MAIN: Final = b'"isSidechain":false'
SIDE: Final = b'"isSidechain":true'
_UUID: Final = b'"uuid":"'
_UUID_CHARS: Final = 64
_STAMP: Final = b'","timestamp":"'
_CLOSED: Final = b'},"uuid":"'
_CLOSED_STAMP: Final = re.compile(rb'\},"uuid":"[^"]{1,64}","timestamp":"([^"]{10,40})"')
_LATER_STAMP: Final = re.compile(rb'","timestamp":"([^"]{10,40})"')
_BRACES: Final = range(8)
"""So many braces of a line may be looked at: in prose the first ones end its message, in code they are anywhere."""
_NAMES: Final = ("main", "side")

Told = Mapping[str, int | None]
"""The time of the newest input of each chain that the log has, by its name."""


class Head(msgspec.Struct):
    """What every line of a log says."""

    type: str = ""
    id: str | None = None
    timestamp: str | None = None
    isSidechain: bool = False


HEADS: Final = msgspec.json.Decoder(Head)


class Inputs:
    """The newest input of both chains. Lines that are no usual ones are decoded when one is asked for, newest first."""

    def __init__(self, told: Told) -> None:
        self._newest = [told.get(name) for name in _NAMES]
        self.has_sides = "side" in told
        self._block = bytearray()
        self._unclear: list[tuple[int, int]] = []
        self._looked = [0, 0]

    def begin(self, block: bytearray) -> None:
        """The lines that follow are those of a block."""
        self._block, self._unclear, self._looked = block, [], [0, 0]

    def end(self) -> None:
        """Keep nothing of the block but times."""
        self.newest(False)
        if self.has_sides:
            self.newest(True)
        self.begin(bytearray())

    @property
    def told(self) -> Told:
        """What the next reading has to know."""
        return dict(zip(_NAMES[: 1 + self.has_sides], self._newest, strict=False))

    def usual(self, begin: int, end: int, text: int, head: int) -> None:
        """Take a line with a person's or a tool's message, which begins at `text`; the line's head ends at `head`."""
        block = self._block
        if block.rfind(b"{", begin, text) != begin and block.find(_PROGRESS, begin, head) >= 0:
            self._unclear.append((begin, end))
            return
        side = block.find(_MAIN, begin, text) < 0 and block.find(SIDE, begin, head) >= 0
        if side:
            self.has_sides = True
        stamp = _stamp(block, begin, end, text)
        if stamp is None:
            self._unclear.append((begin, end))
            return
        at = ms_of(stamp.decode("ascii", "replace"))
        if at is not None:
            self._newest[side] = at
            self._looked[side] = len(self._unclear)

    def unclear(self, begin: int, end: int) -> None:
        """Take a line that may be an input or not."""
        self._unclear.append((begin, end))

    def newest(self, side: bool) -> int | None:
        """The time of the newest input of a chain so far. Looks at each line once."""
        looked, index = self._looked[side], len(self._unclear)
        if looked < index:
            self._looked[side] = index
            while index > looked:
                index -= 1
                at = _time_of(self._block, *self._unclear[index], side)
                if at is not None:
                    self._newest[side] = at
                    break
        return self._newest[side]


def _time_of(block: bytearray, begin: int, end: int, side: bool) -> int | None:
    """When a line of a person, a tool or the program was written; None for other lines and the other chain's."""
    if block.find(b'"user"', begin, end) < 0 and block.find(b'"system"', begin, end) < 0:
        return None
    line = decoded(HEADS, block[begin:end])
    if line is None or line.type not in ("user", "system") or line.isSidechain != side:
        return None
    return ms_of(line.timestamp)


def _stamp(block: bytearray, begin: int, end: int, text: int) -> bytes | None:
    """The time behind the first `uuid` that has one right behind it. Usually that follows the message's last brace."""
    if block.find(_STAMP, begin, text) < 0:
        at = text
        for _ in _BRACES:
            at = block.find(b"}", at, end)
            if at < 0:
                break
            if block.startswith(_CLOSED, at) and (found := _CLOSED_STAMP.match(block, at, end)):
                return found[1]
            at += 1
    at = block.find(_STAMP, begin, end)
    while at >= 0:
        uuid = block.rfind(b'"', begin, at) + 1
        if 0 < at - uuid <= _UUID_CHARS and uuid - len(_UUID) >= begin and block.startswith(_UUID, uuid - len(_UUID)):
            found = _LATER_STAMP.match(block, at, end)
            if found:
                return found[1]
        at = block.find(_STAMP, at + 1, end)
    return None
