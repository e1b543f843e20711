"""What a benchmark says: rows with a median, what stands beside it, and a goal that was met or not.

A table survives a JSON file unchanged, so that the page of results can be written again without measuring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

_HEAD = ("what", "median", "beside it", "ratio", "goal", "met")


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on a row's value or on its ratio to what stands beside it."""

    sign: Literal["≥", "≤"]
    bound: float
    of: Literal["value", "ratio"] = "value"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing. `ratio` is above 1 where ours is better than what stands beside it.

    `beside_value` is in the same unit as `value`.
    """

    what: str
    value: float
    unit: str
    beside: str = ""
    beside_value: float | None = None
    ratio: float | None = None
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal was met; None where there is none."""
        if self.goal is None:
            return None
        measured = self.value if self.goal.of == "value" else self.ratio
        if measured is None:
            return False
        return measured >= self.goal.bound if self.goal.sign == "≥" else measured <= self.goal.bound


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one benchmark, what they mean, and when and under which load they were measured."""

    title: str
    text: str
    rows: Sequence[Row]
    at: str = ""
    seconds: float = 0.0
    load: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(replace(self, rows=())), "rows": [asdict(row) for row in self.rows]}


def table_from_json(raw: Mapping[str, Any]) -> Table:
    """Give the table that `to_json` wrote."""
    rows = [Row(**{**row, "goal": None if row["goal"] is None else Goal(**row["goal"])}) for row in raw["rows"]]
    return Table(**{**raw, "rows": rows})


def missed(tables: Sequence[Table]) -> list[str]:
    """Every goal that was not met, as one line each."""
    return [
        f"{table.title}: {row.what}: {_measured(row)}, the goal is {_goal(row)}"
        for table in tables
        for row in table.rows
        if row.met is False
    ]


def markdown(table: Table) -> str:
    """One section of Markdown: heading, meaning, rows."""
    lines = [_line(_HEAD), "| --- | ---: | --- | ---: | --- | --- |"]
    lines += [_line(_cells(row)) for row in table.rows]
    measured = f"Measured {table.at} in {table.seconds:.0f} s, at a load of {table.load:.1f}."
    return "\n".join((f"## {table.title}", "", table.text.strip(), "", *lines, "", measured, ""))


def _cells(row: Row) -> tuple[str, ...]:
    beside = row.beside if row.beside_value is None else f"{row.beside}: {_number(row.beside_value)} {row.unit}"
    ratio = "" if row.ratio is None else _number(row.ratio)
    met = {True: "yes", False: "**no**", None: ""}[row.met]
    return (row.what, f"{_number(row.value)} {row.unit}", beside, ratio, _goal(row), met)


def _measured(row: Row) -> str:
    if row.goal is not None and row.goal.of == "ratio":
        return "no ratio" if row.ratio is None else f"a ratio of {_number(row.ratio)}"
    return f"{_number(row.value)} {row.unit}"


def _goal(row: Row) -> str:
    if row.goal is None:
        return ""
    bound = f"{row.goal.bound:,.10g}"
    return f"{row.goal.sign} {bound} {row.unit}" if row.goal.of == "value" else f"ratio {row.goal.sign} {bound}"


def _number(value: float) -> str:
    """Three significant digits, or whole numbers where there are more."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
