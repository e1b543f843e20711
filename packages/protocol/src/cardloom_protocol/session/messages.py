"""Messages as clients see them: projections of stored nodes, with flags, swipes and a content hash.

Spec: session protocol, message.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from .json_text import JsonObject
from .parts import AnyPart


class Usage(TypedDict):
    """Tokens of one message."""

    input: int
    output: int


class MessageFlags(TypedDict, total=False):
    """Who sees a message.

    `visible: false` hides it from people, `disabled` from the model; `frozen` keeps it when a history is curated;
    `injected` marks what the system put in. `hidden` is the old name of `disabled`: read, never written.
    """

    visible: bool
    disabled: bool
    hidden: bool
    frozen: bool
    injected: bool


class MessageMeta(TypedDict, total=False):
    """When and by which model a message was made. Later versions add fields, which are kept."""

    createdAt: str
    model: str
    usage: Usage


class Swipes(TypedDict):
    """Which of its siblings a message is; `active` counts from 0."""

    active: int
    count: int


class Message(TypedDict):
    """One message of a history. Its text is `derived_text`; `swipes` stands only where there is a choice."""

    id: str
    role: str
    parts: list[AnyPart]
    name: NotRequired[str]
    flags: NotRequired[JsonObject]
    meta: NotRequired[JsonObject]
    swipes: NotRequired[Swipes]
    hash: NotRequired[str]


class ThreadEntry(TypedDict):
    """A message of the whole tree with its depth; roots have depth 0."""

    message: Message
    depth: int


class MessageAppendOpts(TypedDict, total=False):
    """How a message is appended without a run.

    `role` is user when not given; an assistant line is a greeting. `swipeOf` makes it an alternative of that message;
    together with `parentId` it is refused. `parentId: null` starts a new root.
    """

    role: str
    name: str
    flags: JsonObject
    meta: JsonObject
    id: str
    parentId: str | None
    swipeOf: str
    parts: list[AnyPart]
    text: str


def with_disabled(flags: JsonObject | None, disabled: bool) -> JsonObject | None:
    """The flags after hiding a message from the model or showing it again; None when none are left."""
    changed = {key: value for key, value in (flags or {}).items() if key not in ("disabled", "hidden")}
    if disabled:
        changed["disabled"] = True
    return changed or None


def current_flags(flags: JsonObject) -> JsonObject:
    """The flags with the old name `hidden` read as `disabled`."""
    if "hidden" not in flags:
        return flags
    current = {key: value for key, value in flags.items() if key != "hidden"}
    if flags["hidden"] is True:
        current["disabled"] = True
    return current
