"""What a person types at an agent of the client protocol: a line, answers, an interrupt. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from ..signals import Choice

_PASTE: Final = re.compile(r"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
_OTHER_KEYS: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")
CHOICES: Final[dict[str, Choice]] = {"y": "approve", "a": "always", "n": "deny"}


@dataclass(frozen=True, slots=True)
class Submitted:
    """A prompt was sent off."""

    text: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer to the open question."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class Echoed:
    """What to show for what was typed."""

    text: str


Act: TypeAlias = Submitted | Chosen | Echoed | Literal["interrupt", "leave"]


@dataclass(slots=True)
class Line:
    """The input box. Text in paste marks is taken as it is; a mark may come in pieces."""

    text: str = ""
    _carry: str = field(default="", repr=False)

    def take(self, typed: str, *, asks: bool) -> list[Act]:
        """Take keys in; while something is asked, letters are answers."""
        typed, self._carry = self._carry + typed, ""
        if "\x1b[200~" in typed and "\x1b[201~" not in typed:
            self._carry = typed
            return []
        acts: list[Act] = []
        at = 0
        for paste in _PASTE.finditer(typed):
            self._keys(typed[at : paste.start()], acts, asks=asks)
            self.text += paste[1]
            acts.append(Echoed(paste[1]))
            at = paste.end()
        self._keys(typed[at:], acts, asks=asks)
        return acts

    def _keys(self, typed: str, acts: list[Act], *, asks: bool) -> None:
        for key in _OTHER_KEYS.sub("", typed):
            if key in "\x1b\x03":
                acts.append("leave" if key == "\x03" and not self.text and not asks else "interrupt")
            elif asks and key in CHOICES:
                acts.append(Chosen(CHOICES[key]))
            elif key == "\r":
                text, self.text = self.text, ""
                if text.strip():
                    acts.append(Submitted(text))
            elif key == "\x7f" and self.text:
                self.text = self.text[:-1]
                acts.append(Echoed("\b \b"))
            elif key == "\x15":
                self.text = ""
                acts.append(Echoed("\r\x1b[K> "))
            elif key.isprintable():
                self.text += key
                acts.append(Echoed(key))
