"""The owner's methods for what notes, to-do lists, task boards and stickies hold. Spec: decisions 36, 39."""

from __future__ import annotations

from typing import Final

from .method_row import MethodRow
from .param_shapes import Shape, ident, integer, items, one_of, or_null, record, text

_INDEX = integer(0, 10_000)
_TASK_TEXT = text(1, 500)
_TASK_STATUS = one_of(("pending", "active", "done", "error"))
_ASSIGNEE = or_null(text(0, 128))
_COLUMN_TITLE = text(1, 64)
_LONG_TEXT = text(0, 1_000_000)
_TODO_ITEM = record(
    {"id": ident(), "text": _TASK_TEXT, "status": _TASK_STATUS}, {"column": text(0, 64), "assignee": text(0, 128)}
)
_KANBAN_TASK = record(
    {"id": ident(), "text": _TASK_TEXT, "status": _TASK_STATUS, "column": ident()}, {"assignee": text(0, 128)}
)
_KANBAN_COLUMN = record({"id": ident(), "title": _COLUMN_TITLE})
STICKY_COLORS: Final = ("yellow", "blue", "green", "rose", "violet", "grey")


def _step(do: str, required: dict[str, Shape] | None = None, optional: dict[str, Shape] | None = None) -> Shape:
    """One editing step: an object whose `do` names it."""
    return record({"do": {"const": do}, **(required or {})}, optional)


_TODO_STEP: Shape = {
    "anyOf": [
        _step("add", {"text": _TASK_TEXT}, {"status": _TASK_STATUS, "index": _INDEX}),
        _step("update", {"id": ident()}, {"text": _TASK_TEXT, "baseText": _LONG_TEXT, "status": _TASK_STATUS}),
        _step("remove", {"id": ident()}),
        _step("move", {"id": ident(), "index": _INDEX}),
        _step("clearDone"),
        _step("replace", {"items": items(_TODO_ITEM, max_items=200)}),
    ]
}
_KANBAN_STEP: Shape = {
    "anyOf": [
        _step("addTask", {"text": _TASK_TEXT}, {"column": ident(), "index": _INDEX, "assignee": _ASSIGNEE}),
        _step(
            "updateTask",
            {"id": ident()},
            {"text": _TASK_TEXT, "baseText": _LONG_TEXT, "assignee": _ASSIGNEE, "status": _TASK_STATUS},
        ),
        _step("moveTask", {"id": ident(), "column": ident(), "index": _INDEX}),
        _step("removeTask", {"id": ident()}),
        _step("addColumn", {"title": _COLUMN_TITLE}, {"index": _INDEX}),
        _step("renameColumn", {"id": ident(), "title": _COLUMN_TITLE}),
        _step("moveColumn", {"id": ident(), "index": _INDEX}),
        _step("removeColumn", {"id": ident()}),
        _step(
            "replace",
            {
                "columns": items(_KANBAN_COLUMN, min_items=1, max_items=32),
                "tasks": items(_KANBAN_TASK, max_items=200),
            },
        ),
    ]
}


def _row(name: str, params: Shape, doc: str, result: str) -> MethodRow:
    return MethodRow(name, params, "cards", doc, result, ns="cardloom", built=True)


CONTENT_ROWS: Final = (
    _row(
        "note.edit",
        record({"cardId": ident(), "baseRevision": integer(0), "text": _LONG_TEXT}),
        "Replaces a note's text, unless it changed since `baseRevision`: then nothing is written and both are given.",
        "{revision, text} or {conflict: {revision, text}}",
    ),
    _row(
        "todo.edit",
        record({"cardId": ident(), "op": _TODO_STEP}),
        "Carries out one step on a to-do list; `baseText` guards a text against a change in between.",
        "{revision, items} or {conflict: {text}}",
    ),
    _row(
        "kanban.edit",
        record({"cardId": ident(), "op": _KANBAN_STEP}),
        "Carries out one step on a task board; removing a column moves its tasks to the first other one.",
        "{revision, columns, tasks} or {conflict: {text}}",
    ),
    _row(
        "sticky.edit",
        record({"cardId": ident()}, {"title": or_null(text(0, 120)), "color": one_of(STICKY_COLORS)}),
        "Changes a sticky's words or colour.",
        "Card",
    ),
)
