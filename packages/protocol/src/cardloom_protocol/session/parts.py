"""The parts of a message: eight known kinds, and every other one kept as it came.

A part is a JSON object; the guards narrow it to its kind by `type` alone and never raise. Readers skip what they do
not know, writers keep it. Spec: session protocol, parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict, TypeGuard, cast

from ..jstext import JsonValue
from .errors import BadRequest
from .json_text import JsonObject, is_object, object_of, text_of

AnyPart: TypeAlias = JsonObject
"""A part as it came, known or not."""


class TextPart(TypedDict):
    """What the author says."""

    type: Literal["text"]
    text: str


class ThinkingMeta(TypedDict, total=False):
    """What a model needs to take its own thinking back."""

    signature: str


class ThinkingPart(TypedDict):
    """What a model thought before it spoke."""

    type: Literal["thinking"]
    text: str
    meta: NotRequired[ThinkingMeta]


class ToolUseMeta(TypedDict):
    """Which tool is called, and the id that its result repeats."""

    callId: str
    name: str


class ToolUsePart(TypedDict):
    """A call of a tool; `data` holds the arguments."""

    type: Literal["tool_use"]
    data: JsonValue
    meta: ToolUseMeta


class ToolResultMeta(TypedDict):
    """Which call is answered."""

    callId: str
    name: NotRequired[str]
    error: NotRequired[bool]


class ToolResultPart(TypedDict):
    """A tool's answer. `data` is the truth where both are given, `text` its readable form."""

    type: Literal["tool_result"]
    data: NotRequired[JsonValue]
    text: NotRequired[str]
    meta: ToolResultMeta


class FileMeta(TypedDict):
    """Where a file is and what it holds; `tokens` is an estimate."""

    name: str
    mime: NotRequired[str]
    url: NotRequired[str]
    ref: NotRequired[str]
    tokens: NotRequired[float]


class FilePart(TypedDict):
    """An attached file; `text` is what was extracted from it."""

    type: Literal["file"]
    text: NotRequired[str]
    meta: FileMeta


class ImageMeta(TypedDict, total=False):
    """Where an image is and what it shows."""

    mime: str
    url: str
    ref: str
    alt: str
    tokens: float


class ImagePart(TypedDict):
    """An image; `text` is what was read from it."""

    type: Literal["image"]
    text: NotRequired[str]
    meta: ImageMeta


class ErrorMeta(TypedDict, total=False):
    """The code of a failure."""

    code: str


class ErrorPart(TypedDict):
    """What went wrong while the message was made."""

    type: Literal["error"]
    text: str
    meta: NotRequired[ErrorMeta]


class CustomPart(TypedDict):
    """Anything else; `meta.hint` says how to show it, and `meta` may hold more."""

    type: Literal["custom"]
    data: NotRequired[JsonValue]
    text: NotRequired[str]
    meta: JsonObject


class UnknownPart(TypedDict):
    """A part of a later version: it has a type, and nothing else is promised."""

    type: str


Part: TypeAlias = TextPart | ThinkingPart | ToolUsePart | ToolResultPart | FilePart | ImagePart | ErrorPart | CustomPart

PART_TYPES: Final = ("text", "thinking", "tool_use", "tool_result", "file", "image", "error", "custom")
_PART_TYPES: Final = frozenset(PART_TYPES)

# What each kind must have, as (place, name, kind of value).
_REQUIRED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "text": (("", "text"),),
    "thinking": (("", "text"),),
    "tool_use": (("meta", "callId"), ("meta", "name")),
    "tool_result": (("meta", "callId"),),
    "file": (("meta", "name"),),
    "image": (("meta", ""),),
    "error": (("", "text"),),
    "custom": (("meta", "hint"),),
}


def _is_part(value: object, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def is_text_part(value: object) -> TypeGuard[TextPart]:
    """Whether a value is a text part."""
    return _is_part(value, "text")


def is_thinking_part(value: object) -> TypeGuard[ThinkingPart]:
    """Whether a value is a thinking part."""
    return _is_part(value, "thinking")


def is_tool_use_part(value: object) -> TypeGuard[ToolUsePart]:
    """Whether a value is a tool call."""
    return _is_part(value, "tool_use")


def is_tool_result_part(value: object) -> TypeGuard[ToolResultPart]:
    """Whether a value is a tool's answer."""
    return _is_part(value, "tool_result")


def is_file_part(value: object) -> TypeGuard[FilePart]:
    """Whether a value is an attached file."""
    return _is_part(value, "file")


def is_image_part(value: object) -> TypeGuard[ImagePart]:
    """Whether a value is an image."""
    return _is_part(value, "image")


def is_error_part(value: object) -> TypeGuard[ErrorPart]:
    """Whether a value is an error."""
    return _is_part(value, "error")


def is_custom_part(value: object) -> TypeGuard[CustomPart]:
    """Whether a value is a custom part."""
    return _is_part(value, "custom")


def is_known_part(value: object) -> TypeGuard[Part]:
    """Whether a value is a part of one of the eight known kinds."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _PART_TYPES


def text_part(text: str) -> AnyPart:
    """A text part."""
    return {"type": "text", "text": text}


def parts_text(parts: Iterable[object]) -> str:
    """The text of all text parts, one behind the other; everything else is left out."""
    return "".join(text_of(part.get("text")) for part in parts if is_object(part) and part.get("type") == "text")


def derived_text(message: Mapping[str, object]) -> str:
    """The plain text of a message: its text parts joined without a separator."""
    parts = message.get("parts")
    return parts_text(parts) if isinstance(parts, Sequence) and not isinstance(parts, str) else ""


@dataclass(frozen=True, slots=True)
class ToolPair:
    """A tool call and its result; either may be missing."""

    call_id: str
    use: ToolUsePart | None = None
    result: ToolResultPart | None = None

    def to_wire(self) -> JsonObject:
        """The pair under its wire names; a missing half is left out."""
        wire: JsonObject = {"callId": self.call_id}
        if self.use is not None:
            wire["use"] = cast(JsonObject, self.use)
        if self.result is not None:
            wire["result"] = cast(JsonObject, self.result)
        return wire


def match_tool_pair(parts: Iterable[object]) -> list[ToolPair]:
    """Joins tool calls with their results by `callId`, wherever the results stand.

    One pair a call in the order of the calls, then results without a call. Repeated ids pair first with first; the
    empty id matches only itself. Where results live in other messages, give the parts of all of them.
    """
    uses: list[tuple[str, ToolUsePart]] = []
    results: dict[str, list[ToolResultPart]] = {}
    order: list[tuple[str, ToolResultPart]] = []
    for part in parts:
        if is_tool_use_part(part):
            uses.append((_call_id(part), part))
        elif is_tool_result_part(part):
            call_id = _call_id(part)
            results.setdefault(call_id, []).append(part)
            order.append((call_id, part))
    pairs: list[ToolPair] = []
    taken: set[int] = set()
    for call_id, use in uses:
        waiting = results.get(call_id)
        result = waiting.pop(0) if waiting else None
        if result is not None:
            taken.add(id(result))
        pairs.append(ToolPair(call_id, use, result))
    pairs.extend(ToolPair(call_id, None, result) for call_id, result in order if id(result) not in taken)
    return pairs


def _call_id(part: ToolUsePart | ToolResultPart) -> str:
    return text_of(object_of(part.get("meta")).get("callId"))


def parts_of(parts: Sequence[AnyPart] | None, text: str | None) -> list[AnyPart]:
    """The parts of what a client appends: `parts` where given, even none; else `text`; else one empty text."""
    return list(parts) if parts is not None else [text_part(text or "")]


def replace_text_parts(parts: Sequence[AnyPart], text: str) -> list[AnyPart]:
    """The parts with `text` in place of the first text part and without the others; at the end when there was none."""
    replaced: list[AnyPart] = []
    done = False
    for part in parts:
        if part.get("type") != "text":
            replaced.append(part)
        elif not done:
            replaced.append(text_part(text))
            done = True
    return replaced if done else [*replaced, text_part(text)]


def check_parts(value: object) -> list[AnyPart]:
    """The parts of a request, as they came. BAD_REQUEST names the first one that cannot be stored.

    Known kinds must have their required fields; of unknown ones only a `type` is asked.
    """
    if not isinstance(value, list):
        raise BadRequest("parts must be a list.")
    for number, part in enumerate(value):
        fault = part_fault(part)
        if fault is not None:
            raise BadRequest(f"parts[{number}]: {fault}.")
    return value


def part_fault(part: object) -> str | None:
    """Says what keeps a value from being a part, None when nothing does."""
    if not is_object(part):
        return "it must be an object"
    kind = part.get("type")
    if not isinstance(kind, str) or not kind:
        return "it must have a type"
    for place, name in _REQUIRED.get(kind, ()):
        holder: object = part.get(place) if place else part
        if not is_object(holder):
            return f"a part of type {kind} needs {place}"
        if name and not isinstance(holder.get(name), str):
            return f"a part of type {kind} needs {place}{'.' if place else ''}{name} as a text"
    if kind == "tool_use" and "data" not in part:
        return "a part of type tool_use needs data"
    return None
