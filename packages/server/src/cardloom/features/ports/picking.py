"""Which input a value that the owner sends by hand goes to, and as what. Pure.

People write `"milk"` and mean a task, so a value is first taken as what an input expects and only then converted.
"""

from __future__ import annotations

from typing import NamedTuple

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import invalid_params
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.ports import Check, PortInfo, coerce, coercion, is_port_type, pick_input
from cardloom_protocol.schema import Issue

from ...core.records import Card
from .wiring import port_of


class Picked(NamedTuple):
    """The input, the type the value was taken for, and the value as the input gets it."""

    port: PortInfo
    source_type: str
    data: JsonValue


def pick(card: Card, value: JsonValue, input_id: str | None, type_: str | None, check: Check) -> Picked:
    """The input that a value goes to. Errors: NOT_FOUND (input), INVALID_PARAMS (nothing takes it, with the place)."""
    if type_ is not None:
        return _declared(card, value, input_id, type_, check)
    inputs = [port for port in card.inputs if port.mode == "stream"]
    if input_id is not None:
        inputs = [_named(card, input_id)]
    if not inputs:
        raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name} has no input that takes values.", [])
    issues: list[Issue] = []
    for port in sorted(inputs, key=lambda port: (not port.default, port.type == "ns:any")):
        found = check(port, value)
        if not found:
            return Picked(port, port.type, coerce(port.type, port.type, value))
        issues = issues or found
    guessed = type_of(value)
    chosen = pick_input(guessed, inputs) if input_id is None else inputs[0]
    if chosen is None or coercion(guessed, chosen.type) is None:
        raise invalid_params(issues, f"input {inputs[0].id} of {card.name}")
    return _landed(card, chosen, guessed, value, check)


def type_of(value: JsonValue) -> str:
    """The well-known type that a bare value is of."""
    if isinstance(value, bool):
        return "ns:boolean"
    if isinstance(value, str):
        return "ns:text"
    if isinstance(value, int | float):
        return "ns:number"
    return "ns:trigger" if value is None else "ns:json"


def _declared(card: Card, value: JsonValue, input_id: str | None, type_: str, check: Check) -> Picked:
    if not is_port_type(type_):
        raise CallError(ErrorCode.INVALID_PARAMS, f"{type_} is no type of port.", [])
    issues = check(PortInfo("value", "Value", type_), value)
    if issues:
        raise invalid_params(issues, f"as {type_}")
    port = pick_input(type_, card.inputs) if input_id is None else _named(card, input_id)
    if port is None or coercion(type_, port.type) is None:
        where = f"input {port.id}" if port else "any input"
        raise CallError(ErrorCode.INVALID_PARAMS, f"{type_} does not fit {where} of {card.name}.", [])
    return _landed(card, port, type_, value, check)


def _landed(card: Card, port: PortInfo, type_: str, value: JsonValue, check: Check) -> Picked:
    data = coerce(type_, port.type, value)
    issues = check(port, data)
    if issues:
        raise invalid_params(issues, f"input {port.id} of {card.name}")
    return Picked(port, type_, data)


def _named(card: Card, input_id: str) -> PortInfo:
    port = port_of(card.inputs, input_id)
    if port is None:
        raise CallError(ErrorCode.NOT_FOUND, f"{card.name} has no input {input_id}.")
    return port
