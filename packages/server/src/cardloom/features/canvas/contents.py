"""What the built-in kinds of card hold: checked when it comes from outside, made fresh where nothing is given.

Pure: new ids come from a function handed in. Spec: decisions 41, 43; the shapes are those of the editing methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import issues_to_wire
from cardloom_protocol.limits import limit
from cardloom_protocol.methods_canvas_agents import AGENT_HARNESSES
from cardloom_protocol.methods_canvas_content import STICKY_COLORS
from cardloom_protocol.param_shapes import Shape, boolean, ident, items, one_of, or_null, record, text
from cardloom_protocol.schema import CompiledSchema, compile_schema

NewId = Callable[[], str]
Content = dict[str, Any]

CHAT_FIELDS: Final = ("backend", "sessionId", "profile")
SHELLS: Final = tuple(harness.id for harness in HARNESSES.values() if harness.kind == "shell")
_STATUS: Final = one_of(("pending", "active", "done", "error"))
_TASK_TEXT: Final = text(1, 500)
_ASSIGNEE: Final = text(0, 128)
_ITEM: Final = record(
    {"text": _TASK_TEXT}, {"id": ident(), "status": _STATUS, "column": text(0, 64), "assignee": _ASSIGNEE}
)
_TASK: Final = record(
    {"text": _TASK_TEXT, "column": ident()}, {"id": ident(), "status": _STATUS, "assignee": _ASSIGNEE}
)
_COLUMN: Final = record({"title": text(1, 64)}, {"id": ident()})

_SHAPES: Final[Mapping[str, Shape]] = {
    "note": record({}, {"text": text(0, 1_000_000)}),
    "todo": record({}, {"items": items(_ITEM, max_items=limit("todoItems"))}),
    "kanban": record(
        {},
        {"columns": items(_COLUMN, min_items=1, max_items=32), "tasks": items(_TASK, max_items=limit("todoItems"))},
    ),
    "sticky": record({}, {"color": one_of(STICKY_COLORS)}),
    "terminal": record({}, {"shell": one_of(SHELLS), "cwd": or_null(text(1, 4096))}),
    "chat": record({}, {name: or_null(text(1, 200)) for name in CHAT_FIELDS}),
    "agent": record(
        {"harness": one_of(AGENT_HARNESSES)},
        {
            "model": or_null(text(1, 200)),
            "folder": or_null(text(1, 4096)),
            "dangerous": boolean(),
            "arguments": items(text(0, 4096), max_items=64),
            "worktree": or_null(record({"branch": text(1, 200), "path": text(1, 4096)})),
        },
    ),
    "budget": record({}),
}
_VALIDATORS: Final[Mapping[str, CompiledSchema]] = MappingProxyType(
    {kind: compile_schema(shape) for kind, shape in _SHAPES.items()}
)
_FIRST_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "en": ("To do", "In progress", "Done"),
        "ru": ("К выполнению", "В работе", "Готово"),
        "zh": ("待办", "进行中", "已完成"),
    }
)


def first_content(
    kind: str, given: Mapping[str, Any], new_id: NewId, *, language: str = "en", shell: str = "shell-bash"
) -> Content:
    """The content a new built-in card starts with. INVALID_PARAMS with the places where `given` does not fit."""
    issues = _VALIDATORS[kind].check(dict(given), max_issues=limit("paramsIssues"))
    if issues:
        where = f"content{issues[0].path}"
        raise CallError(ErrorCode.INVALID_PARAMS, f"{where}: {issues[0].message}", issues_to_wire(issues))
    match kind:
        case "note":
            return {"text": given.get("text", "")}
        case "todo":
            return {"items": _with_ids(given.get("items", ()), new_id)}
        case "kanban":
            return _board(given, new_id, language)
        case "sticky":
            return {"color": given.get("color", "yellow")}
        case "chat":
            return {name: given.get(name) for name in CHAT_FIELDS}
        case "agent":
            return _agent(given)
        case "budget":
            return {}
        case _:
            return {"shell": given.get("shell", shell), "cwd": given.get("cwd")}


def copied_content(kind: str, content: Mapping[str, Any], new_id: NewId) -> Content:
    """The content of a card's copy: the same, with ids of its own inside."""
    match kind:
        case "todo":
            return {"items": [{**item, "id": new_id()} for item in content.get("items", ())]}
        case "kanban":
            ids = {column["id"]: new_id() for column in content["columns"]}
            return {
                "columns": [{**column, "id": ids[column["id"]]} for column in content["columns"]],
                "tasks": [{**task, "id": new_id(), "column": ids[task["column"]]} for task in content["tasks"]],
            }
        case "agent":
            return _agent(content)
        case "chat":
            return {**content, "sessionId": None}  # two cards in one session would both answer for it
        case _:
            return dict(content)


def _agent(given: Mapping[str, Any]) -> Content:
    """An agent that was never started: what it is told to be, in the workspace's folder, without any session."""
    return {
        "harness": given["harness"],
        "model": given.get("model"),
        "folder": given.get("folder"),
        "dangerous": given.get("dangerous", False),
        "arguments": list(given.get("arguments", ())),
        "worktree": given.get("worktree"),
        "sessionId": None,
        "sessionIds": [],
        "wanted": False,
    }


def _with_ids(entries: Any, new_id: NewId) -> list[dict[str, Any]]:
    """Entries with an id and a status each; an id that came twice is given anew."""
    seen: set[str] = set()
    result = []
    for entry in entries:
        entry_id = entry.get("id")
        if entry_id is None or entry_id in seen:
            entry_id = new_id()
        seen.add(entry_id)
        result.append({**entry, "id": entry_id, "status": entry.get("status", "pending")})
    return result


def _board(given: Mapping[str, Any], new_id: NewId, language: str) -> Content:
    if "columns" in given:
        seen: set[str] = set()
        columns = []
        for column in given["columns"]:
            column_id = column.get("id")
            if column_id is None or column_id in seen:
                column_id = new_id()
            seen.add(column_id)
            columns.append({"id": column_id, "title": column["title"]})
    else:
        columns = [{"id": new_id(), "title": title} for title in _FIRST_COLUMNS.get(language, _FIRST_COLUMNS["en"])]
    known = {column["id"] for column in columns}
    tasks = _with_ids(given.get("tasks", ()), new_id)
    for index, task in enumerate(tasks):
        if task["column"] not in known:
            place = f"/tasks/{index}/column"
            raise CallError(
                ErrorCode.INVALID_PARAMS,
                f"content{place}: there is no column {task['column']!r}",
                [{"path": place, "keyword": "enum", "message": "must name one of the columns"}],
            )
    return {"columns": columns, "tasks": tasks}
