"""The conversion table: what every cell promises, whatever the value."""

import random
from typing import Any

import pytest

from cardloom_protocol.ports import (
    PORT_TYPES,
    PortInfo,
    check_value,
    coerce,
    coercion,
    compatible,
    conversions,
)

WORDS = [
    "",
    " ",
    "a",
    "- [x] done",
    "1. one",
    "* \u00e9\U0001f600",
    "a|b",
    "x\r\ny",
    "\u2028",
    "\ufeff",
    "\ud83d",
    "-",
    "\t- t",
]
NUMBERS = [0, -0.0, 1, 1.0, -7, 0.1, 1e21, 1e-7, 2**53, 123456789012345680000, -1e-10]
STATUSES = ["pending", "active", "done", "error"]


def some_text(rng: random.Random) -> str:
    return "\n".join(rng.choice(WORDS) for _ in range(rng.randrange(6)))


def some_task(rng: random.Random) -> dict[str, Any]:
    task: dict[str, Any] = {"text": some_text(rng) or "t"}
    if rng.random() < 0.5:
        task["status"] = rng.choice(STATUSES)
    return task


def some_json(rng: random.Random, depth: int = 3) -> Any:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([None, True, False, rng.choice(NUMBERS), some_text(rng)])
    if rng.random() < 0.5:
        return [some_json(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(WORDS): some_json(rng, depth - 1) for _ in range(rng.randrange(4))}


def some_table(rng: random.Random) -> dict[str, Any]:
    cells = [None, True, False, *NUMBERS, *WORDS]
    return {
        "columns": [rng.choice(WORDS) for _ in range(rng.randrange(5))],
        "rows": [[rng.choice(cells) for _ in range(rng.randrange(7))] for _ in range(rng.randrange(5))],
    }


def some_value(type_: str, rng: random.Random) -> Any:
    """A value that fits the type."""
    match type_:
        case "ns:any":
            return some_json(rng)
        case "ns:text" | "ns:markdown":
            return some_text(rng)
        case "ns:number":
            return rng.choice(NUMBERS)
        case "ns:boolean":
            return rng.random() < 0.5
        case "ns:json":
            return [some_json(rng)] if rng.random() < 0.5 else {"v": some_json(rng)}
        case "ns:url":
            return "https://example.org/" + str(rng.randrange(9))
        case "ns:image":
            return {"mimeType": "image/png", "data": "AA=="}
        case "ns:file-ref":
            return {"path": "a/b", "line": 1 + rng.randrange(9)}
        case "ns:task":
            return some_task(rng)
        case "ns:tasks":
            return [some_task(rng) for _ in range(rng.randrange(5))]
        case "ns:task-patch":
            return {"ref": "r", "status": rng.choice(STATUSES)}
        case "ns:table":
            return some_table(rng)
        case "ns:event":
            return {"type": "e", "data": some_json(rng)}
        case _:
            return rng.choice([None, {}])


def port(type_: str) -> PortInfo:
    return PortInfo("p", "P", type_)


@pytest.mark.parametrize("seed", range(20))
def test_a_fitting_value_still_fits_after_its_conversion(seed: int) -> None:
    rng = random.Random(seed)
    for from_type in PORT_TYPES:
        value = some_value(from_type, rng)
        assert check_value(port(from_type), value) == [], from_type
        for to_type in PORT_TYPES:
            if compatible(from_type, to_type):
                assert check_value(port(to_type), coerce(from_type, to_type, value)) == [], (from_type, to_type)


@pytest.mark.parametrize("seed", range(20))
def test_a_conversion_leaves_the_sent_value_as_it_was(seed: int) -> None:
    for from_type in PORT_TYPES:
        value, same_again = some_value(from_type, random.Random(seed)), some_value(from_type, random.Random(seed))
        for to_type in PORT_TYPES:
            if compatible(from_type, to_type):
                coerce(from_type, to_type, value)
        assert value == same_again


@pytest.mark.parametrize("seed", range(20))
def test_lines_become_at_most_two_hundred_tasks_of_five_hundred_units(seed: int) -> None:
    rng = random.Random(seed)
    text = "\n".join(rng.choice(WORDS) * rng.randrange(1, 700) for _ in range(rng.randrange(300)))
    tasks = coerce("ns:text", "ns:tasks", text)
    assert isinstance(tasks, list)
    assert len(tasks) <= 200
    for task in tasks:
        assert isinstance(task, dict)
        line = task["text"]
        assert isinstance(line, str)
        assert 1 <= len(line.encode("utf-16-le", "surrogatepass")) // 2 <= 500


@pytest.mark.parametrize("seed", range(20))
def test_a_table_has_a_line_a_row_and_as_many_cells_as_columns(seed: int) -> None:
    rng = random.Random(seed)
    table = some_table(rng)
    for column in range(len(table["columns"])):
        table["columns"][column] = f"c{column}"
    table["rows"] = [[str(number) for number in range(rng.randrange(7))] for _ in table["rows"]]
    text = coerce("ns:table", "ns:markdown", table)
    assert isinstance(text, str)
    lines = text.split("\n")
    assert len(lines) == 2 + len(table["rows"])
    width = max(1, len(table["columns"]))
    assert all(line.count("|") == width + 1 for line in lines)


def test_types_connect_exactly_where_a_conversion_is_named() -> None:
    for from_type in [*PORT_TYPES, "a/b", "ns:unknown"]:
        for to_type in [*PORT_TYPES, "a/b", "ns:unknown"]:
            assert compatible(from_type, to_type) == (coercion(from_type, to_type) is not None)


def test_a_pair_without_conversion_is_refused() -> None:
    with pytest.raises(ValueError, match="ns:image"):
        coerce("ns:image", "ns:text", {})


def test_the_published_table_names_only_known_types() -> None:
    table = conversions()
    assert set(table) <= set(PORT_TYPES)
    assert all(set(row) <= set(PORT_TYPES) for row in table.values())
    assert table["ns:tasks"] == {"ns:task": "wrap-array", "ns:text": "lines-to-tasks", "ns:markdown": "lines-to-tasks"}
