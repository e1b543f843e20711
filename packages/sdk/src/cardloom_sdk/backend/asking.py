"""Which answers fit a question. Spec: session protocol, ask."""

from __future__ import annotations

from typing import cast

from cardloom_protocol.session.errors import BadRequest
from cardloom_protocol.session.events import AskAnswer
from cardloom_protocol.session.json_text import JsonObject, is_object, list_of

from .run import Ask


def checked_answer(ask: JsonObject, given: JsonObject) -> AskAnswer:
    """The answer to a question. BAD_REQUEST unless it is exactly one of the ways in which this one can be answered."""
    ways = [name for name in ("optionIds", "text", "cancelled") if name in given]
    if ways == ["cancelled"] and given["cancelled"] is True:
        return {"cancelled": True}
    match ways:
        case ["optionIds"]:
            return {"optionIds": _options(ask, [str(item) for item in list_of(given["optionIds"])])}
        case ["text"] if ask.get("kind") == "input" or ask.get("custom") is True:
            return {"text": str(given["text"])}
        case ["text"]:
            raise BadRequest("This question has no answer of one's own: choose an option.")
        case _:
            raise BadRequest("An answer is one of optionIds, text and cancelled: true.")


def answer_after_deadline(ask: Ask) -> AskAnswer:
    """What counts when nobody answered in time: the default where there is one, else giving up."""
    default = ask.get("default")
    if isinstance(default, str):
        is_option = any(option["id"] == default for option in ask.get("options", []))
        return {"optionIds": [default], "timeout": True} if is_option else {"text": default, "timeout": True}
    if isinstance(default, list):
        return {"optionIds": [str(item) for item in default], "timeout": True}
    return {"cancelled": True, "timeout": True}


def _options(ask: JsonObject, chosen: list[str]) -> list[str]:
    offered = {cast(str, option["id"]) for option in list_of(ask.get("options")) if is_object(option)}
    for option_id in chosen:
        if option_id not in offered:
            raise BadRequest(f"The question has no option {option_id!r}.")
    if ask.get("multiple") is not True and len(chosen) != 1:
        raise BadRequest("Choose exactly one option.")
    return chosen
