"""An nr-chat text cut at its markers, changed piece by piece and joined again. Spec: session protocol, nr-chat text.

A piece is a marker with all that follows up to the next one. Joined again they are checked: a fence that an older
message left open must not swallow what came later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate
from typing import Final, TypeAlias

from ...jstext import JsonValue
from ..errors import BadRequest
from ..json_text import JsonObject
from .json5 import write_json5
from .nr_chat import MIN_FENCE, ChatMessage, escape_body, fence_over, marker_line, marker_starts, parse_chat
from .nr_chat_session import HEADER_ROLE, ChatFile, ChatNode

FreshId: TypeAlias = Callable[[], str]
"""Makes an id at random; it is asked again when the id is taken."""

_SHORTEST_FENCE: Final = "`" * MIN_FENCE


class Pieces:
    """A file cut at its markers, and the changes made to the pieces so far."""

    def __init__(self, file: ChatFile, session_id: str = "") -> None:
        self._file = file
        self._session_id = session_id
        starts = [message.span.start for message in file.messages]
        ends = [*starts, len(file.text)][1:]
        self._preamble = file.text[: starts[0]] if starts else file.text
        self._pieces = [file.text[start:end] for start, end in zip(starts, ends, strict=True)]
        self._places = {start: at for at, start in enumerate(starts)}
        self._new_header = ""
        self._new_ids: dict[int, str] = {}
        self._header_fields = dict(file.header_meta)

    def text(self) -> str:
        """The whole text."""
        pieces = [self._preamble, *self._pieces]
        if self._new_header:
            first = self._place(self._file.nodes[0].message) + 1 if self._file.nodes else len(pieces)
            pieces[first - 1] = _ended(pieces[first - 1])
            pieces.insert(first, self._new_header)
        return joined(pieces[0], [piece for piece in pieces[1:] if piece])

    def text_of(self, messages: Iterable[ChatMessage]) -> str:
        """The pieces of some messages as they are now."""
        return "".join(self._pieces[self._place(message)] for message in messages)

    def set_marker(self, message: ChatMessage, meta: JsonObject, drop: tuple[str, ...] = ()) -> None:
        """Writes a marker line anew, unless its meta stays what it was."""
        at = self._place(message)
        if at in self._new_ids:
            meta = {**meta, "id": self._new_ids[at]}
        kept: JsonObject = {name: value for name, value in meta.items() if name not in drop}
        if kept == (message.meta or {}) and list(kept) == list(message.meta or {}):
            return
        head = marker_line(message.role, message.name, write_json5(kept) if kept else None)
        self._pieces[at] = head + self._file.text[message.head_end : message.span.start + len(self._raw(message))]

    def named(self, node: ChatNode, fresh_id: FreshId) -> str:
        """The id of a node under which others can name it; it is given one where it has none."""
        if node.has_own_id:
            return node.id
        at = self._place(node.message)
        if at not in self._new_ids:
            taken = {other.id for other in self._file.nodes} | set(self._new_ids.values())
            taken.add(str(self._file.header_meta.get("id")))
            new_id = fresh_id()
            while new_id in taken:
                new_id = fresh_id()
            self._new_ids[at] = new_id
            self.set_marker(node.message, {**(node.message.meta or {}), "id": new_id})
        return self._new_ids[at]

    def append(self, chunk: str, messages: list[ChatMessage]) -> None:
        """Adds messages at the end of the file."""
        if self._pieces:
            self._pieces[-1] = _ended(self._pieces[-1])
        else:
            self._preamble = _ended(self._preamble)
        self._pieces.extend(_cut(chunk, messages))

    def replace(self, node: ChatNode, written: str, messages: list[ChatMessage]) -> None:
        """Puts other messages in the place of a node and all below it; what separates it from the next stays."""
        at = self._place(node.message)
        last = at + len(node.below)
        end = self._file.messages[last].span
        separator = self._raw(self._file.messages[last])[end.end - end.start :]
        if not separator and written.endswith("\n"):
            separator = "\n"  # else the end of the body would read as the end of the line
        self._pieces[at : last + 1] = ["".join(_cut(written, messages)) + separator] + [""] * (last - at)

    def remove(self, node: ChatNode) -> None:
        """Takes a node and all below it away."""
        for message in (node.message, *node.below):
            self.remove_message(message)

    def remove_message(self, message: ChatMessage) -> None:
        """Takes one message away."""
        self._pieces[self._place(message)] = ""

    def set_header(self, fields: JsonObject) -> None:
        """Changes fields of the header where there is one; None removes a field."""
        if self._file.header is not None:
            self._header_fields = _changed(self._header_fields, fields)
            self.set_marker(self._file.header, self._header_fields)

    def ensure_header(self, fields: JsonObject) -> None:
        """Changes fields of the header, and makes it where there is none."""
        if self._file.header is not None:
            self.set_header(fields)
            return
        header = write_json5(_changed({"id": self._session_id}, fields))
        self._new_header = marker_line(HEADER_ROLE, None, header) + "\n"

    def _place(self, message: ChatMessage) -> int:
        return self._places[message.span.start]

    def _raw(self, message: ChatMessage) -> str:
        """The piece of a message as the file has it."""
        at = self._place(message)
        starts = self._file.messages
        end = starts[at + 1].span.start if at + 1 < len(starts) else len(self._file.text)
        return self._file.text[message.span.start : end]


def _ended(piece: str) -> str:
    return piece if not piece or piece.endswith("\n") else piece + "\n"


def _changed(fields: JsonObject, changes: JsonObject) -> JsonObject:
    changed: dict[str, JsonValue] = {**fields, **changes}
    return {name: value for name, value in changed.items() if not (name in changes and value is None)}


def _cut(text: str, messages: list[ChatMessage]) -> list[str]:
    starts = [message.span.start for message in messages]
    return [text[start:end] for start, end in zip(starts, [*starts, len(text)][1:], strict=True)]


def joined(preamble: str, pieces: list[str]) -> str:
    """The pieces as one text in which each is still found.

    Where a fence that one piece leaves open would close in a later one and hide the markers between, the open fence is
    closed at the end of its own message.
    """
    pieces = [preamble, *pieces]
    for _ in pieces:
        starts = [0, *accumulate(map(len, pieces))]
        text = "".join(pieces)
        if _SHORTEST_FENCE not in text:
            return text
        found = set(marker_starts(text))
        lost = next((at for at in range(1, len(pieces)) if starts[at] not in found), None)
        if lost is None:
            return text
        fence = fence_over(text, starts[lost])
        pieces[lost - 1] = _closed(pieces[lost - 1], fence)
    raise BadRequest("The session cannot hold this text: its fences cannot be kept apart.")


def _closed(piece: str, fence: str) -> str:
    """A piece whose open fence is closed by one more line."""
    messages = parse_chat(piece)
    if not messages:
        return f"{piece}{fence}\n"
    last = messages[-1]
    closed = replace(last, body=f"{last.body}\n{fence}" if last.body else fence)
    head = piece[: last.head_end]
    return f"{head}\n{escape_body(closed.body)}\n"
