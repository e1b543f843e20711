"""What a workspace greys out: version control's own folders, dependencies, the trash, and what .gitignore names.

The subset of git's rules that matters, without regular expressions, so that no pattern can be slow. Global excludes
are not looked at. Spec: session protocol, ignore rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, TypeVar

from .files import is_trash_path

ALWAYS_IGNORED: Final = frozenset({".git", "node_modules"})


class _Wild(Enum):
    ANY_RUN = "*"
    ANY_CHAR = "?"
    ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class _CharClass:
    negated: bool
    chars: frozenset[str]
    ranges: tuple[tuple[str, str], ...]

    def holds(self, char: str) -> bool:
        inside = char in self.chars or any(low <= char <= high for low, high in self.ranges)
        return inside is not self.negated


_Token: TypeAlias = str | _Wild | _CharClass
_Segment: TypeAlias = tuple[_Token, ...] | _Wild
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of a .gitignore. `segments` is None for a pattern that matches nothing."""

    source: str
    negated: bool
    dirs_only: bool
    anchored: bool
    segments: tuple[_Segment, ...] | None


RulesOf: TypeAlias = Callable[[str], Sequence[IgnoreRule] | None]
"""The rules of the .gitignore in a folder ("" is the root), None where there is none."""


def is_ignored_path(path: str, is_dir: bool, rules_of: RulesOf) -> bool:
    """Whether a normalised path is ignored. Nothing below an ignored folder can be taken back."""
    if path == "":
        return False
    segments = path.split("/")
    if not ALWAYS_IGNORED.isdisjoint(segments) or is_trash_path(path):
        return True
    files: list[tuple[int, Sequence[IgnoreRule]]] = []
    for depth in range(len(segments)):
        rules = rules_of("/".join(segments[:depth]))
        if rules:
            files.append((depth, rules))
        verdict: bool | None = None
        for start, found in files:
            here = match_gitignore(
                found, "/".join(segments[start : depth + 1]), is_dir if depth + 1 == len(segments) else True
            )
            verdict = verdict if here is None else here
        if verdict:
            return True
    return False


def match_gitignore(rules: Sequence[IgnoreRule], path: str, is_dir: bool) -> bool | None:
    """What the rules say of a path relative to their folder: the last match decides, None when nothing matches."""
    segments = path.split("/")
    for rule in reversed(rules):
        if rule.segments is None or (rule.dirs_only and not is_dir):
            continue
        if _path_matches(rule.segments, segments if rule.anchored else segments[-1:]):
            return not rule.negated
    return None


def parse_gitignore(text: str) -> list[IgnoreRule]:
    """The rules of a .gitignore in the order of its lines."""
    rules = (_rule(line.removesuffix("\r")) for line in text.removeprefix("\ufeff").split("\n"))
    return [rule for rule in rules if rule is not None]


def _rule(line: str) -> IgnoreRule | None:
    if line.startswith("#"):
        return None
    pattern = _without_trailing_spaces(line)
    negated = pattern.startswith("!")
    pattern = pattern[1:] if negated else pattern
    dirs_only = pattern.endswith("/")
    pattern = pattern[:-1] if dirs_only else pattern
    if pattern in ("", "/"):
        return None
    anchored = "/" in pattern
    parts = pattern.removeprefix("/").split("/")
    segments = [_segment(part) for part in parts]
    if not anchored and segments == [_Wild.ANY_DEPTH]:
        segments = [(_Wild.ANY_RUN,)]
    known = tuple(segment for segment in segments if segment is not None)
    return IgnoreRule(line, negated, dirs_only, anchored, known if len(known) == len(segments) else None)


def _without_trailing_spaces(line: str) -> str:
    end = len(line)
    while end and line[end - 1] == " ":
        backslashes = 0
        while end - 2 - backslashes >= 0 and line[end - 2 - backslashes] == "\\":
            backslashes += 1
        if backslashes % 2:
            break  # the last space is escaped
        end -= 1
    return line[:end]


def _segment(text: str) -> _Segment | None:
    """The tokens of one segment; None when it can match nothing."""
    if text == "**":
        return _Wild.ANY_DEPTH
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            if at == len(text):
                return None
            tokens.append(text[at])
            at += 1
        elif char == "*":
            if not tokens or tokens[-1] is not _Wild.ANY_RUN:
                tokens.append(_Wild.ANY_RUN)
        elif char == "?":
            tokens.append(_Wild.ANY_CHAR)
        elif char == "[":
            found = _char_class(text, at)
            if found is None:
                return None
            chars, at = found
            tokens.append(chars)
        else:
            tokens.append(char)
    return tuple(tokens)


def _char_class(text: str, at: int) -> tuple[_CharClass, int] | None:
    """The class that begins behind a bracket, and the place behind it; None when it never ends."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    chars: set[str] = set()
    ranges: list[tuple[str, str]] = []
    first = True
    while at < len(text) and (first or text[at] != "]"):
        first = False
        low, at = _class_char(text, at)
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            high, at = _class_char(text, at + 1)
            ranges.append((low, high))
        else:
            chars.add(low)
    if at >= len(text):
        return None
    return _CharClass(negated, frozenset(chars), tuple(ranges)), at + 1


def _class_char(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\" and at + 1 < len(text):
        return text[at + 1], at + 2
    return text[at], at + 1


def _path_matches(pattern: Sequence[_Segment], segments: Sequence[str]) -> bool:
    """Whether a path fits; `**` stands for any number of segments, at the end for at least one."""
    return _rest_behind(pattern, segments, _Wild.ANY_DEPTH, _segment_matches) == 0


def _segment_matches(segment: _Segment, name: str) -> bool:
    if not isinstance(segment, tuple):
        return False
    rest = _rest_behind(segment, name, _Wild.ANY_RUN, _char_matches)
    return rest is not None and all(token is _Wild.ANY_RUN for token in segment[len(segment) - rest :])


def _rest_behind(
    pattern: Sequence[_Part], text: Sequence[str], run: _Wild, fits: Callable[[_Part, str], bool]
) -> int | None:
    """How many parts of a pattern are left when it took the whole text; None when it cannot take it.

    `run` takes any number of pieces; it is given as few as will do, and one more whenever the rest does not fit.
    """
    at = here = 0
    back: tuple[int, int] | None = None
    while here < len(text):
        part = pattern[at] if at < len(pattern) else None
        if part is run:
            back = (at, here)
            at += 1
        elif part is not None and fits(part, text[here]):
            at += 1
            here += 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            at, here = back[0] + 1, back[1]
        else:
            return None
    return len(pattern) - at


def _char_matches(token: _Token, char: str) -> bool:
    if isinstance(token, str):
        return token == char
    return token.holds(char) if isinstance(token, _CharClass) else token is _Wild.ANY_CHAR
