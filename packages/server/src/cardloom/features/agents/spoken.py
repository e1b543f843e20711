"""What a program says to its terminal about itself: program status records (OSC 7501) and titles (OSC 0 and 2).

`scan` is fed the output piece by piece. A program that first asks whether the terminal understands program status gets
`PROGRAM_STATUS_ANSWER` written back. Spec: agents' programs as they are, program status.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from .signals import ProgramSaid, ProgramState

PROGRAM_STATUS_ANSWER: Final = "\x1b]7501;?\x1b\\"
MAX_CARRY: Final = 8 << 10
"""The longest unfinished sequence kept, in characters; a longer one is no record of ours."""
_MAX_TEXT: Final = 2_000

_SPOKEN = re.compile(r"\x1b\](7501|0|2);([^\x07\x1b\x9c]*)(?:\x07|\x1b\\|\x9c)")
_BEGUN = re.compile(r"\x1b(?:\](?:[^\x07\x1b\x9c]*\x1b?)?)?\Z")


@dataclass(frozen=True, slots=True)
class ProgramAsks:
    """The program asks whether program status is understood."""


@dataclass(frozen=True, slots=True)
class TitleText:
    text: str


Spoken: TypeAlias = ProgramSaid | ProgramAsks | TitleText


def scan(carry: str, text: str) -> tuple[str, tuple[Spoken, ...]]:
    """Give what is carried to the next piece, and what this one said. The first carry is empty."""
    if not carry and "\x1b" not in text:
        return "", ()
    text = carry + text
    said: list[Spoken] = []
    end = 0
    for found in _SPOKEN.finditer(text):
        end = found.end()
        one = _program(found[2]) if found[1] == "7501" else TitleText(found[2].strip())
        if one is not None:
            said.append(one)
    begun = _BEGUN.search(text, max(end, text.rfind("\x1b]", end)))
    rest = begun[0] if begun else ""
    return (rest if len(rest) <= MAX_CARRY else ""), tuple(said)


def _program(body: str) -> ProgramSaid | ProgramAsks | None:
    """Read one record; None where it is none. Unknown fields are left alone."""
    if body == "?":
        return ProgramAsks()
    fields = dict(part.split("=", 1) for part in body.split(":") if "=" in part)
    state = _state(fields.get("state"))
    if state is None:
        return None
    return ProgramSaid(
        state, fields.get("kind"), fields.get("id"), _text(fields.get("title")), _text(fields.get("msg"))
    )


def _state(word: str | None) -> ProgramState | None:
    for state in get_args(ProgramState):
        if word == state:
            return state  # type: ignore[no-any-return]
    return None


def _text(coded: str | None) -> str | None:
    if coded is None:
        return None
    try:
        return base64.b64decode(coded, validate=True).decode()[:_MAX_TEXT]
    except (binascii.Error, ValueError):
        return None
