"""The methods of terminals: the owner's `terminal.*`, and what cards and clients may ask of shells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from cardloom_protocol.callers import CallerKind
from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit

from ...core.call import Call, Cause, Handler
from .runs import Sender
from .service import TerminalService

CauseOf: TypeAlias = Callable[[CardId], Cause | None]


def handlers(service: TerminalService, cause_of: CauseOf) -> Mapping[str, Handler]:
    """Give the handlers. `cause_of` tells because of what a card acts."""

    def sender(call: Call) -> Sender:
        if call.caller.kind is CallerKind.OWNER:
            return Sender(None, None)
        return Sender(call.card_id, cause_of(call.card_id))

    async def attach(call: Call) -> dict[str, Any]:
        picture = await service.attach(call.params["cardId"], call.caller.connection_id)
        return picture.to_wire()

    async def detach(call: Call) -> None:
        service.detach(call.params["cardId"], call.caller.connection_id)

    async def type_keys(call: Call) -> None:
        service.type_keys(call.params["cardId"], call.params["data"])

    async def resize(call: Call) -> None:
        service.resize(call.params["cardId"], call.params["cols"], call.params["rows"])

    async def start(call: Call) -> dict[str, Any]:
        return (await service.start(call.params["cardId"])).to_wire()

    async def acknowledge(call: Call) -> None:
        service.acknowledge(call.params["cardId"], call.caller.connection_id, call.params["offset"])

    async def read_screen(call: Call) -> dict[str, Any]:
        return {"text": service.read_screen(call.params["agentId"], call.params.get("lines"))}

    async def run(call: Call) -> dict[str, Any]:
        timeout_ms = call.params.get("timeoutMs", limit("terminalRunTimeoutMs"))
        result = await service.run(call.params["agentId"], call.params["command"], sender(call), timeout_ms)
        return result.to_wire()

    async def write(call: Call) -> None:
        submit = call.params.get("submit", False)
        await service.write(call.params["agentId"], call.params["text"], sender(call), submit=submit)

    return {
        "terminal.attach": attach,
        "terminal.detach": detach,
        "terminal.input": type_keys,
        "terminal.resize": resize,
        "terminal.start": start,
        "terminal.ack": acknowledge,
        "agents.readScreen": read_screen,
        "terminals.run": run,
        "terminals.write": write,
    }
