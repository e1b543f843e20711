"""A card written in Python: it hears values and questions, sends and answers, and shows how it is doing.

    card = Card("cardloom-card.json")

    @card.on_message("in")
    async def received(value):
        await card.emit("out", value)

    card.run()

The names are those of the browser SDK in snake_case. Handlers may be plain or async functions and take as many of
their arguments as they like. Every refusal of the host arrives as CallError. Spec: decisions 31, 44.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.manifest import Manifest
from cardloom_protocol.ports.peers import PeerInfo
from cardloom_protocol.ports.types import PortInfo

from .answers import Answers
from .card_chrome import CardChrome
from .card_connection import CardConnection
from .card_files import Files
from .card_net import Net
from .card_reach import Agents, Permissions, Terminals
from .card_settings import CardSettings
from .card_storage import Storage
from .card_tools import Tools
from .card_types import Agent, Message, Output, Question, Retained, StatusChange, TurnChange
from .card_ui import CardWishes, Ui
from .channel import Channel, ChannelClosed
from .context import CardContext
from .listeners import Listener, Listeners, Stop
from .log_lines import LogLines
from .manifest_file import ManifestSource, read_manifest
from .timing import SystemTiming, Timing
from .topics import OUTPUT, Topics

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Card(CardChrome, CardWishes):
    """One headless card. With a manifest, port names are checked when they are used, not only by the host."""

    def __init__(self, manifest: ManifestSource | None = None, *, timing: Timing | None = None) -> None:
        self.manifest: Manifest | None = None if manifest is None else read_manifest(manifest)
        self._timing = timing or SystemTiming()
        self._connection: CardConnection | None = None
        self._context: CardContext | None = None
        self._listeners = Listeners(self._report)
        self._ready: list[Listener] = []
        self._answers = Answers(self._respond, self._timing, self._show)
        self._topics = Topics(self.call, self._report, lambda text: self._write("warn", text))
        self._lines = LogLines()
        self._methods: frozenset[str] | CallError | None = None
        self.agents = Agents(self.call)
        self.terminals = Terminals(self.call)
        self.permissions = Permissions(lambda: self.context, self.call)
        self.storage = Storage(self.call, self._listeners, self._topics)
        self.settings = CardSettings(lambda: self.context, self.call, self._listeners)
        self.tools = Tools(self.call, self._post, self._timing, self._warn, self._show)
        self.net = Net(self.call, self._post)
        self.fs = Files(self.call, self._listeners, self._report)
        self.ui = Ui(self.call, self._listeners, self._report)
        CardChrome.__init__(self, self.call, self._timing)
        CardWishes.__init__(self, self.call)

    # What it knows

    @property
    def timing(self) -> Timing:
        """The clock it lives by."""
        return self._timing

    @property
    def context(self) -> CardContext:
        """What the host told; kept when the connection is lost. NOT_READY before the first handshake."""
        if self._context is None:
            raise CallError(ErrorCode.NOT_READY, "The card has not met its host yet.")
        return self._context

    @property
    def connected(self) -> bool:
        """Whether the host is there now."""
        return self._connection is not None

    @property
    def peers(self) -> tuple[PeerInfo, ...]:
        """The cards joined to this one by arrows."""
        return self.context.peers

    @property
    def inputs(self) -> tuple[PortInfo, ...]:
        """The card's own inputs."""
        return self.context.inputs

    @property
    def outputs(self) -> tuple[PortInfo, ...]:
        """The card's own outputs."""
        return self.context.outputs

    @property
    def visibility(self) -> str:
        """`visible`, `overview` or `hidden`: how its chrome is seen on the page that shows it best."""
        return self.context.visibility

    @property
    def theme(self) -> dict[str, Any]:
        """The theme in use: scheme, tokens, fonts."""
        theme: dict[str, Any] = self.context.wire["theme"]
        return theme

    @property
    def language(self) -> str:
        """`en`, `ru` or `zh`."""
        return str(self.context.wire["i18n"]["language"])

    # What it hears

    def on_ready(self, handler: Handler) -> Handler:
        """Call a function after every handshake: at the start, and when the host was away and is back."""
        self._ready.append(Listener("ready", handler, self._report))
        return handler

    def on_message(self, input_id: str | None = None) -> Callable[[Handler], Handler]:
        """Call a function with each value of an input, or of all inputs: `handler(data, message)`.

        Values reach one handler in order, the next when it is done with the last.
        """
        self._check_port("inputs", input_id)

        def register(handler: Handler) -> Handler:
            self._listeners.add(
                "ports.message",
                handler,
                wants=lambda data: input_id is None or data["input"] == input_id,
                convert=lambda data: (data["data"], Message.from_wire(data)),
            )
            return handler

        return register

    def on_request(self, input_id: str) -> Callable[[Handler], Handler]:
        """Answer an input's questions with what a function gives: `handler(data, question)`.

        It is cancelled at the deadline. What it raises is the answer's error. ValueError where one answers already.
        """
        self._check_port("inputs", input_id)

        def register(handler: Handler) -> Handler:
            self._answers.add(input_id, handler)
            return handler

        return register

    def tool(self, name: str) -> Callable[[Handler], Handler]:
        """Do a tool's work with what a function gives: `handler(args, call)`.

        Nothing is "OK", a text is itself, `{"content": [...]}` goes as it is, anything else is written as JSON. It is
        cancelled at the deadline and when the agent takes the call back. What it raises reaches the agent.
        """
        if self.manifest is not None and all(tool["name"] != name for tool in self.manifest["tools"]):
            known = ", ".join(tool["name"] for tool in self.manifest["tools"])
            raise ValueError(f"the manifest declares no tool {name!r}; it has: {known or 'none'}")

        def register(handler: Handler) -> Handler:
            self.tools.add(name, handler)
            return handler

        return register

    def on(self, event: str, handler: Callable[..., Any]) -> Stop:
        """Call a function with the data of every event of this wire name; gives how to stop."""
        return self._listeners.add(event, handler, wants=_everything, convert=lambda data: (data,))

    def on_peers_changed(self, handler: Handler) -> Handler:
        """Call a function with all peers whenever arrows or the joined cards' ports change."""
        self._listeners.add("ports.peersChanged", handler, wants=_everything, convert=lambda _: (self.context.peers,))
        return handler

    def on_visibility(self, handler: Handler) -> Handler:
        """Call a function with `visible`, `overview` or `hidden` whenever that changes."""
        self._listeners.add("lifecycle.visibility", handler, wants=_everything, convert=lambda data: (data["state"],))
        return handler

    def on_agent_status(self, handler: Callable[..., Any], agent_id: str | None = None) -> Stop:
        """Call a function with each StatusChange, of one agent if named; gives how to stop."""
        return self._on_topic("agents.status", handler, agent_id, lambda data: (StatusChange(*_news(data, "status")),))

    def on_agent_turn(self, handler: Callable[..., Any], agent_id: str | None = None) -> Stop:
        """Call a function with each TurnChange, of one agent if named; gives how to stop."""
        return self._on_topic("agents.turn", handler, agent_id, lambda data: (TurnChange(*_news(data, "phase")),))

    def on_agents_changed(self, handler: Callable[..., Any]) -> Stop:
        """Call a function with all agents whenever some came, went or were renamed; gives how to stop."""
        return self._on_topic(
            "agents.changed", handler, None, lambda data: ([Agent.from_wire(wire) for wire in data["agents"]],)
        )

    def on_agent_output(self, agent_ids: Iterable[str], handler: Callable[..., Any]) -> Stop:
        """Call a function with each Output of these joined agents and terminals; gives how to stop.

        `subscribed` tells when the host knows.
        """
        watched = frozenset(agent_ids)
        stop_listening = self._listeners.add(
            OUTPUT,
            handler,
            wants=lambda data: data["agentId"] in watched,
            convert=lambda data: (Output(*_news(data, "text")),),
        )
        stop_watching = self._topics.watch(watched)

        def stop() -> None:
            stop_listening()
            stop_watching()

        return stop

    async def subscribed(self) -> None:
        """Wait until the host was told of all listeners to agents."""
        await self._topics.settled()

    # What it does

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Make any call of the card contract. UNAVAILABLE while the host is away."""
        if self._connection is None:
            raise CallError(ErrorCode.UNAVAILABLE, "The card is not connected to its host.")
        return await self._connection.call(method, params)

    async def emit(self, output: str, data: Any) -> int:
        """Send a value to every downstream card with a fitting input; gives how many took it."""
        self._check_port("outputs", output)
        return int((await self.call("ports.emit", {"port": output, "data": data}))["delivered"])

    async def send(self, to: str, output: str, data: Any, *, input_id: str | None = None) -> int:
        """Send a value to one downstream card, to one of its inputs if named; gives 1 when it took it, else 0."""
        self._check_port("outputs", output)
        params = {"to": to, "port": output, "data": data}
        if input_id is not None:
            params["input"] = input_id
        return int((await self.call("ports.send", params))["delivered"])

    async def request(self, to: str, input_id: str, data: Any, *, timeout_ms: int | None = None) -> Any:
        """Ask a joined card and give its answer. TIMEOUT, UNAVAILABLE, or INTERNAL with the other card's words."""
        params = {"to": to, "input": input_id, "data": data}
        if timeout_ms is not None:
            params["timeoutMs"] = timeout_ms
        return (await self.call("ports.request", params))["data"]

    async def read(self, source: str, output: str) -> Retained | None:
        """The last value that a joined card's retained output sent, None where there is none yet."""
        kept = await self.call("ports.read", {"from": source, "port": output})
        return None if kept is None else Retained(kept["data"], kept["at"])

    async def log(self, message: str, level: str = "info") -> None:
        """Write a line (debug, info, warn, error) to the card's log; over 49 a second are counted, not sent."""
        for line_level, text in self._lines.admit(level, message, self._timing.steady_ms()):
            await self.call("host.log", {"level": line_level, "message": text})

    async def supports(self, method: str) -> bool:
        """Whether the host offers a method. The host is asked once a connection; a failure stays one."""
        if self._methods is None:
            try:
                self._methods = frozenset((await self.call("host.capabilities", {}))["methods"])
            except CallError as error:
                self._methods = error
        if isinstance(self._methods, CallError):
            raise self._methods
        return method in self._methods

    def run(self) -> None:
        """Be the card that CARDLOOM_URL and CARDLOOM_CARD_TOKEN name until it is over; then end the program."""
        from .card_run import run_from_environment

        sys.exit(run_from_environment(self))

    async def attend(self, channel: Channel) -> ChannelClosed:
        """Shake hands on a channel and be the card on it until it closes; gives how it closed.

        CallError when the handshake fails.
        """
        connection, wire = await CardConnection.open(channel, self._hear, self._timing)
        self._connection, self._context, self._methods = connection, CardContext(wire), None
        connection.start()
        self._topics.connected()
        self.fs.connected()
        for listener in self._ready:
            listener.put()
        try:
            return await connection.ended()
        finally:
            self._connection = None
            self._topics.lost()
            self.fs.lost()
            self._answers.cancel()
            self.tools.cancel()
            self.net.lost()
            await connection.close()

    def stop_handlers(self) -> None:
        """Cancel every handler that runs: the card is over."""
        self._listeners.cancel()
        self.ui.cancel()
        for listener in self._ready:
            listener.cancel()

    @property
    def busy(self) -> bool:
        """Whether any handler runs."""
        working = self._listeners.busy or self._answers.busy or self.tools.busy or self.ui.busy
        return working or any(listener.busy for listener in self._ready)

    def _hear(self, event: str, data: Any) -> None:
        self.context.take(event, data)
        if event == "ports.request":
            self._answers.take(Question.from_wire(data))
        self.tools.hear(event, data)
        self.net.hear(event, data)
        self.ui.hear(event, data)
        self._listeners.dispatch(event, data)

    def _on_topic(
        self, topic: str, handler: Callable[..., Any], agent_id: str | None, convert: Callable[[Any], tuple[Any, ...]]
    ) -> Stop:
        stop_listening = self._listeners.add(
            topic, handler, wants=lambda data: agent_id is None or data["agentId"] == agent_id, convert=convert
        )
        stop_wanting = self._topics.want(topic)

        def stop() -> None:
            stop_listening()
            stop_wanting()

        return stop

    async def _respond(self, answer: dict[str, Any]) -> None:
        await self.call("ports.respond", answer)

    def _post(self, method: str, params: dict[str, Any]) -> None:
        """Make a call whose answer nobody waits for, while the host is there."""
        if self._connection is not None:
            self._connection.post(method, params)

    def _report(self, where: str, error: Exception) -> None:
        """Tell a handler's fault: the traceback on standard error, one line in the card's log."""
        self._show(where, error)
        self._write("error", f"{where}: {type(error).__name__}: {error}")

    def _warn(self, where: str, error: Exception) -> None:
        """Tell a fault that its caller hears of too."""
        self._show(where, error)
        self._write("warn", f"{where}: {type(error).__name__}: {error}")

    def _show(self, _where: str, error: Exception) -> None:
        """Show a fault that its caller hears of: the traceback on standard error."""
        traceback.print_exception(error, file=sys.stderr)

    def _write(self, level: str, message: str) -> None:
        """Write to the card's log without waiting for it, while the host is there."""
        if self._connection is None:
            return
        for line_level, text in self._lines.admit(level, message, self._timing.steady_ms()):
            self._post("host.log", {"level": line_level, "message": text})

    def _check_port(self, side: str, port_id: str | None) -> None:
        if self.manifest is None or port_id is None:
            return
        ports = self.manifest["ports"]["inputs"] if side == "inputs" else self.manifest["ports"]["outputs"]
        known = [port["id"] for port in ports]
        if port_id not in known:
            raise ValueError(f"the manifest declares no {side[:-1]} {port_id!r}; it has: {', '.join(known) or 'none'}")


def _everything(_data: Any) -> bool:
    return True


def _news(data: Any, field: str) -> tuple[Any, Any, Any]:
    return data["agentId"], data[field], data["at"]
