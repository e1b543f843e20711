"""The methods of the ports feature: the cards' own and the owner's. Parameters fit their schemas here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import WorkspaceId

from ...core.call import Call, Cause, Handler, Result
from ...core.graph import Graph
from ...core.records import Change, PutArrow
from ...host.wire_json import loads
from .journal_reading import Filter
from .model import OWNER
from .questions import Questions
from .replay import Range, Replays
from .service import PortsService
from .store import PortsStore

Commit: TypeAlias = Callable[[WorkspaceId, Callable[[Graph], Sequence[Change]], str | None], Awaitable[None]]

_LISTED = 50


def handlers(
    ports: PortsService, questions: Questions, store: PortsStore, graph: Graph, commit: Commit, replays: Replays
) -> Mapping[str, Handler]:
    """The handlers by method name."""
    return {
        **_of_cards(ports, questions),
        **_of_owner(ports, graph, commit, store),
        **_of_journal(store, graph, replays),
    }


def _of_cards(ports: PortsService, questions: Questions) -> dict[str, Handler]:
    def cause_of(call: Call) -> Cause | None:
        return ports.post.cause_of(call.card_id)

    async def describe(call: Call) -> Result:
        return ports.describe(call.card_id)

    async def peers(call: Call) -> Result:
        return [peer.to_wire() for peer in ports.peers(call.card_id)]

    async def emit(call: Call) -> Result:
        given = call.params
        delivered = await ports.emit(call.card_id, given["port"], given["data"], cause_of(call), rated=True)
        return {"delivered": delivered}

    async def send(call: Call) -> Result:
        given = call.params
        delivered, _ = await ports.send(
            call.card_id, given["port"], given["data"], given["to"], given.get("input"), cause_of(call), rated=True
        )
        return {"delivered": delivered}

    async def request(call: Call) -> Result:
        given = call.params
        answer = await questions.request(
            call.card_id, given["to"], given["input"], given["data"], given.get("timeoutMs"), cause_of(call)
        )
        return {"data": answer}

    async def respond(call: Call) -> Result:
        given = call.params
        questions.respond(call.card_id, given["requestId"], given.get("data"), given.get("error"))

    async def read(call: Call) -> Result:
        return await ports.read(call.card_id, call.params["from"], call.params["port"])

    return {
        "ports.describe": describe,
        "ports.peers": peers,
        "ports.emit": emit,
        "ports.send": send,
        "ports.request": request,
        "ports.respond": respond,
        "ports.read": read,
    }


def _of_owner(ports: PortsService, graph: Graph, commit: Commit, store: PortsStore) -> dict[str, Handler]:
    async def deliver(call: Call) -> Result:
        given = call.params
        delivered, outcome = await ports.deliver(given["to"], given["data"], given.get("input"), given.get("type"))
        return {"delivered": delivered, "outcome": outcome}

    async def set_paused(call: Call, *, paused: bool) -> Result:
        arrow = graph.arrow(call.params["arrowId"])

        def make(now: Graph) -> list[Change]:
            found = now.arrow(arrow.id)
            return [] if found.paused == paused else [PutArrow(replace(found, paused=paused))]

        await commit(arrow.workspace_id, make, call.by_page)
        return graph.arrow(arrow.id).to_wire()

    async def pause(call: Call) -> Result:
        return await set_paused(call, paused=True)

    async def resume(call: Call) -> Result:
        return await set_paused(call, paused=False)

    async def resend(call: Call) -> Result:
        arrow = graph.arrow(call.params["arrowId"])
        if arrow.pending:
            raise CallError(ErrorCode.NOT_CONNECTED, "this arrow waits to be confirmed and carries nothing")
        entry_id = call.params.get("entryId") or store.journal.last_kept_on(arrow.id)
        entry = None if entry_id is None else store.journal.entry(entry_id)
        if entry is None or entry.arrow_id != arrow.id or entry.from_card == OWNER or entry.output is None:
            raise CallError(ErrorCode.NOT_FOUND, "the journal holds no such value of this arrow")
        body = store.journal.body(entry.id)
        if body is None or body.text is None:
            raise CallError(ErrorCode.NOT_FOUND, "the value was too large for the journal to keep")
        delivered, outcome = await ports.resend(entry, loads(body.text))
        return {"delivered": delivered, "outcome": outcome}

    return {"ports.deliver": deliver, "arrow.pause": pause, "arrow.resume": resume, "arrow.resend": resend}


def _of_journal(store: PortsStore, graph: Graph, replays: Replays) -> dict[str, Handler]:
    async def list_(call: Call) -> Result:
        given = call.params
        home = graph.workspace(given["workspaceId"]).id
        count = given.get("limit", _LISTED)
        asked = Filter(home, given.get("arrowId"), given.get("cardId"), given.get("beforeId"))
        found = store.journal.listed(asked, count + 1)
        return {"entries": [listed.to_wire() for listed in found[:count]], "more": len(found) > count}

    async def body(call: Call) -> Result:
        found = store.journal.body(call.params["entryId"])
        if found is None:
            raise CallError(ErrorCode.NOT_FOUND, f"the journal has no entry {call.params['entryId']}")
        return found.to_wire(None if found.text is None else loads(found.text))

    async def replay(call: Call) -> Result:
        given = call.params
        asked = Range(given.get("fromId"), given.get("toId"), given.get("fromMs"), given.get("toMs"))
        return (await replays.run(given["workspaceId"], asked, call.by_page)).to_wire()

    return {"journal.list": list_, "journal.body": body, "journal.replay": replay}
