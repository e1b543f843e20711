"""ECMAScript regular expressions in Unicode mode, translated to `re`.

Only schemas of ours and the manifest's may hold patterns, so this needs no defence against slow ones.
Three things differ from a browser: a look-behind of variable width and an escape inside a group's name are
not supported (such a pattern counts as invalid), and a group in a repetition keeps its last match where a
browser forgets it in each round.
"""

import re
from functools import lru_cache
from typing import Final

from ..jstext import JS_SPACE, join_surrogates
from .unicode import END, Boundaries, complement, property_set, union

_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_CONTROL: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_MAX_REPEAT: Final = 2**32 - 2  # the largest count that `re` takes

_DIGIT: Final[Boundaries] = (0x30, 0x3A)
_WORD: Final[Boundaries] = (0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B)
_SPACE: Final[Boundaries] = union([(ord(char), ord(char) + 1) for char in JS_SPACE])
_ANY_BUT_LINE_END: Final[Boundaries] = complement((0x0A, 0x0B, 0x0D, 0x0E, 0x2028, 0x202A))
_SETS: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}


class _InvalidPattern(Exception):
    """The text is no pattern, or one that `re` cannot express."""


@lru_cache(maxsize=512)
def compile_pattern(source: str) -> re.Pattern[str] | None:
    """The pattern as `re` searches it; None if it is invalid."""
    try:
        return re.compile(_Translator(join_surrogates(source)).translated(), re.ASCII)
    except (_InvalidPattern, re.error, RecursionError, OverflowError):
        return None


def is_pattern(source: str) -> bool:
    """Whether `source` is a valid pattern."""
    return compile_pattern(source) is not None


def found(source: str, text: str) -> bool:
    """Whether the pattern occurs in `text`; an invalid one never does."""
    pattern = compile_pattern(source)
    return pattern is not None and pattern.search(join_surrogates(text)) is not None


def _char(point: int) -> str:
    char = chr(point)
    if char.isascii() and char.isalnum():
        return char
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def _class(points: Boundaries) -> str:
    if not points:
        return "[^\\u0000-\\U0010ffff]"
    ranges = [(points[at], points[at + 1] - 1) for at in range(0, len(points), 2)]
    parts = (_char(first) if first == last else f"{_char(first)}-{_char(last)}" for first, last in ranges)
    return f"[{''.join(parts)}]"


def _group_names(source: str) -> list[str | None]:
    """The capturing groups in order, with their names."""
    names: list[str | None] = []
    in_class = False
    skip = re.compile(r"\\(?s:.)|\[|\]|\((?:\?<(?![=!])(?P<name>[^>]*)>|(?!\?)|\?)")
    for match in skip.finditer(source):
        if match[0] in "[]":
            in_class = match[0] == "["
        elif not in_class and match[0].startswith("(") and match[0] != "(?":
            names.append(match["name"])
    given = [name for name in names if name is not None]
    if len(set(given)) != len(given):
        raise _InvalidPattern
    return names


def _is_name(name: str) -> bool:
    start, following = _class(property_set("ID_Start") or ()), _class(property_set("ID_Continue") or ())
    return re.fullmatch(f"(?:[$_]|{start})(?:[$\u200c\u200d]|{following})*", name) is not None


class _Translator:
    """One pass over a pattern. Every method consumes what it names and gives its translation."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._names = _group_names(source)
        self._opened = 0
        self._closed: set[int] = set()

    def translated(self) -> str:
        text = self._alternatives()
        if self._at < len(self._source):
            raise _InvalidPattern
        return text

    def _next(self, text: str) -> bool:
        """Consume `text` if it comes next."""
        if not self._source.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _take(self) -> str:
        if self._at >= len(self._source):
            raise _InvalidPattern
        self._at += 1
        return self._source[self._at - 1]

    def _expect(self, text: str) -> None:
        if not self._next(text):
            raise _InvalidPattern

    def _match(self, expression: str) -> re.Match[str] | None:
        match = re.compile(expression).match(self._source, self._at)
        if match is not None:
            self._at = match.end()
        return match

    # Structure

    def _alternatives(self) -> str:
        pieces: list[str] = []
        while self._at < len(self._source) and self._source[self._at] != ")":
            pieces.append("|" if self._next("|") else self._term())
        return "".join(pieces)

    def _term(self) -> str:
        assertion = self._assertion()
        return assertion if assertion is not None else self._atom() + self._quantifier()

    def _assertion(self) -> str | None:
        for mark, translated in (("^", "^"), ("$", "\\Z"), ("\\b", "\\b"), ("\\B", "(?!\\b)")):
            if self._next(mark):
                return translated
        for mark in ("(?=", "(?!", "(?<=", "(?<!"):
            if self._next(mark):
                inner = self._alternatives()
                self._expect(")")
                return f"{mark}{inner})"
        return None

    def _quantifier(self) -> str:
        match = self._match(r"(?:[*+?]|\{([0-9]+)(,?)([0-9]*)\})")
        if match is None:
            return ""
        lazy = "?" if self._next("?") else ""
        if match[1] is None:
            return match[0] + lazy
        least = int(match[1])
        most = int(match[3]) if match[3] else None
        if (most is not None and most < least) or (match[3] and not match[2]):
            raise _InvalidPattern
        if not match[2]:
            return f"{{{min(least, _MAX_REPEAT)}}}{lazy}"
        upper = "" if most is None else str(min(most, _MAX_REPEAT))
        return f"{{{min(least, _MAX_REPEAT)},{upper}}}{lazy}"

    def _atom(self) -> str:
        char = self._take()
        if char == "(":
            return self._group()
        if char == "[":
            return _class(self._char_class())
        if char == ".":
            return _class(_ANY_BUT_LINE_END)
        if char == "\\":
            return self._atom_escape()
        if char in _SYNTAX and char != "/":
            raise _InvalidPattern
        return _char(ord(char))

    def _group(self) -> str:
        if self._next("?:"):
            inner = self._alternatives()
            self._expect(")")
            return f"(?:{inner})"
        if self._next("?"):
            name = self._match(r"<([^>]*)>")
            if name is None or not _is_name(name[1]):
                raise _InvalidPattern
        self._opened += 1
        number = self._opened
        inner = self._alternatives()
        self._expect(")")
        self._closed.add(number)
        return f"({inner})"

    # Escapes

    def _atom_escape(self) -> str:
        if self._next("k"):
            name = self._match(r"<([^>]*)>")
            if name is None or name[1] not in self._names:
                raise _InvalidPattern
            return self._back_reference(self._names.index(name[1]) + 1)
        number = self._match(r"[1-9][0-9]*")
        if number is not None:
            return self._back_reference(int(number[0]))
        points = self._set_escape()
        return _class(points) if points is not None else _char(self._char_escape())

    def _back_reference(self, number: int) -> str:
        """A group that has not matched matches nothing in a browser, and fails in `re`."""
        if number > len(self._names):
            raise _InvalidPattern
        return f"(?({number})\\{number}|)" if number in self._closed else "(?:)"

    def _set_escape(self) -> Boundaries | None:
        """`\\d`, `\\P{…}` and their like, after the backslash."""
        match = self._match(r"([dswDSW])|([pP])\{([A-Za-z0-9_=]*)\}")
        if match is None:
            return None
        points = _SETS[match[1].lower()] if match[1] else property_set(match[3])
        if points is None:
            raise _InvalidPattern
        return complement(points) if (match[1] or match[2]).isupper() else points

    def _char_escape(self) -> int:
        """One character, after the backslash, as its code point."""
        char = self._take()
        if char in _CONTROL:
            return _CONTROL[char]
        if char in _SYNTAX:
            return ord(char)
        if char == "0" and self._source[self._at : self._at + 1] not in tuple("0123456789"):
            return 0
        if char == "c" and (letter := self._match("[A-Za-z]")) is not None:
            return ord(letter[0]) % 32
        if char == "x" and (digits := self._match("[0-9a-fA-F]{2}")) is not None:
            return int(digits[0], 16)
        if char == "u":
            return self._unicode_escape()
        raise _InvalidPattern

    def _unicode_escape(self) -> int:
        braced = self._match(r"\{([0-9a-fA-F]+)\}")
        if braced is not None:
            point = int(braced[1], 16)
            if point >= END:
                raise _InvalidPattern
            return point
        pair = self._match(r"([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
        if pair is not None:
            return 0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + int(pair[2], 16) - 0xDC00
        digits = self._match("[0-9a-fA-F]{4}")
        if digits is None:
            raise _InvalidPattern
        return int(digits[0], 16)

    # Classes

    def _char_class(self) -> Boundaries:
        negated = self._next("^")
        parts: list[Boundaries] = []
        while not self._next("]"):
            first = self._class_atom()
            if self._source[self._at : self._at + 1] != "-" or self._source[self._at + 1 : self._at + 2] == "]":
                parts.append((first, first + 1) if isinstance(first, int) else first)
                continue
            self._at += 1
            last = self._class_atom()
            if not isinstance(first, int) or not isinstance(last, int) or last < first:
                raise _InvalidPattern
            parts.append((first, last + 1))
        points = union(parts)
        return complement(points) if negated else points

    def _class_atom(self) -> int | Boundaries:
        """One character of a class, or a set inside it."""
        if not self._next("\\"):
            return ord(self._take())
        if self._next("b"):
            return 0x08
        if self._next("-"):
            return ord("-")
        points = self._set_escape()
        return points if points is not None else self._char_escape()
