"""The events of a run: ten known kinds, and every other one passed on as it came.

A run starts with `run_start` and ends with exactly one `run_end`. The parts of a message come between its
`message_start` and `message_end`; a repeated `message_start` starts it anew. Spec: session protocol, run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NotRequired, Required, TypeAlias, TypedDict, TypeGuard

from ..jstext import JsonValue
from .info import SessionInfo, SessionModel
from .json_text import JsonObject, is_object, object_of, text_of
from .messages import Message, Usage
from .parts import AnyPart
from .profiles import ProfileDoc

AnyRunEvent: TypeAlias = JsonObject
"""An event as it came, known or not."""

RunStatus: TypeAlias = Literal["done", "cancelled", "error"]


class RunStartInput(TypedDict, total=False):
    """What a client starts a run with: `text` or `parts`, or neither together with `swipeOf` (make that one anew)."""

    sessionId: Required[str]
    text: str
    parts: list[AnyPart]
    runId: str
    messageId: str
    parentId: str | None
    swipeOf: str
    model: SessionModel
    profile: str | ProfileDoc
    name: str
    flags: JsonObject
    meta: JsonObject


class RunStartEvent(TypedDict):
    """The run has begun; the user's message is stored already."""

    type: Literal["run_start"]
    runId: str
    sessionId: str
    userMessageId: NotRequired[str]
    parentId: NotRequired[str | None]
    model: NotRequired[SessionModel]
    startedAt: NotRequired[str]


class MessageStartEvent(TypedDict):
    """A message begins; its id is the one it is stored under."""

    type: Literal["message_start"]
    runId: str
    messageId: str
    role: str
    name: NotRequired[str]
    parentId: NotRequired[str | None]
    meta: NotRequired[JsonObject]


class PartStartEvent(TypedDict):
    """A part begins; `value` is its skeleton, `part` its place in the message."""

    type: Literal["part_start"]
    runId: str
    messageId: str
    part: int
    value: NotRequired[AnyPart]


class PartDeltaEvent(TypedDict):
    """Text to append; for a tool call, a piece of the JSON of its arguments."""

    type: Literal["part_delta"]
    runId: str
    messageId: str
    part: int
    delta: str


class PartEndEvent(TypedDict):
    """A part is complete; a `value` counts for more than what was gathered."""

    type: Literal["part_end"]
    runId: str
    messageId: str
    part: int
    value: NotRequired[AnyPart]


class MessageEndEvent(TypedDict):
    """A message is complete and stored."""

    type: Literal["message_end"]
    runId: str
    messageId: str
    message: NotRequired[Message]
    meta: NotRequired[JsonObject]


class AskOption(TypedDict):
    """One answer to choose; `kind` of a permission is allow_once, allow_always, reject_once or reject_always."""

    id: str
    label: str
    description: NotRequired[str]
    kind: NotRequired[str]


class AskAnswer(TypedDict, total=False):
    """How an ask was settled: by options, by text, by giving up, or by its deadline."""

    optionIds: list[str]
    text: str
    cancelled: bool
    timeout: bool


class AskEvent(TypedDict):
    """The run waits for an answer; the same event with `resolved` closes the question everywhere."""

    type: Literal["ask"]
    runId: str
    askId: str
    kind: Literal["permission", "question", "input"]
    title: str
    text: NotRequired[str]
    options: NotRequired[list[AskOption]]
    multiple: NotRequired[bool]
    custom: NotRequired[bool]
    default: NotRequired[JsonValue]
    timeoutMs: NotRequired[int]
    callId: NotRequired[str]
    messageId: NotRequired[str]
    data: NotRequired[JsonValue]
    resolved: NotRequired[AskAnswer]


class ActivityEvent(TypedDict):
    """What the engine is busy with; `progress` goes from 0 to 1."""

    type: Literal["activity"]
    runId: str
    activityId: NotRequired[str]
    kind: NotRequired[str]
    text: NotRequired[str]
    progress: NotRequired[float]
    done: NotRequired[bool]
    data: NotRequired[JsonValue]


class SessionUpdateEvent(TypedDict):
    """Some fields of the session have changed."""

    type: Literal["session_update"]
    runId: str
    sessionId: str
    session: SessionInfo


class RunError(TypedDict):
    """Why a run failed."""

    code: str
    message: str


class RunEndEvent(TypedDict):
    """The run is over; nothing follows."""

    type: Literal["run_end"]
    runId: str
    status: RunStatus
    sessionId: NotRequired[str]
    error: NotRequired[RunError]
    usage: NotRequired[Usage]
    stopReason: NotRequired[str]


class UnknownRunEvent(TypedDict):
    """An event of a later version: it has a type, and nothing else is promised."""

    type: str


RunEvent: TypeAlias = (
    RunStartEvent
    | MessageStartEvent
    | PartStartEvent
    | PartDeltaEvent
    | PartEndEvent
    | MessageEndEvent
    | AskEvent
    | ActivityEvent
    | SessionUpdateEvent
    | RunEndEvent
)

RUN_EVENT_TYPES: Final = (
    "run_start",
    "message_start",
    "part_start",
    "part_delta",
    "part_end",
    "message_end",
    "ask",
    "activity",
    "session_update",
    "run_end",
)
_RUN_EVENT_TYPES: Final = frozenset(RUN_EVENT_TYPES)

WORKSPACE_UPDATE: Final = "workspace_update"


class WorkspaceUpdateEvent(TypedDict):
    """Files of the workspace changed; the path "" says: read everything again. Not an event of a run."""

    type: Literal["workspace_update"]
    paths: list[str]


def is_run_event(value: object) -> TypeGuard[AnyRunEvent]:
    """Whether a value can be an event: an object with a type."""
    return is_object(value) and text_of(value.get("type")) != ""


def is_known_run_event(value: object) -> TypeGuard[RunEvent]:
    """Whether a value is an event of one of the ten known kinds."""
    return is_object(value) and text_of(value.get("type")) in _RUN_EVENT_TYPES


def _is_event(value: object, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def is_run_start(value: object) -> TypeGuard[RunStartEvent]:
    """Whether a value tells that a run begins."""
    return _is_event(value, "run_start")


def is_message_start(value: object) -> TypeGuard[MessageStartEvent]:
    """Whether a value tells that a message begins."""
    return _is_event(value, "message_start")


def is_part_start(value: object) -> TypeGuard[PartStartEvent]:
    """Whether a value tells that a part begins."""
    return _is_event(value, "part_start")


def is_part_delta(value: object) -> TypeGuard[PartDeltaEvent]:
    """Whether a value brings more of a part."""
    return _is_event(value, "part_delta")


def is_part_end(value: object) -> TypeGuard[PartEndEvent]:
    """Whether a value tells that a part is complete."""
    return _is_event(value, "part_end")


def is_message_end(value: object) -> TypeGuard[MessageEndEvent]:
    """Whether a value tells that a message is complete."""
    return _is_event(value, "message_end")


def is_ask(value: object) -> TypeGuard[AskEvent]:
    """Whether a value is a question, or tells that one is settled."""
    return _is_event(value, "ask")


def is_activity(value: object) -> TypeGuard[ActivityEvent]:
    """Whether a value tells what the engine is busy with."""
    return _is_event(value, "activity")


def is_session_update(value: object) -> TypeGuard[SessionUpdateEvent]:
    """Whether a value tells that the session changed."""
    return _is_event(value, "session_update")


def is_run_end(value: object) -> TypeGuard[RunEndEvent]:
    """Whether a value tells that a run is over."""
    return _is_event(value, "run_end")


def is_workspace_update_event(value: object) -> TypeGuard[WorkspaceUpdateEvent]:
    """Whether a value tells that files changed: its paths must be texts."""
    if not is_object(value) or value.get("type") != WORKSPACE_UPDATE:
        return False
    paths = value.get("paths")
    return isinstance(paths, list) and all(isinstance(path, str) for path in paths)


def part_skeleton(event: Mapping[str, object]) -> AnyPart:
    """The part that a `part_start` begins with.

    Also reads `partType` and `meta` beside each other; a part about which nothing is said is text.
    """
    value = event.get("value")
    if is_object(value):
        return value
    kind = text_of(event.get("partType")) or "text"
    skeleton: AnyPart = {"type": kind}
    if kind in ("text", "thinking", "error"):
        skeleton["text"] = ""
    if is_object(event.get("meta")):
        skeleton["meta"] = object_of(event["meta"])
    return skeleton


def run_status(event: Mapping[str, object]) -> RunStatus:
    """How a run ended; also reads the words completed, success and aborted. Anything else is an error."""
    match event.get("status"):
        case "done" | "completed" | "success":
            return "done"
        case "cancelled" | "aborted":
            return "cancelled"
        case _:
            return "error"
