"""The canvas's own methods. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cardloom_protocol.callers import CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.limits import CARD_LIMITS, OWN_LIMITS
from cardloom_protocol.methods import CANVAS_METHODS, CARD_METHODS, EVENTS, OWNER_CARD_METHODS

from ... import __version__
from ...core.bus import Bus, canvas_topic, connection_topic
from ...core.call import Call, Handler, Result
from ...core.dialogs import Answer, Dialogs
from ...core.presence import Presence
from ...core.records import DrawnBy
from .service import CanvasService


@dataclass(slots=True)
class Surroundings:
    """What the canvas's methods need of the server around it.

    `new_address` makes a one-time code and gives the address to open. `packages` lists what can be put on a canvas.
    `notices` are told to the first page that opens, each once.
    """

    bus: Bus
    presence: Presence
    dialogs: Dialogs
    new_address: Callable[[], str]
    packages: Callable[[], list[dict[str, Any]]] = list
    notices: list[str] = field(default_factory=list)


def handlers(service: CanvasService, around: Surroundings) -> Mapping[str, Handler]:
    """The handlers by method name."""
    return {
        **_client(service, around),
        **_choices(service, around.dialogs),
        **_workspaces(service),
        **_views(service, around.bus),
        **_cards(service),
        **_arrows(service),
    }


def _client(service: CanvasService, around: Surroundings) -> dict[str, Handler]:
    async def hello(call: Call) -> Result:
        caller = call.caller
        if call.params["protocol"] > PROTOCOL:
            raise CallError(ErrorCode.PROTOCOL_MISMATCH, f"this server speaks protocol {PROTOCOL}; update it")
        if call.params["client"] == "page" and caller.page_id is not None:
            around.presence.join(caller.connection_id, caller.page_id)
            for notice in around.notices:
                toast = {"cardId": "", "name": "Cardloom", "message": notice, "tone": "warning", "durationMs": 30_000}
                around.bus.publish("ui.toast", toast, connection_topic(caller.connection_id))
            around.notices.clear()
        return {
            "protocol": PROTOCOL,
            "version": __version__,
            "pageId": caller.page_id,
            "limits": CARD_LIMITS | {row.name: row.value for row in OWN_LIMITS.values()},
            "methods": _offered(),
            "events": list(EVENTS["cardloom"]),
            "preferences": dict(service.preferences),
            "workspaces": service.workspaces.all_to_wire(),
            "packages": around.packages(),
        }

    async def new_code(_: Call) -> Result:
        return {"url": around.new_address()}

    async def presence(call: Call) -> Result:
        connection_id, workspace_id = call.caller.connection_id, call.params["workspaceId"]
        cards = call.params.get("cards")
        page = around.presence.page_of(connection_id)
        if cards is not None:
            seen = {CardId(card["cardId"]): card["visibility"] for card in cards}
        else:
            seen = dict(page.cards) if page is not None and page.workspace_id == workspace_id else {}
        focused = call.params.get("focusedCardId")
        around.presence.report(
            connection_id,
            workspace_id,
            seen,
            active=call.params["active"],
            focused=None if focused is None else CardId(focused),
            scheme=call.params.get("scheme"),
        )
        return {}

    return {"client.hello": hello, "client.newCode": new_code, "client.presence": presence}


def _choices(service: CanvasService, dialogs: Dialogs) -> dict[str, Handler]:
    async def set_preferences(call: Call) -> Result:
        return await service.set_preferences(call.params)

    async def answer(call: Call) -> Result:
        chosen = call.params.get("permissions")
        dialogs.answer(
            call.params["dialogId"], Answer(call.params["accepted"], None if chosen is None else frozenset(chosen))
        )
        return {}

    return {"preferences.set": set_preferences, "dialog.answer": answer}


def _workspaces(service: CanvasService) -> dict[str, Handler]:
    async def list_all(_: Call) -> Result:
        return {"workspaces": service.workspaces.all_to_wire()}

    async def create(call: Call) -> Result:
        params = call.params
        workspace = await service.workspaces.create(
            params["name"], params["path"], create_folder=params.get("createFolder", False), by=call.by_page
        )
        return service.workspaces.to_wire(workspace.id)

    async def open_(call: Call) -> Result:
        workspace = await service.workspaces.set_open(call.params["workspaceId"], is_open=True, by=call.by_page)
        return service.workspaces.to_wire(workspace.id)

    async def close(call: Call) -> Result:
        workspace = await service.workspaces.set_open(call.params["workspaceId"], is_open=False, by=call.by_page)
        return service.workspaces.to_wire(workspace.id)

    async def update(call: Call) -> Result:
        params = call.params
        workspace = await service.workspaces.update(
            params["workspaceId"],
            name=params.get("name"),
            path=params.get("path"),
            strict=params.get("strict"),
            by=call.by_page,
        )
        return service.workspaces.to_wire(workspace.id)

    async def remove(call: Call) -> Result:
        await service.workspaces.remove(call.params["workspaceId"], by=call.by_page)
        return {}

    return {
        "workspace.list": list_all,
        "workspace.create": create,
        "workspace.open": open_,
        "workspace.close": close,
        "workspace.update": update,
        "workspace.remove": remove,
    }


def _views(service: CanvasService, bus: Bus) -> dict[str, Handler]:
    async def snapshot(call: Call) -> Result:
        return service.snapshot(call.params["workspaceId"])

    async def subscribe(call: Call) -> Result:
        # Nothing may wait between the two, or a change could fall between picture and stream.
        picture = service.snapshot(call.params["workspaceId"])
        bus.follow(call.caller.connection_id, canvas_topic(WorkspaceId(call.params["workspaceId"])))
        return picture

    async def unsubscribe(call: Call) -> Result:
        bus.unfollow(call.caller.connection_id, canvas_topic(WorkspaceId(call.params["workspaceId"])))
        return {}

    return {"canvas.snapshot": snapshot, "canvas.subscribe": subscribe, "canvas.unsubscribe": unsubscribe}


def _cards(service: CanvasService) -> dict[str, Handler]:
    async def add(call: Call) -> Result:
        params = call.params
        card = await service.add_card(
            params["workspaceId"],
            params["kind"],
            params,
            title=params.get("title"),
            content=params.get("content"),
            package_id=params.get("packageId"),
            by=call.by_page,
        )
        return card.to_wire()

    async def duplicate(call: Call) -> Result:
        place = {name: call.params[name] for name in ("x", "y") if name in call.params}
        return (await service.duplicate_card(call.params["cardId"], place, by=call.by_page)).to_wire()

    async def update(call: Call) -> Result:
        return (await service.update_card(call.params["cardId"], call.params, by=call.by_page)).to_wire()

    async def arrange(call: Call) -> Result:
        await service.arrange(call.params["workspaceId"], call.params["cards"], by=call.by_page)
        return {}

    async def remove(call: Call) -> Result:
        force = call.params.get("force", False)
        return {"arrowIds": await service.remove_card(call.params["cardId"], force=force, by=call.by_page)}

    async def restore(call: Call) -> Result:
        params = call.params
        restored = await service.restore(params["workspaceId"], params["cardIds"], params["arrowIds"], by=call.by_page)
        return {
            "cards": [card.to_wire() for card in restored.cards],
            "arrows": [arrow.to_wire() for arrow in restored.arrows],
            "restarted": restored.restarted,
        }

    return {
        "canvas.addCard": add,
        "canvas.duplicateCard": duplicate,
        "canvas.updateCard": update,
        "canvas.arrange": arrange,
        "canvas.removeCard": remove,
        "canvas.restore": restore,
    }


def _arrows(service: CanvasService) -> dict[str, Handler]:
    async def connect(call: Call) -> Result:
        params = call.params
        by_agent = call.caller.kind is CallerKind.AGENT
        arrow = await service.connect(
            params["a"],
            params["b"],
            direction=params.get("direction", "forward"),
            drawn_by=DrawnBy("agent", call.card_id) if by_agent else DrawnBy(),
            by=call.by_page,
        )
        return arrow.to_wire()

    async def update(call: Call) -> Result:
        params = call.params
        arrow = await service.update_arrow(
            params["arrowId"],
            direction=params.get("direction"),
            confirm=params.get("confirm", False),
            by=call.by_page,
        )
        return arrow.to_wire()

    async def disconnect(call: Call) -> Result:
        await service.disconnect(call.params["arrowId"], by=call.by_page)
        return {}

    return {"canvas.connect": connect, "canvas.updateArrow": update, "canvas.disconnect": disconnect}


def _offered() -> list[str]:
    own = [row.name for row in CANVAS_METHODS.values() if row.built]
    return [*own, *(name for name in CARD_METHODS if name in OWNER_CARD_METHODS and CARD_METHODS[name].built)]
