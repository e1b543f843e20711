"""Profiles: what an engine runs with, chosen by id or embedded in the session; and the catalogues to build them from.

Spec: session protocol, profiles.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NotRequired, TypedDict, TypeGuard, cast

from .errors import BadRequest
from .json_text import JsonObject

INLINE_PROFILE_ID: Final = "inline"
DEFAULT_PROFILE_ID: Final = "default"
RESERVED_PROFILE_IDS: Final = frozenset({INLINE_PROFILE_ID, DEFAULT_PROFILE_ID})

_PROFILE_ID = re.compile(r"[a-z0-9-]+")

SessionPromptMode = Literal["append", "replace"]


class SessionPrompt(TypedDict, total=False):
    """Text before and after the prompt of the environment; `replace` without `pre` keeps that prompt."""

    mode: SessionPromptMode
    pre: str
    post: str


class ProfileInfo(TypedDict):
    """What a list of profiles shows."""

    id: str
    name: str
    description: NotRequired[str]
    model: NotRequired[str]
    thinking: NotRequired[str]
    editable: NotRequired[bool]


class ProfileDoc(TypedDict):
    """A profile in full.

    `tools` that are not given are those of the environment; `systemPrompt` replaces the prompt of the process;
    `extra` holds the file's other attributes as text and survives a save that does not mention it.
    """

    id: str
    name: str
    description: NotRequired[str]
    model: NotRequired[str]
    thinking: NotRequired[str]
    tools: NotRequired[Literal["all", "none"] | list[str]]
    skills: NotRequired[list[str]]
    extensions: NotRequired[list[str]]
    systemPrompt: NotRequired[str]
    prompt: NotRequired[SessionPrompt]
    extra: NotRequired[dict[str, str]]


class CatalogTool(TypedDict):
    """A tool that a profile may name."""

    id: str
    name: str
    description: NotRequired[str]
    source: NotRequired[str]


class CatalogSkill(TypedDict):
    """A skill that a profile may name."""

    id: str
    name: str
    description: NotRequired[str]
    path: NotRequired[str]


class CatalogExtension(TypedDict):
    """An extension that a profile may name."""

    id: str
    name: str
    description: NotRequired[str]
    path: NotRequired[str]


def is_profile_doc(value: object) -> TypeGuard[ProfileDoc]:
    """Whether a value is a profile in full: an object with the texts `id` and `name`."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("name"), str)


def inline_profile(value: object) -> ProfileDoc:
    """The document of an embedded profile, its id being `inline` whatever it was. BAD_REQUEST without a name."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise BadRequest("A profile document must be an object with a name.")
    return cast(ProfileDoc, {**value, "id": INLINE_PROFILE_ID})


def check_profile_id(value: object) -> str:
    """An id under which a profile can be saved. BAD_REQUEST for any other, the reserved ones included."""
    if not isinstance(value, str) or _PROFILE_ID.fullmatch(value) is None:
        raise BadRequest("The id of a profile is made of a-z, 0-9 and hyphens.")
    if value in RESERVED_PROFILE_IDS:
        raise BadRequest(f"The profile id {value!r} is reserved.")
    return value


def saved_profile(given: ProfileDoc, stored: ProfileDoc | None) -> ProfileDoc:
    """What a save stores: the given document, with the stored `extra` when it has none of its own."""
    if stored is None or "extra" in given or "extra" not in stored:
        return given
    return cast(ProfileDoc, {**cast(JsonObject, given), "extra": cast(JsonObject, stored)["extra"]})
