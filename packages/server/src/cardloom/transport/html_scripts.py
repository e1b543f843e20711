"""Finds the inline scripts of a page, in one pass that no page can make slow or stop.

It follows the tokens of HTML as a browser does, as far as it takes to tell scripts from what only looks like one. Where
a browser reads a page differently after all, the script it runs is not the one that is allowed, and does not run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_MARKUP: Final = re.compile(r"<(?:!--|[!?]|/?[A-Za-z]|/)")
_COMMENT_END: Final = re.compile(r"--!?>")
_TAG_NAME: Final = re.compile(r"[^\t\n\f\r />]*")
_BETWEEN: Final = re.compile(r"[\t\n\f\r /]*")
_NAME: Final = re.compile(r"=?[^\t\n\f\r />=]*")
_EQUALS: Final = re.compile(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
_BARE: Final = re.compile(r"[^\t\n\f\r >]*")
_WORDS_ONLY: Final = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript")
_ENDS: Final = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in _WORDS_ONLY}
"""The ends of elements that hold words and no markup."""


@dataclass(frozen=True, slots=True)
class InlineScript:
    """Where a script's words stand in the page, and the attributes of its tag."""

    begin: int
    end: int
    attributes: Mapping[str, str]


def inline_scripts(page: str) -> Iterator[InlineScript]:
    """The script elements of a page that hold their words themselves, in order."""
    at = 0
    while (found := _MARKUP.search(page, at)) is not None:
        begin = found.start()
        if found.group() == "<!--":
            end = _comment_end(page, begin)
        elif found.group()[-1].isalpha():
            is_end = page[begin + 1] == "/"
            name = _matched(_TAG_NAME, page, begin + 1 + is_end)
            tag = _tag(page, begin + 1 + is_end + len(name))
            if tag is None:
                return
            end, attributes = tag
            name = name.lower()
            if not is_end and name in _ENDS:
                close = _ENDS[name].search(page, end)
                if close is None:
                    return
                if name == "script" and "src" not in attributes:
                    yield InlineScript(end, close.start(), attributes)
                end = close.start()
        else:
            end = page.find(">", begin) + 1
        if end <= 0:
            return
        at = end


def _comment_end(page: str, begin: int) -> int:
    """Where a comment is over; 0 if it never is. `<!-->` and `<!--->` are whole comments."""
    for short in ("<!-->", "<!--->"):
        if page.startswith(short, begin):
            return begin + len(short)
    found = _COMMENT_END.search(page, begin + 4)
    return 0 if found is None else found.end()


def _tag(page: str, at: int) -> tuple[int, dict[str, str]] | None:
    """Where a tag is over whose name ends at `at`, and its attributes, the first of each name; None if it never is."""
    attributes: dict[str, str] = {}
    while True:
        at += len(_matched(_BETWEEN, page, at))
        if at >= len(page):
            return None
        if page[at] == ">":
            return at + 1, attributes
        name = _matched(_NAME, page, at)
        at += len(name)
        value = ""
        equals = _EQUALS.match(page, at)
        if equals is not None:
            at = equals.end()
            quote = page[at : at + 1]
            if quote in ('"', "'"):
                end = page.find(quote, at + 1)
                if end < 0:
                    return None
                value, at = page[at + 1 : end], end + 1
            else:
                value = _matched(_BARE, page, at)
                at += len(value)
        attributes.setdefault(name.lower(), html.unescape(value))


def _matched(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    return "" if found is None else found.group()
