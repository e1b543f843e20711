"""The editing methods of built-in cards. Parameters fit their schemas here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....core.call import Call, Handler, Result
from ....core.graph import Graph
from ....core.ids import new_item_id
from ....core.records import Card
from .kanban import Kanban
from .note import text_of, written
from .service import BuiltinCards
from .state import Conflict, State
from .sticky import edited
from .todo import Todo

_TODO, _KANBAN = Todo(), Kanban()


def handlers(cards: BuiltinCards, graph: Graph) -> Mapping[str, Handler]:
    """The handlers by method name."""

    async def note(call: Call) -> Result:
        base, text = call.params["baseRevision"], call.params["text"]
        card_id = call.params["cardId"]

        def step(state: State) -> State | Conflict:
            now = graph.card(card_id)
            if now.revision != base and text_of(state) != text:
                return Conflict({"revision": now.revision, "text": text_of(state)})
            return written(state, text)

        return _answer(await cards.edit(card_id, "note", step, call.by_page), ("text",))

    async def todo(call: Call) -> Result:
        op = call.params["op"]
        found = await cards.edit(
            call.params["cardId"], "todo", lambda state: _TODO.step(state, op, new_item_id), call.by_page
        )
        return _answer(found, ("items",))

    async def kanban(call: Call) -> Result:
        op = call.params["op"]
        found = await cards.edit(
            call.params["cardId"], "kanban", lambda state: _KANBAN.step(state, op, new_item_id), call.by_page
        )
        return _answer(found, ("columns", "tasks"))

    async def sticky(call: Call) -> Result:
        given = call.params
        found = await cards.edit(given["cardId"], "sticky", lambda state: edited(state, given), call.by_page)
        return found.to_wire() if isinstance(found, Card) else None

    return {"note.edit": note, "todo.edit": todo, "kanban.edit": kanban, "sticky.edit": sticky}


def _answer(found: Card | Conflict, names: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(found, Conflict):
        return {"conflict": dict(found.theirs)}
    return {"revision": found.revision, **{name: found.content.get(name) for name in names}}
