"""A host for one card: the gate, the connection, and what a test lets happen."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from cardloom_protocol.agents import AgentInfo, AgentStatus, advance
from cardloom_protocol.connection import HostConnection, RequestReceived
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import ABSENT, Request
from cardloom_protocol.hosting import Facts, RateWindow, check
from cardloom_protocol.ids import CardId
from cardloom_protocol.methods_card import CARD_METHODS
from cardloom_protocol.ports.builtin import builtin_ports
from cardloom_protocol.ports.peers import Direction, PeerInfo, PeerKind
from cardloom_protocol.ports.types import PortInfo

from ..card import Card
from ..channel import ChannelClosed
from .files import MemoryFiles
from .outside import Outside
from .virtual import MemoryChannel, VirtualTiming, settle
from .world import Answer, Emitted, Kept, Shown, World

_PATIENCE: Final = 20


class CardHost:
    """A host for one card with a manifest. `permissions` are the granted ones; all required ones when not given.

    `emitted`, `shown` and `calls` hold what the card did. Every act returns once the card came to rest.
    """

    def __init__(
        self,
        card: Card,
        *,
        permissions: Iterable[str] | None = None,
        peers: Iterable[PeerInfo] = (),
        agents: Iterable[AgentInfo] = (),
        strict: bool = False,
    ) -> None:
        if card.manifest is None:
            raise ValueError("a card under test needs its manifest: Card(manifest)")
        self.card = card
        self.calls: list[Request] = []
        self.world = World(card.manifest, card.timing, permissions, peers, agents, strict=strict)
        self._rates: dict[str, RateWindow | None] = {}
        self._refusals: dict[str, list[CallError]] = {}
        self._asked_count = itertools.count(1)
        self._channel: MemoryChannel | None = None
        self._connection = HostConnection("nscard")
        self._serving: asyncio.Task[None] | None = None
        self._attending: asyncio.Task[ChannelClosed] | None = None

    @property
    def emitted(self) -> list[Emitted]:
        """The values the card sent, in order."""
        return self.world.emitted

    @property
    def outside(self) -> Outside:
        """What is kept, set, fetched and asked for the card: stores, settings, the web, the person's answers."""
        return self.world.outside

    @property
    def files(self) -> MemoryFiles:
        """The workspace's files, in memory."""
        return self.world.files

    @property
    def shown(self) -> Shown:
        """What the card shows and said."""
        return self.world.shown

    async def __aenter__(self) -> Self:
        await self.mount()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.unmount()

    # What a test does

    async def mount(self) -> None:
        """Connect the card, anew when it was connected before."""
        self._attending = asyncio.create_task(self.card.attend(await self.connect()))
        await self.rest()

    async def connect(self) -> MemoryChannel:
        """A new channel to this host, for whoever connects the card."""
        ours, theirs = MemoryChannel.pair()
        self._channel = ours
        self._connection = HostConnection("nscard")
        self.world.topics.clear()
        self.world.files.forget_watches()
        self._serving = asyncio.create_task(self._serve(ours))
        return theirs

    async def unmount(self, code: int = 1000, reason: str = "") -> None:
        """Close the card's connection. A fault of this host comes out here."""
        if self._channel is not None:
            await self._channel.close(code, reason)
        if self._attending is not None:
            await asyncio.wait((self._attending,))
            if not self._attending.cancelled():
                self._attending.exception()  # a refused handshake is the card's own affair
        if self._serving is not None:
            await asyncio.wait((self._serving,))
            if not self._serving.cancelled() and (fault := self._serving.exception()) is not None:
                raise fault

    def fall_silent(self) -> None:
        """Read and answer nothing from now on."""
        if self._serving is not None:
            self._serving.cancel()

    async def advance(self, ms: float) -> None:
        """Let time pass. TypeError unless the card lives by a VirtualTiming."""
        if not isinstance(self.card.timing, VirtualTiming):
            raise TypeError("the card needs a VirtualTiming: Card(manifest, timing=VirtualTiming())")
        await self.card.timing.advance(ms)
        await self.rest()

    async def deliver(
        self,
        input_id: str,
        data: Any,
        *,
        sender: str = "c_peer",
        sender_kind: str = "custom",
        output: str = "out",
        source_type: str | None = None,
    ) -> None:
        """Let a value arrive at an input."""
        port = self.world.input(input_id)
        message = {
            "from": sender,
            "fromKind": sender_kind,
            "output": output,
            "input": input_id,
            "type": port.type,
            "sourceType": source_type or port.type,
            "data": data,
            "at": self.card.timing.now_ms(),
        }
        await self.event("ports.message", message)

    async def ask(self, input_id: str, data: Any, *, sender: str = "c_peer", timeout_ms: int = 30_000) -> Any:
        """Ask the card's request input and give its answer. INTERNAL with the card's words when it answers an error."""
        port = self.world.input(input_id)
        request_id = f"q{next(self._asked_count)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.world.asked[request_id] = (port, answer)
        deadline_ms = self.card.timing.now_ms() + timeout_ms
        question = {"requestId": request_id, "from": sender, "input": input_id, "data": data, "deadline": deadline_ms}
        await self.event("ports.request", question)
        return await answer

    async def print_output(self, agent_id: str, text: str) -> None:
        """Let an agent or terminal print; the card hears it when it subscribed to that one and may."""
        if (
            "agents.output" in self.world.topics
            and agent_id in self.world.output_of
            and "agents.output" in self.world.effective()
        ):
            at_ms = self.card.timing.now_ms()
            await self.event("agents.output", {"agentId": agent_id, "text": text, "at": at_ms})

    async def set_status(self, agent_id: str, status: AgentStatus) -> None:
        """Change an agent's status, with the events that follow from it."""
        at_ms = self.card.timing.now_ms()
        info, phase = advance(self.world.agents[CardId(agent_id)], status, at_ms)
        self.world.agents[info.id] = info
        if "agents.status" in self.world.topics:
            await self.event("agents.status", {"agentId": agent_id, "status": status.value, "at": at_ms})
        if phase is not None and "agents.turn" in self.world.topics:
            await self.event("agents.turn", {"agentId": agent_id, "phase": phase, "at": at_ms})

    async def set_peers(self, *peers: PeerInfo) -> None:
        """Draw and remove arrows: these are the joined cards now."""
        self.world.peers = peers
        await self.event("ports.peersChanged", [one.to_wire() for one in peers])

    async def set_permissions(self, *permissions: str) -> None:
        """Grant exactly these."""
        self.world.granted = frozenset(permissions)
        await self.event("permissions.changed", self.world.answers["permissions.list"]({}))

    async def set_visibility(self, state: str) -> None:
        """Show the card (`visible`), its tile (`overview`), or neither (`hidden`)."""
        self.world.visibility = state
        await self.event("lifecycle.visibility", {"state": state})

    async def set_settings(
        self, values: Mapping[str, Any] | None = None, secrets: Mapping[str, str] | None = None
    ) -> None:
        """Change settings and secrets as the person does in the form."""
        self.outside.values.update(values or {})
        self.outside.secrets.update(secrets or {})
        await self.event("settings.changed", self.outside.settings())

    async def store_changed(self, key: str, value: Any) -> None:
        """Let another card of the package write a value that they share."""
        self.outside.stores["package"][key] = value
        if "storage.changed" in self.world.topics:
            await self.event("storage.changed", {"scope": "package", "key": key, "deleted": False})

    async def choose_menu(self, item_id: str) -> None:
        """Choose an entry of the card's menu. ValueError where the card has none of that id."""
        if all(item["id"] != item_id for item in self.outside.menu):
            raise ValueError(f"the card's menu has no entry {item_id!r}")
        await self.event("ui.menu", {"id": item_id})

    async def call_tool(
        self, name: str, args: Mapping[str, Any] | None = None, *, agent: str = "Agent", timeout_ms: int = 30_000
    ) -> dict[str, Any]:
        """Call a tool as an agent does; gives `{content, isError?}`. NOT_FOUND, INVALID_PARAMS, TIMEOUT."""
        given = dict(args or {})
        self.outside.tool_arguments(name, given)
        call_id = f"t{next(self._asked_count)}"
        answer: asyncio.Future[dict[str, Any]]
        answer = self.outside.calls[call_id] = asyncio.get_running_loop().create_future()
        deadline_ms = self.card.timing.now_ms() + timeout_ms
        call = {"callId": call_id, "tool": name, "args": given, "agent": {"id": "c_agent", "name": agent}}
        late = asyncio.create_task(self.card.timing.sleep_ms(timeout_ms))
        try:
            await self.event("tools.call", {**call, "deadline": deadline_ms})
            await asyncio.wait((answer, late), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise CallError(ErrorCode.TIMEOUT, f"{name} did not answer within {timeout_ms} ms")
            return answer.result()
        finally:
            late.cancel()
            if not answer.done():
                del self.outside.calls[call_id]
                await self.event("tools.cancel", {"callId": call_id})

    def keep(self, card_id: str, output: str, data: Any) -> None:
        """Let a joined card's retained output hold a value, for `card.read`."""
        self.world.kept[(card_id, output)] = Kept(data, self.card.timing.now_ms())

    async def change_file(self, path: str, content: str | bytes | None) -> None:
        """Let somebody else write a file, or with None remove it; the card's watches are told."""
        if content is None:
            self.files.remove(path)
        else:
            self.files.put(path, content)
        waiting, self.outside.events[:] = list(self.outside.events), []
        for name, data in waiting:
            await self.event(name, data)

    def refuse_next(self, method: str, error: CallError) -> None:
        """Refuse the next call of a method that would otherwise pass."""
        self._refusals.setdefault(method, []).append(error)

    def answer_with(self, method: str, handler: Answer) -> None:
        """Answer a method this host has no answer to (`terminals.run`, `fs.read`), or differently."""
        if method not in CARD_METHODS:
            raise ValueError(f"there is no method {method!r}")
        self.world.answers[method] = handler

    async def event(self, name: str, data: Any) -> None:
        """Send any event and let the card come to rest."""
        await self.send_text(self._connection.send_event(name, data))
        await self.rest()

    async def rest(self) -> None:
        """Let the card run until it is done, or waits for something that only time or the test will bring."""
        await settle()
        for _ in range(_PATIENCE):
            if not self.card.busy:
                return
            await settle()

    async def send_text(self, text: str) -> None:
        """Send any text, well-formed or not."""
        if self._channel is None:
            raise RuntimeError("the card is not mounted")
        await self._channel.send(text)

    # The gate

    async def _serve(self, channel: MemoryChannel) -> None:
        while True:
            try:
                text = await channel.receive()
            except ChannelClosed:
                return
            for event in self._connection.receive_text(text, self.card.timing.steady_ms()):
                if isinstance(event, RequestReceived):
                    text = self._answer(event.request)
                    await self._send_all(channel, self.outside.before)
                    await channel.send(text)
                    await self._send_all(channel, self.outside.events)

    async def _send_all(self, channel: MemoryChannel, events: list[tuple[str, Any]]) -> None:
        """Send the events that an answer caused."""
        waiting, events[:] = list(events), []
        for name, data in waiting:
            await channel.send(self._connection.send_event(name, data))

    def _answer(self, request: Request) -> str:
        self.calls.append(request)
        try:
            result = self._call(request)
        except CallError as error:
            return self._connection.send_error(request.id, error)
        if request.method == "host.ready":
            self._connection.ready = True
        return self._connection.send_result(request.id, ABSENT if result is None else result)

    def _call(self, request: Request) -> Any:
        row = CARD_METHODS.get(request.method)
        if row is not None and row.name not in self._rates:
            self._rates[row.name] = RateWindow.for_row(row)
        facts = Facts(
            request.given,
            self.world.effective(),
            self.card.timing.steady_ms(),
            self._connection.ready,
            self.world.visibility == "visible",
            lambda card_id: any(one.card_id == card_id for one in self.world.peers),
            None if row is None else self._rates[row.name],
        )
        refusal = check(row, facts)
        if refusal is not None:
            raise refusal
        if self._refusals.get(request.method):
            raise self._refusals[request.method].pop(0)
        answer = self.world.answers.get(request.method)
        if answer is None:
            raise CallError(ErrorCode.METHOD_NOT_FOUND, f"this test host does not answer {request.method}")
        return answer(request.given if isinstance(request.given, dict) else {})


def peer(
    card_id: str,
    kind: PeerKind = "custom",
    *,
    name: str | None = None,
    direction: Direction = "downstream",
    inputs: Iterable[PortInfo] = (),
    outputs: Iterable[PortInfo] = (),
) -> PeerInfo:
    """A joined card; the ports of built-in kinds are filled in."""
    ports = builtin_ports(kind)
    return PeerInfo(
        card_id, kind, name or card_id, direction, tuple(inputs) or ports.inputs, tuple(outputs) or ports.outputs
    )


def shell(card_id: str, status: AgentStatus = AgentStatus.IDLE) -> AgentInfo:
    """A bash terminal as `agents.list` shows it."""
    return AgentInfo(CardId(card_id), card_id, "shell-bash", "shell", status)
