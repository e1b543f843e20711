"""What an output's value becomes at an input of another type: one small function a cell of the table.

A pair that is not in the table, not equal and not into `ns:any` does not connect. Nothing is validated here. Spec:
ports, conversion of types; cards behaviour, ports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ..jstext import JS_SPACE, JsonValue, js_trim, number_text, pretty_json, utf16_cut

_MAX_TASKS: Final = 200
_MAX_TASK_CHARS: Final = 500

_SPACE = f"[{re.escape(JS_SPACE)}]"
_TASK_MARK = re.compile(rf"{_SPACE}*(?:[-*+]|[0-9]+[.)]){_SPACE}+(?:\[[ xX]\]{_SPACE}+)?")
_LINE_BREAK = re.compile(r"\r?\n")


def _same(value: Any) -> JsonValue:
    same: JsonValue = value
    return same


def _fired(value: Any) -> JsonValue:
    return {}


def _scalar_as_text(value: Any) -> JsonValue:
    return _scalar(value)


def _json_as_text(value: Any) -> JsonValue:
    return pretty_json(value)


def _json_as_markdown(value: Any) -> JsonValue:
    return f"```json\n{pretty_json(value)}\n```"


def _table_as_markdown(value: Any) -> JsonValue:
    width = len(value["columns"])
    lines = [_table_line(value["columns"]), _table_line(["---"] * width)]
    for row in value["rows"]:
        cells = row[:width]
        lines.append(_table_line(cells + [None] * (width - len(cells))))
    return "\n".join(lines)


def _tasks_as_markdown(value: Any) -> JsonValue:
    return "\n".join(f"- [{'x' if task.get('status') == 'done' else ' '}] {task['text']}" for task in value)


def _task_as_tasks(value: Any) -> JsonValue:
    return [value]


def _lines_as_tasks(value: Any) -> JsonValue:
    """A task a line; bullets and check boxes go, the done state is not carried."""
    tasks: list[JsonValue] = []
    for line in _LINE_BREAK.split(value):
        mark = _TASK_MARK.match(line)
        text = js_trim(line[mark.end() :] if mark else line)
        if not text:
            continue
        tasks.append({"text": utf16_cut(text, _MAX_TASK_CHARS)})
        if len(tasks) == _MAX_TASKS:
            break
    return tasks


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    return str(value)


def _table_line(cells: list[Any]) -> str:
    texts = [_LINE_BREAK.sub(" ", _scalar(cell).replace("|", "\\|")) for cell in cells]
    return f"| {' | '.join(texts)} |"


_Cell = tuple[str, Callable[[Any], JsonValue]]

# Input type → output type → (name of the conversion, the conversion).
_TABLE: Mapping[str, Mapping[str, _Cell]] = MappingProxyType(
    {
        "ns:text": {
            "ns:markdown": ("identity", _same),
            "ns:url": ("identity", _same),
            "ns:number": ("stringify", _scalar_as_text),
            "ns:boolean": ("stringify", _scalar_as_text),
            "ns:json": ("json-text", _json_as_text),
        },
        "ns:markdown": {
            "ns:text": ("identity", _same),
            "ns:url": ("identity", _same),
            "ns:number": ("stringify", _scalar_as_text),
            "ns:json": ("json-markdown", _json_as_markdown),
            "ns:table": ("table-markdown", _table_as_markdown),
            "ns:tasks": ("tasks-markdown", _tasks_as_markdown),
        },
        "ns:tasks": {
            "ns:task": ("wrap-array", _task_as_tasks),
            "ns:text": ("lines-to-tasks", _lines_as_tasks),
            "ns:markdown": ("lines-to-tasks", _lines_as_tasks),
        },
        "ns:json": {
            "ns:table": ("identity", _same),
            "ns:tasks": ("identity", _same),
            "ns:task": ("identity", _same),
            "ns:event": ("identity", _same),
            "ns:file-ref": ("identity", _same),
            "ns:task-patch": ("identity", _same),
        },
        "ns:trigger": {
            "ns:event": ("any", _fired),
            "ns:text": ("any", _fired),
            "ns:number": ("any", _fired),
            "ns:boolean": ("any", _fired),
            "ns:json": ("any", _fired),
            "ns:trigger": ("exact", _fired),
        },
    }
)


def _cell(from_type: str, to_type: str) -> _Cell | None:
    cell = _TABLE.get(to_type, {}).get(from_type)
    if cell is not None:
        return cell
    if from_type == to_type:
        return ("exact", _same)
    if to_type == "ns:any":
        return ("any", _same)
    return None


def coercion(from_type: str, to_type: str) -> str | None:
    """The name of the conversion from an output's type to an input's, None where the two do not connect."""
    cell = _cell(from_type, to_type)
    return None if cell is None else cell[0]


def coerce(from_type: str, to_type: str, value: JsonValue) -> JsonValue:
    """The value as the input gets it; `value` itself where nothing changes.

    The value must fit the output's type. ValueError if the types do not connect: ask `coercion` first.
    """
    cell = _cell(from_type, to_type)
    if cell is None:
        raise ValueError(f"no conversion from {from_type} to {to_type}")
    return cell[1](value)


def conversions() -> dict[str, dict[str, str]]:
    """The table as names, input type → output type → conversion: what the reference pages and the page show."""
    return {to_type: {source: cell[0] for source, cell in row.items()} for to_type, row in _TABLE.items()}
