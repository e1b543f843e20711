"""What a test host knows and shows, and its answer to each method, once the gate let the call pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cardloom_protocol.agents import AgentInfo
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL
from cardloom_protocol.hosting import CardView, PeerView, check_answer, deliver, may_read, plan_emit, send
from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import CARD_LIMITS
from cardloom_protocol.manifest import Manifest, declared_permissions
from cardloom_protocol.methods_card import CARD_EVENTS
from cardloom_protocol.permissions import closure, view
from cardloom_protocol.ports.peers import PeerInfo
from cardloom_protocol.ports.types import PortInfo
from cardloom_protocol.texts import localized

from ..timing import Timing
from .files import MemoryFiles
from .outside import Outside

Params = Mapping[str, Any]
Answer = Callable[[Params], Any]

CARD_ID: Final = "c_card"


@dataclass(frozen=True, slots=True)
class Emitted:
    """A value the card sent: to all downstream cards, or to one."""

    port: str
    data: Any
    to: str | None = None
    input: str | None = None


@dataclass(slots=True)
class Kept:
    """The value that a retained output holds."""

    data: Any
    at_ms: int


@dataclass(slots=True)
class Shown:
    """What the card shows, as it set it last."""

    title: str | None = None
    status: dict[str, Any] | None = None
    badge: dict[str, Any] | None = None
    overview: dict[str, Any] | None = None
    attention: dict[str, Any] | None = None
    toasts: list[dict[str, Any]] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)


class World:
    """The surroundings of one card under test."""

    def __init__(
        self,
        manifest: Manifest,
        timing: Timing,
        permissions: Iterable[str] | None,
        peers: Iterable[PeerInfo],
        agents: Iterable[AgentInfo],
        *,
        strict: bool,
    ) -> None:
        self.manifest = manifest
        self.timing = timing
        self.declared = declared_permissions(manifest)
        required = (one.id for one in self.declared if not one.optional)
        self.granted = frozenset(required if permissions is None else permissions)
        self.peers = tuple(peers)
        self.agents = {info.id: info for info in agents}
        self.strict = strict
        self.inputs = self._declared_ports("inputs")
        self.outputs = self._declared_ports("outputs")
        self.visibility = "visible"
        self.shown = Shown()
        self.emitted: list[Emitted] = []
        self.kept: dict[tuple[str, str], Kept] = {}
        self.topics: set[str] = set()
        self.output_of: frozenset[str] = frozenset()
        self.outside = Outside(manifest, self.declared, self.effective, self._grant, lambda: self._permissions_list({}))
        self.asked: dict[str, tuple[PortInfo, asyncio.Future[Any]]] = {}
        self.files = MemoryFiles(timing, self.outside.events)
        self.answers = self._answers()

    def _answers(self) -> dict[str, Answer]:
        return {
            "host.ready": self._host_ready,
            "card.getInfo": self._card_get_info,
            "host.capabilities": self._host_capabilities,
            "host.log": self._host_log,
            "host.pong": self._host_pong,
            "events.subscribe": self._events_subscribe,
            "events.unsubscribe": self._events_unsubscribe,
            "card.setTitle": self._card_set_title,
            "card.setStatus": self._card_set_status,
            "card.setBadge": self._card_set_badge,
            "card.setOverview": self._card_set_overview,
            "card.attention": self._card_attention,
            "ui.toast": self._ui_toast,
            "theme.get": self._theme_get,
            "i18n.get": self._i18n_get,
            "workspace.get": self._workspace_get,
            "permissions.list": self._permissions_list,
            "agents.list": self._agents_list,
            "agents.get": self._agents_get,
            "ports.describe": self._ports_describe,
            "ports.peers": self._ports_peers,
            "ports.emit": self._ports_emit,
            "ports.send": self._ports_send,
            "ports.respond": self._ports_respond,
            "ports.read": self._ports_read,
            **self.outside.answers(),
            **self.files.answers(),
        }

    def effective(self) -> frozenset[str]:
        """What the card may do, implied permissions included."""
        return closure(self.granted)

    def _grant(self, permission: str) -> None:
        self.granted |= {permission}

    def _view(self) -> CardView:
        return CardView(
            CARD_ID, self.outputs, tuple(PeerView(one) for one in self.peers), self.effective(), self.strict
        )

    def _declared_ports(self, side: str) -> tuple[PortInfo, ...]:
        ports = self.manifest["ports"]["inputs"] if side == "inputs" else self.manifest["ports"]["outputs"]
        return tuple(
            PortInfo.from_wire(
                {
                    **port,
                    "label": localized(port["label"], "en"),
                    "description": localized(port.get("description"), "en"),
                }
            )
            for port in ports
        )

    def input(self, input_id: str) -> PortInfo:
        """A declared input. ValueError where there is none."""
        for port in self.inputs:
            if port.id == input_id:
                return port
        raise ValueError(f"the manifest declares no input {input_id!r}")

    def _host_ready(self, _: Params) -> Any:
        return {
            "protocol": PROTOCOL,
            "appVersion": "0.1.264",
            "instance": self._card_get_info({}),
            "workspace": self._workspace_get({}),
            "visibility": self.visibility,
            "expanded": False,
            "theme": self._theme_get({}),
            "i18n": self._i18n_get({}),
            "settings": self.outside.settings(),
            "permissions": self._permissions_list({}),
            "ports": self._ports_describe({}),
            "peers": self._ports_peers({}),
            "launch": "created",
            "limits": dict(CARD_LIMITS),
            "chrome": {
                "title": self.shown.title,
                "status": self.shown.status,
                "badge": self.shown.badge,
                "overview": self.shown.overview,
                "attention": self.shown.attention,
            },
        }

    def _card_get_info(self, _: Params) -> Any:
        return {
            "instanceId": CARD_ID,
            "packageId": "dev:test",
            "name": self.manifest["name"],
            "displayName": localized(self.manifest["displayName"], "en"),
            "version": self.manifest["version"],
            "commit": None,
            "title": self.shown.title,
            "size": dict(self.outside.size),
            "dev": True,
        }

    def _host_capabilities(self, _: Params) -> Any:
        return {"protocol": PROTOCOL, "methods": list(self.answers), "events": list(CARD_EVENTS)}

    def _host_log(self, params: Params) -> None:
        self.shown.log.append((params["level"], params["message"]))

    def _host_pong(self, _: Params) -> None:
        return

    def _events_subscribe(self, params: Params) -> Any:
        effective = self.effective()
        allowed = []
        for topic in params["topics"]:
            needed = CARD_EVENTS[topic].permission
            if needed is None or needed in effective:
                allowed.append(topic)
        if "agents.output" in allowed:
            for agent_id in params.get("agentIds", ()):
                if all(one.card_id != agent_id for one in self.peers):
                    raise CallError(ErrorCode.NOT_CONNECTED, f"No arrow joins this card to {agent_id}.")
            self.output_of = frozenset(params.get("agentIds", ()))
        self.topics.update(allowed)
        return {"topics": allowed}

    def _events_unsubscribe(self, params: Params) -> None:
        self.topics.difference_update(params["topics"])

    def _card_set_title(self, params: Params) -> None:
        self.shown.title = params["title"]

    def _card_set_status(self, params: Params) -> None:
        self.shown.status = dict(params) if params.get("text") else None

    def _card_set_badge(self, params: Params) -> None:
        self.shown.badge = dict(params) if params.get("count") is not None or params.get("text") else None

    def _card_set_overview(self, params: Params) -> None:
        self.shown.overview = dict(params)

    def _card_attention(self, params: Params) -> None:
        self.shown.attention = dict(params) if params["level"] != "none" else None

    def _ui_toast(self, params: Params) -> None:
        self.shown.toasts.append(dict(params))

    def _theme_get(self, _: Params) -> Any:
        return {"scheme": "dark", "tokens": {}, "fontSans": "sans-serif", "fontMono": "monospace"}

    def _i18n_get(self, _: Params) -> Any:
        return {"language": "en", "locale": "en-US"}

    def _workspace_get(self, _: Params) -> Any:
        return {"id": "w_test", "name": "Test"}

    def _permissions_list(self, _: Params) -> Any:
        return view(self.declared, self.granted, "en")

    def _agents_list(self, _: Params) -> Any:
        return [self._agent(info) for info in self.agents.values()]

    def _agents_get(self, params: Params) -> Any:
        info = self.agents.get(CardId(params["agentId"]))
        if info is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no agent {params['agentId']!r}")
        return self._agent(info)

    def _agent(self, info: AgentInfo) -> Any:
        return info.to_wire(connected=any(one.card_id == info.id for one in self.peers))

    def _ports_describe(self, _: Params) -> Any:
        return {
            "inputs": [port.to_wire() for port in self.inputs],
            "outputs": [port.to_wire() for port in self.outputs],
        }

    def _ports_peers(self, _: Params) -> Any:
        return [one.to_wire() for one in self.peers]

    def _ports_emit(self, params: Params) -> Any:
        sender = self._view()
        routed = deliver(plan_emit(sender, sender.output(params["port"])), params["data"])
        self.emitted.append(Emitted(params["port"], params["data"]))
        return {"delivered": len(routed.accepted)}

    def _ports_send(self, params: Params) -> Any:
        sender = self._view()
        sent = send(sender, sender.output(params["port"]), params["data"], params["to"], params.get("input"))
        if sent is None:
            return {"delivered": 0}
        self.emitted.append(Emitted(params["port"], params["data"], params["to"], sent.input.id))
        return {"delivered": 1}

    def _ports_respond(self, params: Params) -> None:
        asked = self.asked.get(params["requestId"])
        if asked is None:
            raise CallError(ErrorCode.NOT_FOUND, "nobody waits for this answer")
        port, answer = asked
        if "error" not in params:
            check_answer(port, params.get("data"))
        del self.asked[params["requestId"]]
        if "error" in params:
            answer.set_exception(CallError(ErrorCode.INTERNAL, params["error"]))
        else:
            answer.set_result(params.get("data"))

    def _ports_read(self, params: Params) -> Any:
        may_read(self._view(), params["from"], params["port"])
        kept = self.kept.get((params["from"], params["port"]))
        return None if kept is None else {"data": kept.data, "at": kept.at_ms}
