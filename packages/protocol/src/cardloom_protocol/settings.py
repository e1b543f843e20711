"""The settings of a card: their defaults, and which values a card may give them itself.

Spec: manifest settings, settings values.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias, TypedDict

from .jstext import JsonValue, as_double, number_text, utf16_length
from .texts import LocalizedText

DEFAULT_MAX_LENGTH = 2000
DEFAULT_TEXT_MAX_LENGTH = 20_000

SettingType: TypeAlias = Literal["string", "text", "number", "boolean", "select", "secret", "color"]
SettingScope: TypeAlias = Literal["instance", "package"]
SettingValue: TypeAlias = str | int | float | bool

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class SettingOption(TypedDict):
    """One choice of a `select` setting."""

    value: str
    label: LocalizedText


class SettingDefinition(TypedDict):
    """One setting as the manifest declares it, under its wire names. Scope is `instance` when not given."""

    key: str
    type: SettingType
    label: LocalizedText
    description: NotRequired[LocalizedText]
    placeholder: NotRequired[LocalizedText]
    default: NotRequired[SettingValue]
    required: NotRequired[bool]
    scope: NotRequired[SettingScope]
    maxLength: NotRequired[int]
    min: NotRequired[float]
    max: NotRequired[float]
    step: NotRequired[float]
    options: NotRequired[list[SettingOption]]


@dataclass(frozen=True, slots=True)
class SettingIssue:
    """Why a value was refused; it travels as one entry of the data of INVALID_PARAMS."""

    key: str
    message: str

    def to_wire(self) -> dict[str, JsonValue]:
        """The entry `{key, message}`."""
        return {"key": self.key, "message": self.message}


def defaults(definitions: Iterable[SettingDefinition]) -> dict[str, SettingValue]:
    """Gives the declared defaults by key. Secrets have none; of two definitions of a key the later counts."""
    return {
        definition["key"]: definition["default"]
        for definition in definitions
        if definition["type"] != "secret" and "default" in definition
    }


def check_values(definitions: Iterable[SettingDefinition], values: Mapping[str, JsonValue]) -> list[SettingIssue]:
    """Lists what forbids a card to set these values, at most one issue a key, in the order of the values.

    Secrets are never settable by a card. Steps and `required` are left to the form.
    """
    by_key = {definition["key"]: definition for definition in definitions}
    issues: list[SettingIssue] = []
    for key, value in values.items():
        definition = by_key.get(key)
        fault = f"There is no setting {key!r}." if definition is None else value_fault(definition, value)
        if fault is not None:
            issues.append(SettingIssue(key, fault))
    return issues


def value_fault(definition: SettingDefinition, value: JsonValue) -> str | None:
    """Says why a setting cannot hold a value, or None when it can."""
    match definition["type"]:
        case "secret":
            return "A secret is set in the settings form alone."
        case "boolean":
            return None if isinstance(value, bool) else "The value must be true or false."
        case "number":
            return _number_fault(definition, value)
        case "select":
            return None if is_option(definition, value) else "The value must be one of the options."
        case "color":
            return None if is_color(value) else "The value must be a colour written as #rrggbb."
        case "string" | "text":
            return _text_fault(definition, value)


def range_fault(definition: SettingDefinition, number: float) -> str | None:
    """Says how a number leaves the range of its setting, or None when it does not."""
    least, most = definition.get("min"), definition.get("max")
    if least is not None and number < least:
        return f"The value must be at least {number_text(least)}."
    if most is not None and number > most:
        return f"The value must be at most {number_text(most)}."
    return None


def is_option(definition: SettingDefinition, value: object) -> bool:
    """Tells whether a value is exactly one of the options of a `select` setting."""
    return isinstance(value, str) and any(option["value"] == value for option in definition.get("options", ()))


def is_color(value: object) -> bool:
    """Tells whether a value is a colour as settings keep it, `#rrggbb` in either letter case."""
    return isinstance(value, str) and _COLOR.fullmatch(value) is not None


def is_number(value: object) -> bool:
    """Tells whether a value is a finite number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(as_double(value))


def _number_fault(definition: SettingDefinition, value: JsonValue) -> str | None:
    if not isinstance(value, int | float) or not is_number(value):
        return "The value must be a number."
    return range_fault(definition, value)


def _text_fault(definition: SettingDefinition, value: JsonValue) -> str | None:
    if not isinstance(value, str):
        return "The value must be a text."
    usual = DEFAULT_TEXT_MAX_LENGTH if definition["type"] == "text" else DEFAULT_MAX_LENGTH
    max_length = definition.get("maxLength", usual)
    if utf16_length(value) > max_length:
        return f"The text may have at most {max_length} characters."
    return None
