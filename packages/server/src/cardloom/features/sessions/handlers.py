"""The methods `session.*`: one a row of the session protocol's table, and those around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.envelope import failure, success
from cardloom_protocol.session.errors import SessionError

from ...core.call import Call, Handler, Result
from .backend_desk import BackendDesk
from .chat_cards import ChatCards
from .endpoints import EndpointDesk
from .service import SessionsService


@dataclass(frozen=True, slots=True)
class Desks:
    """Where a person sets up what answers."""

    endpoints: EndpointDesk
    backends: BackendDesk


def handlers(
    service: SessionsService, desks: Desks, chats: ChatCards, access: Callable[[], dict[str, str]]
) -> Mapping[str, Handler]:
    """The handlers by method name; `access` gives the address and the key of the protocol over HTTP."""

    def answering(name: str) -> Handler:
        async def answer(call: Call) -> Result:
            return await service.call(name, call.params)

        return answer

    def streaming(name: str) -> Handler:
        async def stream(call: Call) -> Result:
            return await service.stream(name, call.params, call.caller.connection_id)

        return stream

    async def backends(call: Call) -> Result:
        return {"backends": [entry.to_wire() for entry in service.entries.values()]}

    async def give_access(call: Call) -> Result:
        return access()

    async def leave(call: Call) -> Result:
        try:
            service.streams.leave(call.params["streamId"], call.caller.connection_id)
        except SessionError as error:
            return failure(error)
        return success(None)

    async def edit_chat(call: Call) -> Result:
        given = {name: value for name, value in call.params.items() if name != "cardId"}
        card = await chats.edit(call.params["cardId"], given, call.by_page)
        return {"revision": card.revision, "content": dict(card.content)}

    every: dict[str, Handler] = {
        f"session.{name}": streaming(name) if call.reply == "events" else answering(name)
        for name, call in SESSION_CALLS.items()
    }
    return (
        every
        | _of_desks(desks)
        | {
            "session.backends": backends,
            "session.access": give_access,
            "session.leave": leave,
            "chat.edit": edit_chat,
        }
    )


def _of_desks(desks: Desks) -> dict[str, Handler]:
    endpoints, backends = desks.endpoints, desks.backends

    async def list_endpoints(_: Call) -> Result:
        return {"endpoints": await endpoints.known()}

    async def save_endpoint(call: Call) -> Result:
        models, problem = await endpoints.save(call.params)
        return {"endpoints": await endpoints.known(), "models": models, "problem": problem}

    async def remove_endpoint(call: Call) -> Result:
        await endpoints.remove(call.params["endpointId"])
        return {"endpoints": await endpoints.known()}

    async def list_backends(_: Call) -> Result:
        return await backends.known()

    async def save_backend(call: Call) -> Result:
        await backends.save(call.params)
        return await backends.known()

    async def check_backend(call: Call) -> Result:
        await backends.check(call.params["backendId"])
        return await backends.known()

    async def remove_backend(call: Call) -> Result:
        await backends.remove(call.params["backendId"])
        return await backends.known()

    return {
        "session.endpoints": list_endpoints,
        "session.saveEndpoint": save_endpoint,
        "session.removeEndpoint": remove_endpoint,
        "session.setUp": list_backends,
        "session.saveBackend": save_backend,
        "session.checkBackend": check_backend,
        "session.removeBackend": remove_backend,
    }
