"""Terminal output as plain text: escape sequences and control characters taken out, however the pieces were cut.

Spec: harnesses, screen mirror and output; agents, output.
"""

from __future__ import annotations

import re

ERASE = "\x0b"
"""Stands for "erase to the end of the line" where overwriting is still to be applied."""

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b))"
    r"|\x1b[PX^_][^\x1b\x18\x1a]*(?:\x1b\\|[\x18\x1a]|(?=\x1b))"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
    r"|\x1b"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
# What output is mostly made of, for a way through that costs half: on bytes, in as few passes as there are.
_CONTROL_SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-BD-~]")  # without C, which moves the cursor and becomes a blank
_HIGH_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_CONTROLS_AND_RETURNS = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\t\n")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[ -/]+)?")
_UNFINISHED_STRING = re.compile(r"\x1b(?:\][^\x07\x1b\x18\x1a]*|[PX^_][^\x1b\x18\x1a]*)")
_OSC_END = re.compile(r"\x07|\x1b\\|[\x18\x1a]|\x1b(?!$)")
_STRING_END = re.compile(r"\x1b\\|[\x18\x1a]|\x1b(?!$)")
_NOISE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FORWARD = re.compile(r"\x1b\[\d*C")
_ERASE_LINE = re.compile(r"\x1b\[0?K")
_RETURNS = re.compile(r"\r{2,}")
_MAX_SEQUENCE = 256  # no sequence apart from strings is longer; what looks longer is thrown away


class PlainText:
    """Takes output piece by piece. With `overwriting`, `\\r`, `\\b` and ERASE stay in for `overwritten`."""

    def __init__(self, *, overwriting: bool = False) -> None:
        self._overwriting = overwriting
        self._carry = ""
        self._line_begun = False
        self._held = ""  # a carriage return at the end, whose line feed may follow
        self._string_end: re.Pattern[str] | None = None

    def feed(self, text: str) -> str:
        """Give the plain text of the next piece; `\\r\\n` becomes `\\n`. An unfinished sequence waits for its end."""
        text = self._carry + text
        self._carry = ""
        if self._string_end is not None:
            text = self._after_string(text, self._string_end)
        text = self._cut_unfinished(text)
        common = None if self._overwriting else self._common(text)
        if common is not None:
            text = common
        else:
            if _NOISE.search(text) is not None:
                text = self._strip(text)
            if self._held or "\r" in text:
                text = self._without_idle_returns(self._held + text)
        if text:
            self._line_begun = not text.endswith("\n")
        return text

    def _common(self, text: str) -> str | None:
        """The plain text by the short way, None where that does not do. A return at the end is held as ever."""
        if self._held and not text.startswith("\n"):
            return None
        returns = text.endswith("\r")
        common = _common(text[:-1] if returns else text)
        if common is not None:
            self._held = "\r" if returns else ""
        return common

    def _without_idle_returns(self, text: str) -> str:
        """Leave only those carriage returns that go back over something on their line."""
        if "\r\r" in text:
            text = _RETURNS.sub("\r", text)
        text = text.replace("\r\n", "\n").replace("\n\r", "\n")
        if not self._line_begun:
            text = text.removeprefix("\r")
        self._held = "\r" if text.endswith("\r") else ""
        return text.removesuffix("\r")

    def _strip(self, text: str) -> str:
        text = _FORWARD.sub(" ", text)
        if not self._overwriting:
            return _SEQUENCE.sub("", text)
        text = _ERASE_LINE.sub(ERASE, text.replace(ERASE, ""))
        return _SEQUENCE.sub(_keep_overwriting, text)

    def _after_string(self, text: str, end: re.Pattern[str]) -> str:
        """Drop the rest of an operating system command or the like, which may be of any length."""
        found = end.search(text)
        if found is None:
            self._carry = "\x1b" if text.endswith("\x1b") else ""
            return ""
        self._string_end = None
        return text[found.start() if found.group() == "\x1b" else found.end() :]

    def _cut_unfinished(self, text: str) -> str:
        at = text.rfind("\x1b")
        if at < 0:
            return text
        if at == len(text) - 1:
            before = text.rfind("\x1b", 0, at)
            if before >= 0 and _UNFINISHED_STRING.fullmatch(text, before, at):
                self._carry = "\x1b"
                return self._enter_string(text, before)
        if _UNFINISHED_STRING.fullmatch(text, at):
            return self._enter_string(text, at)
        if _UNFINISHED.fullmatch(text, at):
            if len(text) - at <= _MAX_SEQUENCE:
                self._carry = text[at:]
            return text[:at]
        return text

    def _enter_string(self, text: str, at: int) -> str:
        self._string_end = _OSC_END if text[at + 1] == "]" else _STRING_END
        return text[:at]


def _common(text: str) -> str | None:
    """The plain text where nothing but whole control sequences, control characters and line ends is to be taken out."""
    bare = b"".join(_CONTROL_SEQUENCE.split(text.encode("utf-8", "surrogatepass")))
    if b"\x1b" in bare or _LONE_RETURN.search(bare) or (b"\xc2" in bare and _HIGH_CONTROL.search(bare)):
        return None
    return bare.translate(None, _CONTROLS_AND_RETURNS).decode("utf-8", "surrogatepass")


def _keep_overwriting(found: re.Match[str]) -> str:
    return found.group() if found.group() in ("\b", ERASE) else ""


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
