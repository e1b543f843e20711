"""The fields of a profile that a client gives, in full or embedded in a session. Spec: session protocol, profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import BadRequest
from cardloom_protocol.session.json_text import JsonObject, is_object
from cardloom_protocol.session.profiles import ProfileDoc


def checked_profile(document: JsonObject) -> ProfileDoc:
    """A profile as it can be stored. BAD_REQUEST names a field of the wrong kind."""
    for name in ("name", "description", "model", "thinking", "systemPrompt"):
        if not isinstance(document.get(name, ""), str):
            raise BadRequest(f"profile.{name} must be a text.")
    for name in ("skills", "extensions"):
        _check_texts(f"profile.{name}", document.get(name, []))
    if document.get("tools", "all") not in ("all", "none"):
        _check_texts("profile.tools", document["tools"])
    for name in ("prompt", "extra"):
        values = document.get(name, {})
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            raise BadRequest(f"profile.{name} must be an object of texts.")
    return cast(ProfileDoc, {"name": "", **document})


def check_inline_profile(given: Mapping[str, Any]) -> None:
    """BAD_REQUEST when a request embeds a profile that cannot be stored."""
    if is_object(given.get("profile")):
        checked_profile(given["profile"])


def _check_texts(name: str, value: JsonValue) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadRequest(f"{name} must be a list of texts.")
