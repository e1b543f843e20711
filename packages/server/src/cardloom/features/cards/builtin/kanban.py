"""A task board. Content: `{columns: [{id, title}], tasks: [{id, text, status, column, assignee?}]}`.

A task's `column` is a column's id; its place in the list orders it within the column. Outside the board columns go by
their titles, which people and other boards share. Spec: ports, built-in cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit

from .state import (
    Conflict,
    NewId,
    State,
    Task,
    check_room,
    check_unique,
    find_task,
    free_id,
    index_of,
    no_input,
    same_task,
    text_conflict,
)

_LIMIT = "todoItems"
MAX_COLUMNS = 32


class Kanban:
    """`add` adds tasks that nobody is assigned to and takes over what it is told of those it has, `update` moves or
    changes one, `tasks` tells all.
    """

    output = "tasks"

    def __init__(self, max_tasks: int = limit(_LIMIT)) -> None:
        self._max_tasks = max_tasks

    def receive(self, state: State, input_id: str, data: Any, new_id: NewId) -> State:
        match input_id:
            case "add":
                return self._added(state, data, new_id)
            case "update":
                return self._patched(state, data)
        raise no_input(input_id)

    def value(self, state: State) -> JsonValue:
        titles = {column["id"]: column["title"] for column in columns_of(state)}
        return [{**task, "column": titles[task["column"]]} for task in tasks_of(state)]

    def restored(self, state: State, value: Any) -> State:
        columns = columns_of(state)
        tasks = [{**task, "column": _column_for(columns, task.get("column"))["id"]} for task in value]
        return _with(state, columns, tasks)

    def step(self, state: State, step: Mapping[str, Any], new_id: NewId) -> State | Conflict:
        """Carry out one editing step. NOT_FOUND: task or column; QUOTA_EXCEEDED: no room; INVALID_PARAMS."""
        if step["do"].endswith("Task"):
            return self._task_step(state, step, new_id)
        columns, tasks = columns_of(state), tasks_of(state)
        match step["do"]:
            case "addColumn":
                check_room(len(columns) + 1, "columns", MAX_COLUMNS, "columns")
                columns.insert(step.get("index", len(columns)), {"id": new_id(), "title": step["title"]})
            case "renameColumn":
                index = index_of(columns, step["id"], "column")
                columns[index] = {**columns[index], "title": step["title"]}
            case "moveColumn":
                column = columns.pop(index_of(columns, step["id"], "column"))
                columns.insert(step["index"], column)
            case "removeColumn":
                del columns[index_of(columns, step["id"], "column")]
                if not columns:
                    raise CallError(ErrorCode.INVALID_PARAMS, "a board keeps at least one column", [])
                tasks = [
                    {**task, "column": columns[0]["id"]} if task["column"] == step["id"] else task for task in tasks
                ]
            case "replace":
                columns, tasks = _checked(step["columns"], step["tasks"])
        return _with(state, columns, tasks)

    def _task_step(self, state: State, step: Mapping[str, Any], new_id: NewId) -> State | Conflict:
        columns, tasks = columns_of(state), tasks_of(state)
        match step["do"]:
            case "addTask":
                self._check_room(len(tasks) + 1)
                wanted = step.get("column")
                column = columns[0] if wanted is None else columns[index_of(columns, wanted, "column")]
                task: Task = {"id": new_id(), "text": step["text"], "status": "pending", "column": column["id"]}
                _place(tasks, _assigned(task, step), step.get("index"))
            case "updateTask":
                index = index_of(tasks, step["id"], "task")
                conflict = text_conflict(tasks[index], step)
                if conflict is not None:
                    return conflict
                changed = {**tasks[index], **{name: step[name] for name in ("text", "status") if name in step}}
                tasks[index] = _assigned(changed, step)
            case "moveTask":
                column = columns[index_of(columns, step["column"], "column")]
                task = tasks.pop(index_of(tasks, step["id"], "task"))
                _place(tasks, {**task, "column": column["id"]}, step["index"])
            case "removeTask":
                del tasks[index_of(tasks, step["id"], "task")]
        return _with(state, columns, tasks)

    def _added(self, state: State, given: list[Task], new_id: NewId) -> State:
        columns, tasks = columns_of(state), tasks_of(state)
        taken = {task["id"] for task in tasks}
        for task in given:
            place = same_task(tasks, task)
            if place is not None:
                _change(tasks, place, task, _named_column(columns, task.get("column")))
                continue
            tasks.append(
                {
                    "id": free_id(task.get("id"), taken, new_id),
                    "text": task["text"],
                    "status": task.get("status", "pending"),
                    "column": _column_for(columns, task.get("column"))["id"],
                }
            )
        self._check_room(len(tasks))
        return _with(state, columns, tasks)

    def _patched(self, state: State, patch: Mapping[str, Any]) -> State:
        columns, tasks = columns_of(state), tasks_of(state)
        index = find_task(tasks, patch["ref"])
        column = _named_column(columns, patch.get("column"))
        if column is None and "column" in patch:
            known = ", ".join(repr(column["title"]) for column in columns)
            message = f"there is no column {patch['column']!r}; there are {known}"
            issue: JsonValue = {"path": "/column", "keyword": "column", "message": message}
            raise CallError(ErrorCode.INVALID_PARAMS, message, [issue])
        _change(tasks, index, patch, column)
        return _with(state, columns, tasks)

    def _check_room(self, count: int) -> None:
        check_room(count, _LIMIT, self._max_tasks, "tasks")


def columns_of(state: State) -> list[Task]:
    """The columns, as a list of one's own."""
    return list(state.content["columns"])


def tasks_of(state: State) -> list[Task]:
    """The tasks, as a list of one's own."""
    return list(state.content["tasks"])


def _with(state: State, columns: list[Task], tasks: list[Task]) -> State:
    return State({**state.content, "columns": columns, "tasks": tasks}, state.title)


def _named_column(columns: list[Task], name: str | None) -> Task | None:
    for field in ("id", "title"):
        for column in columns:
            if column[field] == name:
                return column
    return None


def _column_for(columns: list[Task], name: str | None) -> Task:
    return _named_column(columns, name) or columns[0]


def _change(tasks: list[Task], index: int, told: Mapping[str, Any], column: Task | None) -> None:
    """Take over what is told of a task; it comes last in another column."""
    task = {**tasks[index], **{name: told[name] for name in ("text", "status") if name in told}}
    if column is None or column["id"] == task["column"]:
        tasks[index] = task
    else:
        del tasks[index]
        tasks.append({**task, "column": column["id"]})


def _assigned(task: Task, step: Mapping[str, Any]) -> Task:
    if "assignee" not in step:
        return task
    rest = {name: value for name, value in task.items() if name != "assignee"}
    return {**rest, "assignee": step["assignee"]} if step["assignee"] else rest


def _place(tasks: list[Task], task: Task, index: int | None) -> None:
    """Insert a task as the `index`-th of its column, last where there is no index."""
    places = [place for place, other in enumerate(tasks) if other["column"] == task["column"]]
    if index is None or index >= len(places):
        tasks.append(task)
    else:
        tasks.insert(places[index], task)


def _checked(columns: list[Task], tasks: list[Task]) -> tuple[list[Task], list[Task]]:
    check_unique(columns, "column")
    check_unique(tasks, "task")
    known = {column["id"] for column in columns}
    for task in tasks:
        if task["column"] not in known:
            raise CallError(ErrorCode.INVALID_PARAMS, f"task {task['id']!r} is in no column of the board", [])
    return [dict(column) for column in columns], [dict(task) for task in tasks]
