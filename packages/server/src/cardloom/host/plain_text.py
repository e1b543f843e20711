"""Terminal output as plain text: escape sequences and control characters taken out, however the pieces were cut.

Works on UTF-8 and decodes what is left: bytes are searched, cut and deleted from several times as fast as characters.
Spec: harnesses, screen mirror and output; agents, output.
"""

from __future__ import annotations

import re

ERASE = "\x0b"
"""Stands for "erase to the end of the line" where overwriting is still to be applied."""

_ERASE = ERASE.encode()
_SEQUENCE = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"
    rb"|\x1b\][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b))"
    rb"|\x1b[PX^_][^\x1b\x18\x1a]*(?:\x1b\\|[\x18\x1a]|(?=\x1b))"
    rb"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
    rb"|\x1b"
    rb"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
    rb"|\xc2[\x80-\x9f]"
)
# What output is mostly made of, for a way through that costs half, in as few passes as there are. Without C, which
# moves the cursor and becomes a blank, and where overwriting counts without K, which erases.
_CONTROL_SEQUENCE = re.compile(rb"\x1b\[[0-?]*+[ -/]*+[@-BD-~]")
_KEEPING_SEQUENCE = re.compile(rb"\x1b\[[0-?]*+[ -/]*+[@-BD-JL-~]")
_HIGH_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_CONTROLS_AND_RETURNS = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\t\n")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[ -/]+)?")
_UNFINISHED_STRING = re.compile(rb"\x1b(?:\][^\x07\x1b\x18\x1a]*|[PX^_][^\x1b\x18\x1a]*)")
_OSC_END = re.compile(rb"\x07|\x1b\\|[\x18\x1a]|\x1b(?!$)")
_STRING_END = re.compile(rb"\x1b\\|[\x18\x1a]|\x1b(?!$)")
_NOISE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
_FORWARD = re.compile(rb"\x1b\[\d*C")
_ERASE_LINE = re.compile(rb"\x1b\[0?K")
_RETURNS = re.compile(rb"\r{2,}")
_MAX_SEQUENCE = 256  # no sequence apart from strings is longer; what looks longer is thrown away


class PlainText:
    """Takes output piece by piece. With `overwriting`, `\\r`, `\\b` and ERASE stay in for `overwritten`."""

    def __init__(self, *, overwriting: bool = False) -> None:
        self._overwriting = overwriting
        self._carry = b""
        self._line_begun = False
        self._held = b""  # a carriage return at the end, whose line feed may follow
        self._string_end: re.Pattern[bytes] | None = None

    def feed(self, text: str) -> str:
        """Give the plain text of the next piece; `\\r\\n` becomes `\\n`. An unfinished sequence waits for its end."""
        return self.feed_utf8(text.encode("utf-8", "surrogatepass"))

    def feed_utf8(self, data: bytes) -> str:
        """The same for a piece in UTF-8 that is not cut within a character."""
        if self._carry:
            data = self._carry + data
            self._carry = b""
        if self._string_end is not None:
            data = self._after_string(data, self._string_end)
        data = self._cut_unfinished(data)
        common = self._common(data)
        if common is not None:
            data = common
        else:
            if _NOISE.search(data) is not None:
                data = self._strip(data)
            if self._held or b"\r" in data:
                data = self._without_idle_returns(self._held + data)
        if data:
            self._line_begun = not data.endswith(b"\n")
        return data.decode("utf-8", "surrogatepass")

    def _common(self, data: bytes) -> bytes | None:
        """The plain text by the short way, None where that does not do. A return at the end is held as ever."""
        if self._held and not data.startswith(b"\n"):
            return None
        returns = data.endswith(b"\r")
        common = _common(data[:-1] if returns else data, overwriting=self._overwriting)
        if common is not None:
            self._held = b"\r" if returns else b""
        return common

    def _without_idle_returns(self, data: bytes) -> bytes:
        """Leave only those carriage returns that go back over something on their line."""
        if b"\r\r" in data:
            data = _RETURNS.sub(b"\r", data)
        data = data.replace(b"\r\n", b"\n").replace(b"\n\r", b"\n")
        if not self._line_begun:
            data = data.removeprefix(b"\r")
        self._held = b"\r" if data.endswith(b"\r") else b""
        return data.removesuffix(b"\r")

    def _strip(self, data: bytes) -> bytes:
        data = _FORWARD.sub(b" ", data)
        if not self._overwriting:
            return _SEQUENCE.sub(b"", data)
        data = _ERASE_LINE.sub(_ERASE, data.replace(_ERASE, b""))
        return _SEQUENCE.sub(_keep_overwriting, data)

    def _after_string(self, data: bytes, end: re.Pattern[bytes]) -> bytes:
        """Drop the rest of an operating system command or the like, which may be of any length."""
        found = end.search(data)
        if found is None:
            self._carry = b"\x1b" if data.endswith(b"\x1b") else b""
            return b""
        self._string_end = None
        return data[found.start() if found.group() == b"\x1b" else found.end() :]

    def _cut_unfinished(self, data: bytes) -> bytes:
        at = data.rfind(b"\x1b")
        if at < 0:
            return data
        if at == len(data) - 1:
            before = data.rfind(b"\x1b", 0, at)
            if before >= 0 and _UNFINISHED_STRING.fullmatch(data, before, at):
                self._carry = b"\x1b"
                return self._enter_string(data, before)
        if _UNFINISHED_STRING.fullmatch(data, at):
            return self._enter_string(data, at)
        if _UNFINISHED.fullmatch(data, at):
            if len(data) - at <= _MAX_SEQUENCE:
                self._carry = data[at:]
            return data[:at]
        return data

    def _enter_string(self, data: bytes, at: int) -> bytes:
        self._string_end = _OSC_END if data[at + 1 : at + 2] == b"]" else _STRING_END
        return data[:at]


def _common(data: bytes, *, overwriting: bool) -> bytes | None:
    """The plain text where nothing but whole control sequences, control characters and line ends is to be taken out."""
    bare = b"".join((_KEEPING_SEQUENCE if overwriting else _CONTROL_SEQUENCE).split(data))
    if b"\x1b" in bare or _LONE_RETURN.search(bare) or (b"\xc2" in bare and _HIGH_CONTROL.search(bare)):
        return None
    if overwriting and b"\b" in bare:
        return None
    return bare.translate(None, _CONTROLS_AND_RETURNS)


def _keep_overwriting(found: re.Match[bytes]) -> bytes:
    return found.group() if found.group() in (b"\b", _ERASE) else b""


def overwritten(text: str) -> str:
    """Give text as it looks once carriage returns, backspaces and erasures have done their work, line by line."""
    if "\r" not in text and "\b" not in text and ERASE not in text:
        return text
    return "\n".join(_written_line(line) for line in text.split("\n"))


def _written_line(line: str) -> str:
    if "\b" not in line and ERASE not in line:
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        return shown
    cells: list[str] = []
    at = 0
    for char in line:
        if char == "\r":
            at = 0
        elif char == "\b":
            at = max(at - 1, 0)
        elif char == ERASE:
            del cells[at:]
        else:
            cells[at : at + 1] = [char]
            at += 1
    return "".join(cells)
