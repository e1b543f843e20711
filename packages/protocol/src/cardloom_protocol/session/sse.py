"""Run and workspace events as frames of an event stream, and back.

Reading follows the event stream format of the HTML standard: lines end with LF, CR or CRLF wherever the network cut
them, a byte order mark at the start is dropped, and U+2028 is an ordinary character. Spec: session protocol, SSE.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..jstext import compact_json
from .errors import BadRequest
from .events import AnyRunEvent, WorkspaceUpdateEvent, is_run_event, is_workspace_update_event
from .json_text import as_json, read_object, read_object_at
from .limits import session_limit

_LINE_END = re.compile(r"\r\n|\r|\n")
_DIGITS = re.compile(r"[0-9]+")
_BOM = "\ufeff"


class SseFrame(NamedTuple):
    """One dispatched frame: the event name ("" when none was given), its data, and the last id seen so far."""

    event: str
    data: str
    id: str = ""


# Writing


def serialize_run_event(event: Mapping[str, object], *, id: str | None = None) -> str:
    """The frame of an event, with an `id` line before it when one is given.

    BAD_REQUEST for an event without a type, or when the type or id would break the frame.
    """
    kind = event.get("type")
    if not isinstance(kind, str) or not kind:
        raise BadRequest("An event needs a type.")
    return frame_text(kind, compact_json(as_json(event)), id)


def serialize_workspace_event(event: WorkspaceUpdateEvent, *, id: str | None = None) -> str:
    """The frame of a workspace event."""
    return serialize_run_event(event, id=id)


def frame_text(event: str, data: str, id: str | None = None) -> str:
    """A frame with an event name and one line of data. BAD_REQUEST when a part of it holds a line end."""
    if _LINE_END.search(event) or _LINE_END.search(data):
        raise BadRequest("An event name or its data holds a line end.")
    if id is None:
        return f"event: {event}\ndata: {data}\n\n"
    if _LINE_END.search(id) or "\0" in id:
        raise BadRequest("An event id holds a line end or NUL.")
    return f"id: {id}\nevent: {event}\ndata: {data}\n\n"


# Reading whole texts


def parse_run_event(frame: object) -> AnyRunEvent | None:
    """The event of one frame, None for a broken one. Unknown types are events too."""
    if not isinstance(frame, str):
        return None
    for block in _blocks(frame):
        found = _Fields().read(block)
        if found is not None:
            return event_of(found)
    return None


def parse_sse_stream(text: object) -> list[AnyRunEvent]:
    """The events of a whole stream in order; broken frames are dropped, a last one without its blank line counts."""
    if not isinstance(text, str):
        return []
    return _events(_blocks(text), _Fields())


def parse_workspace_event(frame: object) -> WorkspaceUpdateEvent | None:
    """The workspace event of one frame, None for anything else."""
    event = parse_run_event(frame)
    return event if is_workspace_update_event(event) else None


def event_of(frame: SseFrame) -> AnyRunEvent | None:
    """The event in a frame, None when there is none.

    The type inside the data counts; where it is missing, the frame's event name takes its place.
    """
    value = read_object(frame.data)
    if value is None:
        return None
    if is_run_event(value):
        return value
    if not frame.event or ("type" in value and value["type"] is not None):
        return None
    return {**value, "type": frame.event}


_DATA = len("\ndata: ")


def _own_frame(block: str) -> tuple[str | None, int, int] | None:
    """A block as `serialize_run_event` writes it: perhaps an id line, one event line, one data line. None for others.

    Gives the id, and where the event's name begins and ends; the data begin `_DATA` later. Line ends are looked for by
    `find`, which takes a tenth of the time of a pattern, and nothing is copied that is not needed.
    """
    last_id, at = None, 0
    if block.startswith("id: "):
        at = block.find("\n") + 1
        last_id = block[4 : at - 1]
        if at == 0 or "\0" in last_id:
            return None
    at += 7
    end = block.find("\n", at)
    if end <= at or not block.startswith("event: ", at - 7) or not block.startswith("\ndata: ", end):
        return None
    if len(block) == end + _DATA or block.find("\n", end + _DATA) >= 0:
        return None
    return last_id, at, end


def _events(blocks: Iterable[str], fields: _Fields) -> list[AnyRunEvent]:
    events: list[AnyRunEvent] = []
    for block in blocks:
        own = _own_frame(block)
        if own is not None:
            # Most frames by far look like this one: no frame is built for them.
            last_id, _, end = own
            if last_id is not None:
                fields.last_id = last_id
            value = read_object_at(block, end + _DATA)
            if value is not None and type(value.get("type")) is str and value["type"]:
                events.append(value)
                continue
        frame = fields.read(block)
        event = None if frame is None else event_of(frame)
        if event is not None:
            events.append(event)
    return events


def _blocks(text: str) -> list[str]:
    return _with_lf(text.removeprefix(_BOM)).split("\n\n")


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


# Reading piece by piece


class SseParser:
    """Turns the pieces of a stream into frames; pieces may be cut anywhere, inside a character or a line end too.

    `last_id` is the last id that the stream gave, `retry_ms` its last reconnection time. A frame that grows beyond
    `max_frame_chars` before it ends is a BAD_REQUEST: the connection is of no use any more.
    """

    def __init__(self, *, max_frame_chars: int | None = None) -> None:
        self._max_frame_chars = session_limit("sseFrameChars") if max_frame_chars is None else max_frame_chars
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting: list[str] = []
        self._waiting_chars = 0
        self._skip_lf = False
        self._started = False
        self._fields = _Fields()

    @property
    def last_id(self) -> str:
        """The last event id, "" before the first."""
        return self._fields.last_id

    @property
    def retry_ms(self) -> int | None:
        """The reconnection time that the stream asked for."""
        return self._fields.retry_ms

    def feed(self, chunk: bytes | str) -> list[SseFrame]:
        """The frames that this piece completes."""
        frames = map(self._fields.read, self._blocks(chunk))
        return [frame for frame in frames if frame is not None]

    def feed_events(self, chunk: bytes | str) -> list[AnyRunEvent]:
        """The run events in the frames that this piece completes; broken frames are dropped."""
        return _events(self._blocks(chunk), self._fields)

    def _blocks(self, chunk: bytes | str) -> list[str]:
        text = self._decoder.decode(chunk) if isinstance(chunk, bytes) else chunk
        if not text:
            return []
        if not self._started:
            self._started = True
            text = text.removeprefix(_BOM)
        if self._skip_lf and text.startswith("\n"):
            text = text[1:]
        self._skip_lf = text.endswith("\r")  # an LF that follows belongs to the same line end
        return self._cut(_with_lf(text))

    def end(self) -> None:
        """Forgets an unfinished frame and begins a new stream; ids stay known, as a reconnection needs them."""
        self._decoder.reset()
        self._waiting.clear()
        self._waiting_chars = 0
        self._skip_lf = False
        self._started = False

    def _cut(self, text: str) -> list[str]:
        # A frame's end may straddle two pieces: keep one character of what waits with the new text.
        if self._waiting and self._waiting[-1].endswith("\n") and text.startswith("\n"):
            block = "".join(self._waiting)
            self._waiting = []
            blocks = [block, *text[1:].split("\n\n")]
        else:
            blocks = text.split("\n\n")
            if len(blocks) > 1 and self._waiting:
                blocks[0] = "".join([*self._waiting, blocks[0]])
                self._waiting = []
        rest = blocks.pop()
        if blocks:
            self._waiting_chars = 0
        if rest:
            self._waiting.append(rest)
            self._waiting_chars += len(rest)
            if self._waiting_chars > self._max_frame_chars:
                raise BadRequest(f"A frame of the stream is longer than {self._max_frame_chars} characters.")
        return blocks


class _Fields:
    """Reads the lines of one block after another; the id and the reconnection time outlive a block."""

    def __init__(self) -> None:
        self.last_id = ""
        self.retry_ms: int | None = None

    def read(self, block: str) -> SseFrame | None:
        """The frame of a block, None when it holds no data."""
        own = _own_frame(block)
        if own is not None:
            last_id, at, end = own
            if last_id is not None:
                self.last_id = last_id
            return SseFrame(block[at:end], block[end + _DATA :], self.last_id)
        event = ""
        data: list[str] = []
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            match name:
                case "data":
                    data.append(value)
                case "event":
                    event = value
                case "id" if "\0" not in value:
                    self.last_id = value
                case "retry" if _DIGITS.fullmatch(value):
                    self.retry_ms = int(value[:12])
                case _:
                    continue  # a comment has the empty name
        return SseFrame(event, "\n".join(data), self.last_id) if data else None
