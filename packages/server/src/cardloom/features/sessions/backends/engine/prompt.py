"""The system prompt of a run: the environment's or the profile's, what the session puts around it, and skills.

Spec: session protocol, session meta document (`prompt`) and profiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.profiles import ProfileDoc

ENVIRONMENT: Final = (
    "You help a person in their workspace. Use the tools that you are given when they serve the task, "
    "and say plainly what you did and what you could not do."
)
_NUMBERS: Final = {"temperature": "temperature", "topP": "top_p"}


def system_prompt(profile: ProfileDoc | None, document: JsonObject, skills: Sequence[str]) -> str:
    """The whole prompt. In mode `replace` the session's `pre` stands in place of the environment's where it has one."""
    prompt = object_of(document.get("prompt"))
    pre, post = text_of(prompt.get("pre")), text_of(prompt.get("post"))
    own = ENVIRONMENT if profile is None else profile.get("systemPrompt", ENVIRONMENT)
    if prompt.get("mode") == "replace" and pre:
        own = ""
    return "\n\n".join(piece for piece in (pre, own, *skills, post) if piece)


def request_extras(profile: ProfileDoc | None) -> dict[str, JsonValue]:
    """What a profile's other attributes say about a request; what is no number is left out."""
    found: dict[str, JsonValue] = {}
    for name, text in (profile.get("extra") or {} if profile is not None else {}).items():
        field = _NUMBERS.get(name)
        if field is not None:
            try:
                found[field] = float(text)
            except ValueError:
                continue
    return found
