"""The rules of a card's settings: which value holds, what is missing, what the form shows. No time, no disk.

Spec: cards, settings; cards behaviour, settings values; decision 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosts import header_allowed
from cardloom_protocol.jstext import JsonValue, utf16_length
from cardloom_protocol.limits import limit
from cardloom_protocol.settings import (
    SettingDefinition,
    SettingIssue,
    SettingScope,
    SettingValue,
    check_values,
    value_fault,
)
from cardloom_protocol.texts import localized

_NUMBERS = ("maxLength", "min", "max", "step")


def scope_of(definition: SettingDefinition) -> SettingScope:
    """Where a setting is kept: with the card unless the manifest says with the package."""
    return definition.get("scope", "instance")


def effective(definition: SettingDefinition, stored: SettingValue | None) -> SettingValue | None:
    """The value that holds: what was set while it fits the manifest, else the default, else None."""
    if definition["type"] == "secret":
        return None
    if stored is not None and value_fault(definition, stored) is None:
        return stored
    return definition.get("default")


def missing(
    definitions: Iterable[SettingDefinition], values: Mapping[str, Any], secrets: Mapping[str, bool]
) -> list[str]:
    """The keys of required settings without a value; an empty text is none."""
    return [
        definition["key"]
        for definition in definitions
        if definition.get("required")
        and (
            not secrets.get(definition["key"])
            if definition["type"] == "secret"
            else values.get(definition["key"]) in (None, "")
        )
    ]


def check_cards_values(definitions: Iterable[SettingDefinition], values: Mapping[str, JsonValue]) -> None:
    """INVALID_PARAMS with `[{key, message}]` for what a card may not set."""
    _refuse(check_values(definitions, values))


def check_form(
    definitions: Iterable[SettingDefinition], values: Mapping[str, JsonValue], secrets: Mapping[str, str | None]
) -> None:
    """INVALID_PARAMS with `[{key, message}]` for what the owner may not set."""
    by_key = {definition["key"]: definition for definition in definitions}
    given = {key: value for key, value in values.items() if value is not None or key not in by_key}
    issues = check_values(by_key.values(), given)
    for key, text in secrets.items():
        definition = by_key.get(key)
        if definition is None or definition["type"] != "secret":
            issues.append(SettingIssue(key, f"There is no secret {key!r}."))
        elif text is not None and (fault := _secret_fault(definition, text)):
            issues.append(SettingIssue(key, fault))
    _refuse(issues)


def form(definitions: Iterable[SettingDefinition], language: str) -> list[dict[str, Any]]:
    """The fields of a settings form, their texts in a language."""
    return [_field(definition, language) for definition in definitions]


def _field(definition: SettingDefinition, language: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "key": definition["key"],
        "type": definition["type"],
        "label": localized(definition["label"], language),
        "required": definition.get("required", False),
        "scope": scope_of(definition),
    }
    for name, text in (
        ("description", localized(definition.get("description"), language)),
        ("placeholder", localized(definition.get("placeholder"), language)),
    ):
        if text:
            field[name] = text
    if "default" in definition:
        field["default"] = definition["default"]
    field |= {name: definition[name] for name in _NUMBERS if name in definition}  # type: ignore[literal-required]
    if "options" in definition:
        field["options"] = [
            {"value": option["value"], "label": localized(option["label"], language)}
            for option in definition["options"]
        ]
    return field


def _secret_fault(definition: SettingDefinition, text: str) -> str | None:
    """A secret goes into header values alone, so it must be able to stand in one."""
    most = min(definition.get("maxLength", limit("secretChars")), limit("secretChars"))
    if utf16_length(text) > most:
        return f"The text may have at most {most} characters."
    if not header_allowed("x", text):
        return "The text may not have line breaks."
    return None


def _refuse(issues: list[SettingIssue]) -> None:
    if issues:
        first = issues[0]
        data: list[JsonValue] = [issue.to_wire() for issue in issues]
        raise CallError(ErrorCode.INVALID_PARAMS, f"{first.key}: {first.message}", data)
