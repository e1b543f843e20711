"""Sessions, models, workspaces: what a client lists and chooses from. Spec: session protocol, session and models."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from .json_text import JsonObject
from .profiles import ProfileDoc


class Participant(TypedDict):
    """Somebody who speaks in a session."""

    id: str
    type: Literal["human", "ai"]
    name: str
    avatar: NotRequired[str]


class SessionModel(TypedDict):
    """The model of a session; without `thinking` no level is set. Stores know it as the model selection."""

    model: str
    thinking: NotRequired[str]


ModelSelection = SessionModel


class SessionInfo(TypedDict, total=False):
    """A session without its messages. Only `id` is always there; times are ISO 8601 in UTC with milliseconds.

    `profileDoc` is present exactly when `profile` is `inline`. Fields of later versions are kept.
    """

    id: str
    title: str
    createdAt: str
    updatedAt: str
    messageCount: int
    model: SessionModel
    botId: str
    botName: str
    botAvatar: str
    accentColor: str
    participants: list[Participant]
    parentSessionId: str
    forkMessageId: str
    workspace: str
    profile: str
    profileDoc: ProfileDoc


class SessionCreateOpts(TypedDict, total=False):
    """How a session is made. An explicit `model` wins over that of a profile."""

    id: str
    title: str
    model: SessionModel
    profile: str | ProfileDoc
    workspace: str
    botId: str
    botName: str
    botAvatar: str
    accentColor: str
    meta: JsonObject


class ModelInfo(TypedDict):
    """A model that a backend offers; `thinking` lists the names of its levels."""

    id: str
    name: NotRequired[str]
    provider: NotRequired[str]
    thinking: NotRequired[list[str]]
    contextWindow: NotRequired[int]
    input: NotRequired[list[str]]
    default: NotRequired[bool]


class WorkspaceInfo(TypedDict):
    """A place that a backend works in."""

    id: str
    name: NotRequired[str]
    path: NotRequired[str]


def patched_meta(document: JsonObject, patch: JsonObject) -> JsonObject:
    """The session document after a patch from a client.

    Keys replace each other, null removes a key, and `prompt` is merged one level deeper by the same rule.
    """
    changed = _merged(document, {key: value for key, value in patch.items() if key != "prompt"})
    if "prompt" not in patch:
        return changed
    before, given = document.get("prompt"), patch["prompt"]
    if isinstance(given, dict):
        changed["prompt"] = _merged(before if isinstance(before, dict) else {}, given)
    elif given is None:
        changed.pop("prompt", None)
    else:
        changed["prompt"] = given
    return changed


def _merged(document: JsonObject, patch: JsonObject) -> JsonObject:
    return {key: value for key, value in {**document, **patch}.items() if not (key in patch and value is None)}
