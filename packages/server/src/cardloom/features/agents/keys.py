"""What a person's keys mean to an agent: an answer, a refusal, or nothing.

Pasted text means nothing, nor does what a terminal sends by itself (positions, focus, mouse, colours). Spec:
harnesses, status machine, keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PASTE_BEGIN = b"\x1b[200~"
_PASTE_END = b"\x1b[201~"
_KITTY = {
    b"\x1b[27u": b"\x1b",
    b"\x1b[13u": b"\r",
    b"\x1b[99;5u": b"\x03",
}
_SEQUENCE = re.compile(
    rb"\x1b\[M[\s\S]{3}"  # a mouse report of the old kind
    rb"|\x1b\[[0-?]*[ -/]*[@-~]"
    rb"|\x1b[\]P_^X][\s\S]*?(?:\x07|\x1b\\)"
    rb"|\x1bO[\s\S]"
)
_DISMISSALS = frozenset((b"\x1b", b"\x1b\x1b", b"\x03"))


@dataclass(frozen=True, slots=True)
class Keys:
    """`enter`: Enter was pressed. `dismiss`: Escape or Ctrl+C. `single`: the one character that was typed."""

    enter: bool = False
    dismiss: bool = False
    single: str | None = None


def read_keys(data: bytes, pasting: bool) -> tuple[Keys, bool]:
    """Give what was pressed, and whether a paste goes on after it."""
    data, pasting = _without_pastes(data, pasting)
    for coded, plain in _KITTY.items():
        data = data.replace(coded, plain)
    if data in _DISMISSALS:
        return Keys(dismiss=True), pasting
    data = _SEQUENCE.sub(b"", data)
    if b"\x03" in data:
        return Keys(dismiss=True), pasting
    if b"\r" in data:
        return Keys(enter=True), pasting
    return Keys(single=chr(data[0]) if len(data) == 1 and 0x20 <= data[0] < 0x7F else None), pasting


def types_text(text: str) -> bool:
    """Whether keys leave something in an input box, pasted or typed; what a terminal sends by itself does not."""
    typed = _SEQUENCE.sub(b"", text.encode("utf-8", "replace")).decode("utf-8", "replace")
    return any(character.isprintable() for character in typed)


def _without_pastes(data: bytes, pasting: bool) -> tuple[bytes, bool]:
    """Cut pasted text out; a paste may begin in one read and end in a later one."""
    kept = b""
    while True:
        mark = _PASTE_END if pasting else _PASTE_BEGIN
        before, found, data = data.partition(mark)
        if not pasting:
            kept += before
        if not found:
            return kept, pasting
        pasting = not pasting
