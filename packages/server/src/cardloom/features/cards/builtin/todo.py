"""A to-do list. Content: `{items: [{id, text, status, column?, assignee?}]}`, in the order shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
_EXTRAS = ("column", "assignee")
_TOLD = ("text", "status", *_EXTRAS)


class Todo:
    """`add` adds items and takes over what it is told of those it has, `update` changes one, `items` tells all."""

    output = "items"

    def __init__(self, max_items: int = limit(_LIMIT)) -> None:
        self._max_items = max_items

    def receive(self, state: State, input_id: str, data: Any, new_id: NewId) -> State:
        match input_id:
            case "add":
                return self._added(state, data, new_id)
            case "update":
                return self._patched(state, data)
        raise no_input(input_id)

    def value(self, state: State) -> JsonValue:
        return [dict(item) for item in items_of(state)]

    def restored(self, state: State, value: Any) -> State:
        return _with(state, [dict(item) for item in value])

    def step(self, state: State, step: Mapping[str, Any], new_id: NewId) -> State | Conflict:
        """Carry out one editing step. NOT_FOUND: the item; QUOTA_EXCEEDED: the list is full."""
        items = items_of(state)
        match step["do"]:
            case "add":
                self._check_room(len(items) + 1)
                item = {"id": new_id(), "text": step["text"], "status": step.get("status", "pending")}
                items.insert(step.get("index", len(items)), item)
            case "update":
                index = index_of(items, step["id"], "item")
                conflict = text_conflict(items[index], step)
                if conflict is not None:
                    return conflict
                items[index] = {**items[index], **{name: step[name] for name in ("text", "status") if name in step}}
            case "remove":
                del items[index_of(items, step["id"], "item")]
            case "move":
                item = items.pop(index_of(items, step["id"], "item"))
                items.insert(step["index"], item)
            case "clearDone":
                items = [item for item in items if item["status"] != "done"]
            case "replace":
                check_unique(step["items"], "item")
                self._check_room(len(step["items"]))
                items = [dict(item) for item in step["items"]]
        return _with(state, items)

    def _added(self, state: State, tasks: list[Task], new_id: NewId) -> State:
        items = items_of(state)
        taken = {item["id"] for item in items}
        for task in tasks:
            place = same_task(items, task)
            if place is not None:
                items[place] = {**items[place], **{name: task[name] for name in _TOLD if name in task}}
                continue
            item = {
                "id": free_id(task.get("id"), taken, new_id),
                "text": task["text"],
                "status": task.get("status", "pending"),
            }
            items.append({**item, **{name: task[name] for name in _EXTRAS if name in task}})
        self._check_room(len(items))
        return _with(state, items)

    def _patched(self, state: State, patch: Mapping[str, Any]) -> State:
        items = items_of(state)
        index = find_task(items, patch["ref"])
        changed = {name: patch[name] for name in ("text", "status", "column") if name in patch}
        items[index] = {**items[index], **changed}
        return _with(state, items)

    def _check_room(self, count: int) -> None:
        check_room(count, _LIMIT, self._max_items, "items")


def items_of(state: State) -> list[Task]:
    """The items, as a list of one's own."""
    return list(state.content.get("items", ()))


def _with(state: State, items: list[Task]) -> State:
    return State({**state.content, "items": items}, state.title)
