"""Checking 200 tasks: our subset checker, the accelerated one that the server uses, and two well-known validators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from cardloom.host.accelerator import check_value as accelerated_check
from cardloom_protocol.ports import PORT_TYPES, PortInfo, check_value

from .report import Goal, Table
from .sampling import Pairs, in_turns, us_a_call

GOAL = Goal("≤", 20)
ROUNDS = 11
TASKS: list[Any] = [
    {
        "text": f"checkout › pays with a saved card {index}",
        "id": f"tests/test_checkout.py::test_{index}",
        "status": "error",
    }
    for index in range(200)
]
BROKEN: list[Any] = [*TASKS[:-1], {**TASKS[-1], "status": "later"}]
PORT = PortInfo("in", "In", "ns:tasks")
TEXT = """
A list of 200 tasks against the port type `ns:tasks`. The server asks jsonschema-rs first, which may only say "valid";
everything else our own checker decides and names the place. Beside it: the plain `jsonschema` package.
"""


def measure() -> Table:
    schema: dict[str, Any] = dict(PORT_TYPES["ns:tasks"])
    plain = Draft202012Validator(schema)
    rust = jsonschema_rs.validator_for(schema)
    assert not accelerated_check(PORT, TASKS)
    assert [issue.path for issue in accelerated_check(PORT, BROKEN)] == ["/199/status"]

    def valid(work: Callable[[], object]) -> Pairs:
        return in_turns(us_a_call(work), us_a_call(lambda: plain.is_valid(TASKS)), ROUNDS, less_is_better=True)

    def broken(work: Callable[[], object]) -> Pairs:
        return in_turns(
            us_a_call(work), us_a_call(lambda: list(plain.iter_errors(BROKEN))), ROUNDS, less_is_better=True
        )

    rows = (
        valid(lambda: accelerated_check(PORT, TASKS)).row("valid, as the server checks", "µs", "jsonschema", GOAL),
        valid(lambda: check_value(PORT, TASKS)).row("valid, our checker alone", "µs", "jsonschema"),
        valid(lambda: rust.is_valid(TASKS)).row("valid, jsonschema-rs alone", "µs", "jsonschema"),
        broken(lambda: accelerated_check(PORT, BROKEN)).row("last one wrong, its place named", "µs", "jsonschema"),
    )
    return Table("Checking a value", TEXT, rows)
