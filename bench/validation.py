"""Checking 200 tasks: our subset checker, the accelerated one that the server uses, and two well-known validators.

Goal: 20 µs with the accelerator.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from _table import median_us, print_table
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from cardloom.host.accelerator import check_value as accelerated_check
from cardloom_protocol.ports import PORT_TYPES, PortInfo, check_value

GOAL_US = 20.0
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


def main() -> None:
    schema: dict[str, Any] = dict(PORT_TYPES["ns:tasks"])
    plain = Draft202012Validator(schema)
    rust = jsonschema_rs.validator_for(schema)
    assert not accelerated_check(PORT, TASKS)
    assert [issue.path for issue in accelerated_check(PORT, BROKEN)] == ["/199/status"]
    right = (
        ("accelerated, as the server uses it", median_us(lambda: accelerated_check(PORT, TASKS))),
        ("our checker alone", median_us(lambda: check_value(PORT, TASKS))),
        ("jsonschema-rs alone", median_us(lambda: rust.is_valid(TASKS))),
        ("jsonschema", median_us(lambda: plain.is_valid(TASKS), seconds=2.0)),
    )
    wrong = (
        ("the last task wrong: accelerated, naming the place", median_us(lambda: accelerated_check(PORT, BROKEN))),
        (
            "the last task wrong: jsonschema, naming the place",
            median_us(lambda: list(plain.iter_errors(BROKEN)), seconds=2.0),
        ),
    )
    rows = []
    for group in (right, wrong):
        slowest_us = group[-1][1]
        rows += [(name, f"{us:,.1f}", f"{slowest_us / us:,.1f}×", "") for name, us in group]
    rows[0] = (*rows[0][:3], _goal(right[0][1]))
    print_table("Validation of 200 tasks (medians)", ("checker", "µs", "factor over jsonschema", "goal"), rows)


def names(plain: Draft202012Validator, value: Any) -> list[Any]:
    """What the plain validator finds wrong."""
    return list(plain.iter_errors(value))


def _goal(us: float) -> str:
    return f"≤ {GOAL_US:.0f} µs: {'yes' if us <= GOAL_US else 'no'}"


if __name__ == "__main__":
    main()
