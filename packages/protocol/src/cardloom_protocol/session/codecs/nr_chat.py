r"""The nr-chat text format: a chat as plain text, a `%role` line before each message.

A marker line is `%role`, perhaps a name, perhaps a JSON5 object. Inside a fence of four or more backticks nothing is
a marker; elsewhere a line of text that looks like one carries a backslash. Spec: session protocol, nr-chat text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...jstext import JS_SPACE, is_js_space
from ..errors import BadRequest, CodecError
from ..json_text import JsonObject
from .json5 import read_json5, write_json5

_FENCE = re.compile(r"(`{4,})[^`]*")
_FENCE_END = re.compile(rf"(`{{4,}})[{JS_SPACE}]*")
_SPACE = re.compile(f"[{JS_SPACE}]")
_ESCAPED_LINE = re.compile(r"\\+%")
_NEEDS_ESCAPE = re.compile(r"\\*%")
_NAME_SPECIAL = re.compile(r"\\(?=[\\{}]|$)|[{}]")
_NAME_ESCAPE = re.compile(r"\\([\\{}])")
_BACKTICKS = re.compile(r"`+")
_LINE_BREAKS = re.compile(r"[\r\n]+")
MIN_FENCE = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: from the first character to before the last one's successor."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One marker line with its body. `raw_meta` is the meta as it stands; where it is given, it is what is written.

    The span runs from the `%` to the end of the body without the line feed that separates it from the next marker;
    `head_end` is the end of the marker line.
    """

    role: str
    body: str
    name: str | None = None
    meta: JsonObject | None = None
    raw_meta: str | None = None
    span: Span = Span(0, 0)
    head_end: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str  # without its line end
    fence: int = 0  # backticks of the fence that holds the line, 0 outside


# Reading


def parse_chat(text: str) -> list[ChatMessage]:
    """The messages of a text; what stands before the first marker is no message.

    A CodecError names the line of a marker whose meta cannot be read.
    """
    lines = list(_zoned(text))
    heads = [at for at, line in enumerate(lines) if not line.fence and _is_marker(line.text)]
    messages: list[ChatMessage] = []
    for at, following in zip(heads, [*heads, len(lines)][1:], strict=True):
        messages.append(_message(text, lines[at], lines[at + 1 : following], at + 1))
    return messages


def marker_starts(text: str) -> list[int]:
    """Where the markers of a text stand."""
    return [line.start for line in _zoned(text) if not line.fence and _is_marker(line.text)]


def fence_over(text: str, offset: int) -> str:
    """The fence that holds the line at an offset, "" when none does."""
    return next(("`" * line.fence for line in _zoned(text) if line.start == offset), "")


def _message(text: str, head: _Line, body: Sequence[_Line], number: int) -> ChatMessage:
    role, name, raw_meta = _split_marker(head.text)
    meta: JsonObject | None = None
    if raw_meta is not None:
        try:
            value = read_json5(raw_meta)
        except CodecError as error:
            raise CodecError(str(error), number) from error
        if not isinstance(value, dict):
            raise CodecError("the meta is no object", number)
        meta = value
    last = body[-1] if body else head
    end = last.start + len(last.text)
    if text[end : end + 1] == "\r" and text[end : end + 2] != "\r\n":
        end += 1  # at the end of the file, where no line feed follows
    read = [line.text if line.fence else _without_escape(line.text) for line in body]
    return ChatMessage(role, "\n".join(read), name, meta, raw_meta, Span(head.start, end), head.start + len(head.text))


def _zoned(text: str) -> Iterator[_Line]:
    """The lines of a text, those of closed fences marked. The empty rest behind a final line feed is none."""
    lines = list(_lines(text))
    closers = [(at, len(found[1])) for at, line in enumerate(lines) if (found := _FENCE_END.fullmatch(line.text))]
    longest_from = [0] * (len(closers) + 1)
    for at in range(len(closers) - 1, -1, -1):
        longest_from[at] = max(closers[at][1], longest_from[at + 1])
    places = [at for at, _ in closers]
    inside_until, fence = -1, 0
    for at, line in enumerate(lines):
        if at > inside_until:
            fence = 0
            opener = _FENCE.fullmatch(line.text)
            if opener is not None:
                first = bisect_left(places, at + 1)
                # Without this look ahead, a file full of unclosed fences would cost the square of its length.
                if longest_from[first] >= len(opener[1]):
                    fence = len(opener[1])
                    while closers[first][1] < fence:
                        first += 1
                    inside_until = places[first]
        yield _Line(line.start, line.text, fence)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield _Line(start, text[start:end].removesuffix("\r"))
        start = end + 1


def _is_marker(line: str) -> bool:
    return line.startswith("%") and len(line) > 1 and not is_js_space(line[1])


def _without_escape(line: str) -> str:
    return line[1:] if _ESCAPED_LINE.match(line) else line


def _split_marker(line: str) -> tuple[str, str | None, str | None]:
    """Role, name and raw meta of a marker line."""
    space = _SPACE.search(line)
    end = len(line) if space is None else space.start()
    rest = line[end:]
    brace = _unescaped_brace(rest)
    name = _NAME_ESCAPE.sub(r"\1", rest[:brace].strip(JS_SPACE))
    raw_meta = rest[brace:].rstrip(JS_SPACE) if brace < len(rest) else None
    return line[1:end], name or None, raw_meta


def _unescaped_brace(text: str) -> int:
    at = 0
    while at < len(text) and text[at] != "{":
        at += 2 if text[at] == "\\" and text[at + 1 : at + 2] in ("\\", "{", "}") else 1
    return min(at, len(text))


# Writing


def write_chat(messages: Sequence[ChatMessage]) -> str:
    """The text of some messages. BAD_REQUEST for a role that is empty or holds white space."""
    return "".join(write_chat_message(message) + "\n" for message in messages)


def write_chat_message(message: ChatMessage) -> str:
    """The text of one message without its final line feed."""
    raw_meta = message.raw_meta
    if raw_meta is None and message.meta is not None:
        raw_meta = write_json5(message.meta)
    head = marker_line(message.role, message.name, raw_meta)
    return head if message.body == "" else f"{head}\n{escape_body(message.body)}"


def marker_line(role: str, name: str | None, raw_meta: str | None) -> str:
    """A marker line. Line breaks in a name become spaces, for they would end the line."""
    if not role or any(map(is_js_space, role)):
        raise BadRequest(f"{role!r} cannot be the role of a message: it is empty or holds white space.")
    head = f"%{role}"
    shown = _LINE_BREAKS.sub(" ", name or "").strip(JS_SPACE)
    if shown:
        head += " " + _NAME_SPECIAL.sub(lambda found: "\\" + found[0], shown)
    return head if raw_meta is None else f"{head} {raw_meta}"


def escape_body(body: str) -> str:
    """A body with a backslash before each line that would read as a marker or as an escaped one."""
    if "%" not in body:
        return body
    fenced = {line.start for line in _zoned(body) if line.fence}
    written: list[str] = []
    start = 0
    for line in body.split("\n"):
        escaped = start not in fenced and _NEEDS_ESCAPE.match(line)
        written.append("\\" + line if escaped else line)
        start += len(line) + 1
    return "\n".join(written)


def fence_for(guest: str) -> str:
    """A fence that nothing in `guest` closes."""
    longest = max(map(len, _BACKTICKS.findall(guest)), default=0)
    return "`" * max(MIN_FENCE, longest + 1)
