"""The built-in tools that belong to a kind of card: notes, lists, boards, terminals, agents.

Each reads the canvas, or makes calls in the agent's name. Their names are those that cards must not take. Spec: cards,
tools for agents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

from ...core.ids import new_item_id
from ...core.records import Card
from ...features.cards.builtin.note import appended
from .desk import Desk

Work: TypeAlias = Callable[[Desk, Card, dict[str, Any]], Awaitable[object]]
"""Does a tool's work on a card. A text is answered as it is, anything else as JSON, None as a plain OK."""

_TEXT: Final = {"type": "string"}
_STATUS: Final = {"type": "string", "enum": ["pending", "active", "done", "error"]}
_APPENDING_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One tool of a kind of card. `needed` are the arguments without which it does nothing."""

    kind: str
    description: str
    work: Work
    properties: Mapping[str, Any]
    needed: tuple[str, ...] = ()
    read_only: bool = False

    def schema(self) -> dict[str, Any]:
        return schema_of(self.properties, self.needed)


def schema_of(properties: Mapping[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(needed),
        "additionalProperties": False,
    }


async def _note_read(_desk: Desk, card: Card, _args: dict[str, Any]) -> object:
    return str(card.content.get("text", ""))


async def _note_write(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    await _edit_note(desk, card, args["text"])
    return None


async def _note_append(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    for _ in range(_APPENDING_TRIES):
        now = desk.graph.card(card.id)
        if await _edited(desk, now, appended(str(now.content.get("text", "")), args["text"])):
            return None
    raise CallError(ErrorCode.BUSY, "the note changes all the time; try again")


async def _edit_note(desk: Desk, card: Card, text: str) -> None:
    if not await _edited(desk, card, text):
        raise CallError(ErrorCode.BUSY, "the note changed meanwhile; read it again before you write")


async def _edited(desk: Desk, card: Card, text: str) -> bool:
    answer = await desk.call("note.edit", cardId=card.id, baseRevision=card.revision, text=text)
    return "conflict" not in answer


async def _todo_read(_desk: Desk, card: Card, _args: dict[str, Any]) -> object:
    return {"items": card.content.get("items", [])}


async def _todo_add(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("todo.edit", cardId=card.id, op={"do": "add", **args})


async def _todo_set(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("todo.edit", cardId=card.id, op={"do": "update", **args})


async def _todo_write(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    items = [{"status": "pending", "id": new_item_id(), **item} for item in args["items"]]
    return await desk.call("todo.edit", cardId=card.id, op={"do": "replace", "items": items})


async def _todo_remove(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("todo.edit", cardId=card.id, op={"do": "remove", **args})


async def _kanban_read(_desk: Desk, card: Card, _args: dict[str, Any]) -> object:
    return {"columns": card.content.get("columns", []), "tasks": card.content.get("tasks", [])}


async def _kanban_add(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    op: dict[str, Any] = {"do": "addTask", "text": args["text"]}
    if "column" in args:
        op["column"] = _column(card.content.get("columns", ()), args["column"])
    return await desk.call("kanban.edit", cardId=card.id, op=op)


async def _kanban_move(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    column = _column(card.content.get("columns", ()), args["column"])
    op = {"do": "moveTask", "id": args["id"], "column": column, "index": args.get("index", 10_000)}
    return await desk.call("kanban.edit", cardId=card.id, op=op)


async def _kanban_write(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    known = {column["title"]: column for column in card.content.get("columns", ())}
    titles = args.get("columns", list(known))
    columns = [known.get(title) or {"id": new_item_id(), "title": title} for title in titles]
    tasks = [
        {"status": "pending", "id": new_item_id(), **task, "column": _column(columns, task["column"])}
        for task in args["tasks"]
    ]
    op = {"do": "replace", "columns": columns, "tasks": tasks}
    return await desk.call("kanban.edit", cardId=card.id, op=op)


async def _kanban_remove(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("kanban.edit", cardId=card.id, op={"do": "removeTask", **args})


def _column(columns: Any, named: str) -> str:
    """The id of a column by its id or title. NOT_FOUND lists the titles."""
    for column in columns:
        if named in (column["id"], column["title"]):
            return str(column["id"])
    titles = ", ".join(repr(column["title"]) for column in columns)
    raise CallError(ErrorCode.NOT_FOUND, f"there is no column {named!r}; there are: {titles}")


async def _terminal_run(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("terminals.run", agentId=card.id, **args)


async def _terminal_read(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return (await desk.call("agents.readScreen", agentId=card.id, **args))["text"]


async def _terminal_send_keys(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await desk.call("terminals.write", agentId=card.id, **args)


async def _agent_read(desk: Desk, card: Card, _args: dict[str, Any]) -> object:
    return await _asked(desk, "agents.lastReply", card)


async def _agent_send(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    return await _asked(desk, "agents.prompt", card, **args)


async def _asked(desk: Desk, method: str, card: Card, **params: Any) -> object:
    """Ask an agent. UNAVAILABLE where this server cannot speak to agents."""
    try:
        return await desk.call(method, agentId=card.id, **params)
    except CallError as error:
        if error.code is not ErrorCode.METHOD_NOT_FOUND:
            raise
        raise CallError(ErrorCode.UNAVAILABLE, f"this server cannot do that with {card.name!r}") from error


async def _agent_wait(desk: Desk, card: Card, args: dict[str, Any]) -> object:
    changed = asyncio.Event()
    forget = desk.hall.directory.listen(lambda _change: changed.set())
    timeout_ms = args.get("timeoutMs", limit("toolMaxTimeoutMs"))
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            while (status := desk.hall.directory.get(card.id).status) is AgentStatus.WORKING:
                changed.clear()
                await changed.wait()
        return {"status": status.value}
    except TimeoutError:
        raise CallError(ErrorCode.TIMEOUT, f"{card.name!r} still works after {timeout_ms} ms") from None
    finally:
        forget()


_ID: Final = {"type": "string", "description": "An id as the reading tool gives it."}
_TODO_ITEM: Final = {"type": "object", "properties": {"text": _TEXT, "status": _STATUS}, "required": ["text"]}
_TASK: Final = {
    "type": "object",
    "properties": {"text": _TEXT, "status": _STATUS, "column": _TEXT},
    "required": ["text", "column"],
}
_COLUMN: Final = {"type": "string", "description": "A column by its title or id."}
_LINES: Final = {"type": "integer", "minimum": 1, "description": "How many lines from the end."}
_TIMEOUT: Final = {"type": "integer", "minimum": 1000, "maximum": limit("toolMaxTimeoutMs")}

BUILT_INS: Final[Mapping[str, BuiltIn]] = {
    "note_read": BuiltIn("note", "Reads a joined note.", _note_read, {}, read_only=True),
    "note_write": BuiltIn("note", "Replaces the whole text of a joined note.", _note_write, {"text": _TEXT}, ("text",)),
    "note_append": BuiltIn(
        "note", "Adds a paragraph at the end of a joined note.", _note_append, {"text": _TEXT}, ("text",)
    ),
    "todo_read": BuiltIn("todo", "Reads a joined to-do list with its items' ids.", _todo_read, {}, read_only=True),
    "todo_add": BuiltIn(
        "todo", "Adds an item to a joined to-do list.", _todo_add, {"text": _TEXT, "status": _STATUS}, ("text",)
    ),
    "todo_set": BuiltIn(
        "todo",
        "Changes the text or the status of one item.",
        _todo_set,
        {"id": _ID, "text": _TEXT, "status": _STATUS},
        ("id",),
    ),
    "todo_write": BuiltIn(
        "todo", "Replaces all items.", _todo_write, {"items": {"type": "array", "items": _TODO_ITEM}}, ("items",)
    ),
    "todo_remove": BuiltIn("todo", "Removes one item.", _todo_remove, {"id": _ID}, ("id",)),
    "kanban_read": BuiltIn(
        "kanban", "Reads a joined task board: its columns and tasks with their ids.", _kanban_read, {}, read_only=True
    ),
    "kanban_add": BuiltIn(
        "kanban",
        "Adds a task, to the first column unless told.",
        _kanban_add,
        {"text": _TEXT, "column": _COLUMN},
        ("text",),
    ),
    "kanban_move": BuiltIn(
        "kanban",
        "Moves a task to a column, to its end unless told.",
        _kanban_move,
        {"id": _ID, "column": _COLUMN, "index": {"type": "integer", "minimum": 0}},
        ("id", "column"),
    ),
    "kanban_write": BuiltIn(
        "kanban",
        "Replaces all tasks, and the columns where titles are given.",
        _kanban_write,
        {"columns": {"type": "array", "items": _TEXT}, "tasks": {"type": "array", "items": _TASK}},
        ("tasks",),
    ),
    "kanban_remove": BuiltIn("kanban", "Removes one task.", _kanban_remove, {"id": _ID}, ("id",)),
    "terminal_run": BuiltIn(
        "terminal",
        "Runs one command in a joined terminal and waits for its end.",
        _terminal_run,
        {"command": _TEXT, "timeoutMs": {"type": "integer", "minimum": 1}},
        ("command",),
    ),
    "terminal_read": BuiltIn(
        "terminal", "Reads the screen of a joined terminal.", _terminal_read, {"lines": _LINES}, read_only=True
    ),
    "terminal_send_keys": BuiltIn(
        "terminal",
        "Types text into a joined terminal, and Enter after it with `submit`.",
        _terminal_send_keys,
        {"text": _TEXT, "submit": {"type": "boolean"}},
        ("text",),
    ),
    "agent_read": BuiltIn("agent", "Reads the last reply of a joined agent.", _agent_read, {}, read_only=True),
    "agent_send": BuiltIn("agent", "Sends a prompt to a joined agent.", _agent_send, {"text": _TEXT}, ("text",)),
    "agent_wait": BuiltIn(
        "agent",
        "Waits until a joined agent does not work any more, and tells its status.",
        _agent_wait,
        {"timeoutMs": _TIMEOUT},
        read_only=True,
    ),
}
"""The tools by name. `kind` is the card's kind; `agent` means any terminal in which an AI agent runs."""
