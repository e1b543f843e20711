"""The methods of cards of packages, and the owner's about them. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Mapping

from cardloom_protocol.callers import CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL
from cardloom_protocol.methods import EVENTS, METHODS, OWNER_CARD_METHODS

from ...core.call import Call, Handler, Result
from .service import CardsService

_CHROME = ("card.setTitle", "card.setStatus", "card.setBadge", "card.setOverview", "card.attention")


def handlers(service: CardsService) -> Mapping[str, Handler]:
    """The handlers by method name."""
    return {**_host(service), **_own(service), **_programs(service)}


def _host(service: CardsService) -> dict[str, Handler]:
    async def ready(call: Call) -> Result:
        if call.params["protocol"] > PROTOCOL:
            message = f"This host speaks protocol {PROTOCOL}; the card needs {call.params['protocol']}."
            raise CallError(ErrorCode.PROTOCOL_MISMATCH, message)
        return await service.surface.ready(call.card_id)

    async def capabilities(call: Call) -> Result:
        if call.caller.kind is CallerKind.OWNER:
            own = [row.name for row in METHODS["cardloom"].values() if row.built]
            methods = [*own, *sorted(name for name in OWNER_CARD_METHODS if METHODS["nscard"][name].built)]
            return {"protocol": PROTOCOL, "methods": methods, "events": list(EVENTS["cardloom"])}
        methods = [row.name for row in METHODS["nscard"].values() if row.built]
        return {"protocol": PROTOCOL, "methods": methods, "events": list(EVENTS["nscard"])}

    async def log(call: Call) -> Result:
        service.surface.log(call.card_id, call.params["level"], call.params["message"])

    async def pong(call: Call) -> Result:
        service.heartbeats.answered(call.card_id, call.params["seq"])

    async def subscribe(call: Call) -> Result:
        topics = call.params["topics"]
        return {"topics": service.surface.subscribe(call.card_id, topics, call.params.get("agentIds"))}

    async def unsubscribe(call: Call) -> Result:
        service.surface.unsubscribe(call.card_id, call.params["topics"])

    return {
        "host.ready": ready,
        "host.capabilities": capabilities,
        "host.log": log,
        "host.pong": pong,
        "events.subscribe": subscribe,
        "events.unsubscribe": unsubscribe,
    }


def _own(service: CardsService) -> dict[str, Handler]:
    async def info(call: Call) -> Result:
        return service.surface.instance(call.card_id)

    async def chrome(call: Call) -> Result:
        await service.surface.set_chrome(call.card_id, call.method, call.params)

    async def toast(call: Call) -> Result:
        service.surface.toast(call.card_id, call.params)

    async def theme(call: Call) -> Result:
        return service.surface.theme(call.card_id)

    async def i18n(_: Call) -> Result:
        return service.surface.i18n()

    async def workspace(call: Call) -> Result:
        return service.surface.workspace_view(call.card_id)

    async def permissions(call: Call) -> Result:
        return service.surface.permissions(call.card_id)

    return {
        "card.getInfo": info,
        **dict.fromkeys(_CHROME, chrome),
        "ui.toast": toast,
        "theme.get": theme,
        "i18n.get": i18n,
        "workspace.get": workspace,
        "permissions.list": permissions,
    }


def _programs(service: CardsService) -> dict[str, Handler]:
    async def packages(_: Call) -> Result:
        return {"packages": await service.list_packages()}

    async def run(call: Call) -> Result:
        params = call.params
        place = {"x": params.get("x", 0), "y": params.get("y", 0)}
        card_id, token = await service.run_outside(
            params["workspaceId"], params["manifest"], place, params.get("cardId"), call.by_page
        )
        return {"cardId": card_id, "token": token}

    async def log(call: Call) -> Result:
        card = service.card(call.params["cardId"])
        service.logs.tell_now(card.id)
        return {"lines": service.logs.lines(card.id, call.params.get("limit"))}

    async def restart(call: Call) -> Result:
        return (await service.restart(call.params["cardId"])).to_wire()

    async def stop(call: Call) -> Result:
        return (await service.stop(call.params["cardId"])).to_wire()

    async def grants(call: Call) -> Result:
        return {"grants": service.grants_of(call.params["workspaceId"])}

    async def grant(call: Call) -> Result:
        params = call.params
        await service.set_grant(
            params["workspaceId"], params["packageId"], params["permission"], granted=params["granted"]
        )
        return {}

    return {
        "package.list": packages,
        "card.run": run,
        "card.log": log,
        "card.restart": restart,
        "card.stop": stop,
        "grant.list": grants,
        "grant.set": grant,
    }
