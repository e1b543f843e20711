"""The composition root: builds the parts and hands each what it needs. Read from top to bottom, one block a feature.

`build` gives a server that is wired but has no socket (tests talk to its lines); `serving` adds socket and console.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.types import ASGIApp

from cardloom_protocol.callers import Caller
from cardloom_protocol.ids import CardId, WorkspaceId

from .core.bus import OWNERS, Bus
from .core.call import Cause, Handlers
from .core.clock import Clock, SystemClock
from .core.dialogs import Dialogs
from .core.directory import Directory
from .core.grants import Grants
from .core.graph import Graph
from .core.ids import new_item_id
from .core.mounts import Mounts
from .core.presence import Presence
from .core.records import Card
from .core.subscriptions import Subscriptions
from .core.tokens import CardTokens
from .dispatch.dispatcher import Dispatcher
from .dispatch.gate import Gate
from .features.agents import handlers as agent_handlers
from .features.agents.service import AgentService
from .features.canvas import handlers as canvas_handlers
from .features.canvas.folders import check_folder
from .features.canvas.handlers import Surroundings
from .features.canvas.model import SIZES
from .features.canvas.service import CanvasService
from .features.canvas.store import SCHEMA as CANVAS_SCHEMA
from .features.cards import handlers as card_handlers
from .features.cards.builtin import handlers as builtin_handlers
from .features.cards.builtin.service import BuiltinCards
from .features.cards.contract import SCHEMA as CONTRACT_SCHEMA
from .features.cards.contract import CardContract, Outside
from .features.cards.frames import handlers as frame_handlers
from .features.cards.growing import CanvasTools
from .features.cards.model import Taste
from .features.cards.packages import Packages, bundled_folders
from .features.cards.packaging import SCHEMA as PACKAGING_SCHEMA
from .features.cards.packaging import Packaging
from .features.cards.service import CardsService
from .features.cards.store import SCHEMA as CARDS_SCHEMA
from .features.cards.store import CardsStore
from .features.cards.surface import Rooms
from .features.cards.surface import Surroundings as CardSurroundings
from .features.files import handlers as file_handlers
from .features.files.service import FilesService
from .features.ports import handlers as port_handlers
from .features.ports.activity import Activity
from .features.ports.catchup import CatchUp
from .features.ports.questions import Questions
from .features.ports.replay import Replays
from .features.ports.service import PortsService
from .features.ports.stage import Stage
from .features.ports.store import BULKY_TABLES, PortsStore
from .features.ports.store import SCHEMA as PORTS_SCHEMA
from .features.terminals import handlers as terminal_handlers
from .features.terminals.service import CommandRecord, TerminalService
from .features.terminals.service import Hooks as TerminalHooks
from .host.accelerator import check_value as accelerated_check
from .host.database import Database
from .host.fetch import Fetcher
from .host.shells import usual_shell
from .host.vault import Vault, system_keyring
from .settings import Settings
from .transport.auth import AccessCodes, Address, Doorkeeper, read_or_make_key
from .transport.frames import FrameServer
from .transport.line import Close, Line, OutboxSizes, Room, Spawn
from .transport.mcp.desk import Hall
from .transport.mcp.door import PATH as MCP_PATH
from .transport.mcp.door import AgentDoor, AgentServer
from .transport.pages import Pages
from .transport.routes import Door, make_asgi
from .transport.socket import Sockets, SocketTimes

_log = logging.getLogger(__name__)

Step: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class App:
    """A wired server. `start` and `stop` frame its life; `asgi` is its HTTP side."""

    settings: Settings
    asgi: ASGIApp
    address: Address
    database: Database
    graph: Graph
    bus: Bus
    clock: Clock
    dialogs: Dialogs
    directory: Directory
    grants: Grants
    presence: Presence
    tokens: CardTokens
    handlers: Handlers
    dispatcher: Dispatcher
    doorkeeper: Doorkeeper
    room: Room
    sockets: Sockets
    canvas: CanvasService
    subscriptions: Subscriptions
    terminals: TerminalService
    ports: PortsService
    ports_store: PortsStore
    activity: Activity
    questions: Questions
    catch_up: CatchUp
    builtin_cards: BuiltinCards
    cards: CardsService
    files: FilesService
    contract: CardContract
    packaging: Packaging
    mcp: AgentDoor
    fetcher: Fetcher
    owner_key: str
    notices: list[str]
    on_start: list[Step] = field(default_factory=list)
    on_stop: list[Step] = field(default_factory=list)
    background: list[Callable[[], Coroutine[Any, Any, None]]] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self) -> None:
        """Bring back what was open: first the features' own steps, then the workspaces that were open."""
        await self.canvas.purge_removed()
        await self.canvas.workspaces.check_folders()
        for step in self.on_start:
            await step()
        await self.canvas.announce_open()
        self._tasks += [asyncio.create_task(work()) for work in (self._look_at_folders, *self.background)]

    def say_goodbye(self) -> None:
        """Tell the clients that the server is about to end."""
        self.bus.publish("server.closing", {}, OWNERS)

    async def stop(self) -> None:
        """End in order: no more calls, the features' own steps from the last to the first, write, close."""
        await self.sockets.end_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for step in reversed(self.on_stop):
            (outcome,) = await asyncio.gather(step(), return_exceptions=True)
            if isinstance(outcome, Exception):
                _log.error("a step of the server's end failed", exc_info=outcome)
        await self.canvas.commits.settle()
        await self.database.flush()
        self.database.close()

    def line(self, caller: Caller, *, spawn: Spawn, close: Close, proven: bool = True) -> Line:
        """A connection without a socket, for those inside the same process."""
        return Line(self.room, caller, spawn=spawn, close=close, proven=proven, on_ready=self._is_ready)

    def _is_ready(self, line: Line) -> None:
        if line.caller.card_id is not None:
            self.sockets.hooks.tell_connected(line.caller.card_id, line.caller.connection_id)

    async def _look_at_folders(self) -> None:
        while True:
            await asyncio.sleep(self.settings.folder_check_ms / 1000)
            try:
                await self.canvas.workspaces.check_folders()
            except Exception:  # noqa: BLE001 - a task root: the next look may succeed
                _log.exception("looking at the workspaces' folders failed")


def build(settings: Settings, clock: Clock | None = None) -> App:
    """Wire a server on a data folder, which is made where it is missing."""
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock = clock or SystemClock()
    notices: list[str] = []

    # Shared rooms.
    database = Database(
        settings.data_folder / "cardloom.db",
        [*CANVAS_SCHEMA, *PORTS_SCHEMA, *CARDS_SCHEMA, *CONTRACT_SCHEMA, *PACKAGING_SCHEMA],
        now_ms=clock.now_ms(),
        bulky=BULKY_TABLES,
    )
    if database.replaced is not None:
        notices.append(
            f"The database was damaged ({database.replaced.reason}). It is kept as {database.replaced.backup}; "
            f"a new one was begun at {database.replaced.fresh}."
        )
    bus, graph, presence, grants, directory = Bus(), Graph(), Presence(), Grants(), Directory()
    dialogs = Dialogs(bus, clock)
    subscriptions = Subscriptions(grants, graph, directory)
    tokens, agent_tokens, mounts = CardTokens(), CardTokens(), Mounts(clock)
    handlers = Handlers()
    gate = Gate(graph, grants, presence, clock)
    dispatcher = Dispatcher(handlers.by_name, gate)

    # Transport.
    address = Address(settings.port)
    owner_key = read_or_make_key(settings.data_folder / "owner.key")
    doorkeeper = Doorkeeper(address, owner_key, AccessCodes(clock), tokens, agent_tokens)
    room = Room(dispatcher, bus, presence, clock, doorkeeper.is_owner_key)
    sockets = Sockets(
        room,
        SocketTimes(settings.hello_timeout_ms, settings.ready_timeout_ms, settings.stall_timeout_ms),
        OutboxSizes(settings.outbox_events, settings.outbox_bytes),
    )

    # Feature canvas.
    canvas = CanvasService(database, graph, bus, clock, dialogs)
    surroundings = Surroundings(bus, presence, dialogs, doorkeeper.new_address, notices=notices)
    handlers.add(canvas_handlers.handlers(canvas, surroundings))

    # Feature ports.
    ports_store = PortsStore(database)
    activity = Activity(graph, bus, canvas.commits.patch_stats, canvas.write_stats)
    ports = PortsService(graph, grants, bus, clock, ports_store, activity, {}, check=accelerated_check)
    questions = Questions(ports, graph, bus, clock, check=accelerated_check)
    catch_up = CatchUp(ports, questions, ports_store, activity, graph, bus, clock)
    canvas.listeners.changed.append(catch_up.changed)
    grants.listen(catch_up.granted)
    sockets.hooks.connected.append(lambda card_id, _connection_id: catch_up.card_connected(card_id))
    sockets.hooks.disconnected.append(lambda card_id, _connection_id, _reason: catch_up.card_disconnected(card_id))

    # Feature cards: the insides of built-in cards.
    builtin_cards = BuiltinCards(graph, canvas.commit, ports.emit, ports.is_said, clock, new_item_id)
    ports.receivers.update(builtin_cards.receivers)
    canvas.listeners.changed.append(builtin_cards.changed)
    handlers.add(builtin_handlers.handlers(builtin_cards, graph))

    def builtins_on(stage: Stage) -> BuiltinCards:
        return BuiltinCards(stage.graph, stage.commit, stage.emit, stage.is_said, stage.clock, new_item_id)

    replays = Replays(graph, grants, ports_store, clock, builtins_on, canvas.add_copy)
    handlers.add(port_handlers.handlers(ports, questions, ports_store, graph, canvas.commit, replays))

    # Features agents and terminals.
    async def record_command(record: CommandRecord) -> Cause:
        return await ports.record_act(
            "command", record.sender, record.to, record.command, record.cause, error=record.error
        )

    agents = AgentService(graph, bus, clock, directory, subscriptions)

    def admit_agent(card_id: CardId) -> dict[str, str]:
        agent_tokens.revoke(card_id)
        return {"url": f"{address.url}{MCP_PATH}", "token": agent_tokens.issue(card_id)}

    handlers.add(agent_handlers.handlers(agents, graph, admit_agent))
    terminal_hooks = TerminalHooks(
        canvas.commits.patch_runtime, check_folder, emit=ports.emit, record=record_command, count=gate.count
    )
    terminals = TerminalService(graph, bus, clock, directory, subscriptions, terminal_hooks)
    terminals.set_scheme(canvas.preferences["scheme"])
    handlers.add(terminal_handlers.handlers(terminals, ports.post.cause_of))
    ports.receivers["terminal"] = terminals.receive
    canvas.default_shell = usual_shell()
    canvas.listeners.card_added.append(terminals.card_added)
    canvas.listeners.card_removed.append(terminals.card_removed)
    canvas.listeners.workspace_opened.append(terminals.workspace_opened)
    canvas.listeners.workspace_closed.append(terminals.workspace_closed)
    canvas.listeners.changed.append(terminals.canvas_changed)

    # Feature files.
    files = FilesService(graph, grants, bus, settings.data_folder, check_ms=settings.folder_check_ms)
    handlers.add(file_handlers.handlers(files, graph))

    # Feature cards: cards of packages and their programs.
    folders = bundled_folders() if settings.package_folders is None else settings.package_folders
    card_surroundings = CardSurroundings(
        canvas.commit,
        canvas.add_made,
        canvas.commits.patch_runtime,
        ports.peers,
        lambda: Taste(canvas.preferences["scheme"], canvas.preferences["language"]),
    )
    card_rooms, cards_store = Rooms(graph, bus, clock, presence, grants, subscriptions, mounts), CardsStore(database)
    cards = CardsService(
        card_rooms,
        cards_store,
        Packages(folders),
        tokens,
        dialogs,
        card_surroundings,
    )
    handlers.add(card_handlers.handlers(cards))
    handlers.add(frame_handlers.handlers(cards.frames, presence))
    cards.dismiss = sockets.dismiss_card
    canvas.listeners.changed.append(cards.canvas_changed)
    canvas.describe_package = cards.describe
    surroundings.packages = cards.packages_to_wire
    canvas.listeners.card_added.append(cards.card_added)
    canvas.listeners.card_removed.append(cards.card_removed)
    canvas.listeners.workspace_opened.append(cards.workspace_opened)
    canvas.listeners.workspace_closed.append(cards.workspace_closed)
    sockets.hooks.connected.append(lambda card_id, _connection_id: cards.connected(card_id))
    sockets.hooks.disconnected.append(lambda card_id, _connection_id, reason: cards.disconnected(card_id, reason))

    # Feature cards: what the card contract offers besides.
    fetcher = Fetcher(lambda: address.port)
    vault = Vault(settings.data_folder, system_keyring if settings.use_keyring else None)
    canvas_tools = CanvasTools(
        canvas.commit,
        canvas.add_made,
        canvas.connect,
        canvas.built_in_recipe,
        SIZES.__getitem__,
        card_surroundings.taste,
    )
    contract = CardContract(
        cards, card_rooms, card_surroundings, cards_store, canvas_tools, dialogs, Outside(database, fetcher, vault)
    )
    handlers.add(contract.handlers())
    canvas.listeners.card_added.append(contract.card_added)
    canvas.listeners.card_removed.append(contract.card_removed)
    sockets.hooks.disconnected.append(lambda card_id, _connection_id, _reason: contract.disconnected(card_id))

    # Feature cards: packages that the owner installs.
    packaging = Packaging(
        cards,
        database,
        fetcher,
        clock,
        settings.data_folder / "packages",
        bundled=bundled_folders(),
        drop_data=contract.drop_data,
    )
    handlers.add(packaging.handlers())

    def look_at_settings(_: object) -> None:
        canvas.commits.start(contract.settings.look_again())

    bus.listen("packages.changed", look_at_settings)

    # A question to a card that sleeps or is on its way up waits for it.
    async def wake(card_id: CardId) -> bool:
        if not cards.wake(card_id):
            return False
        await catch_up.wait_connected(card_id)
        return True

    questions.wake = contract.tools.wake = wake

    # Tools for agents.
    hall = Hall(dispatcher, graph, directory, contract.growing.children)

    def load_agent_server() -> AgentServer:
        from .transport.mcp.server import McpServer

        return McpServer(hall, contract.tools, doorkeeper.agent_by_header)

    mcp = AgentDoor(doorkeeper.agent_by_header, load_agent_server)
    canvas.listeners.changed.append(mcp.canvas_changed)
    contract.tools.changed.append(mcp.look_again)
    directory.listen(mcp.look_again)
    bus.listen("packages.changed", mcp.look_again)

    async def resume_builtins() -> None:
        builtin_cards.resume()

    async def begin_contract() -> None:
        await contract.begin(canvas.kept_cards())

    # Whoever removes a card ends what was its own.
    async def forget_card(card: Card) -> None:
        gate.forget(card.id)
        tokens.revoke(card.id)
        agent_tokens.revoke(card.id)
        mcp.forget(card.id)
        dialogs.refuse_of(card.id)
        sockets.close_card(card.id)

    canvas.listeners.card_removed.append(forget_card)

    def workspace_of(card_id: CardId) -> WorkspaceId | None:
        card = graph.find_card(card_id)
        return None if card is None else card.workspace_id

    pages, frames = Pages(settings.web_folder), FrameServer(mounts, settings.web_folder / "ns")
    asgi = make_asgi(Door(doorkeeper, room, sockets, pages, mounts, frames, workspace_of, mcp))
    return App(
        settings=settings,
        asgi=asgi,
        address=address,
        database=database,
        graph=graph,
        bus=bus,
        clock=clock,
        dialogs=dialogs,
        directory=directory,
        grants=grants,
        presence=presence,
        tokens=tokens,
        handlers=handlers,
        dispatcher=dispatcher,
        doorkeeper=doorkeeper,
        room=room,
        sockets=sockets,
        canvas=canvas,
        subscriptions=subscriptions,
        terminals=terminals,
        ports=ports,
        ports_store=ports_store,
        activity=activity,
        questions=questions,
        catch_up=catch_up,
        builtin_cards=builtin_cards,
        cards=cards,
        files=files,
        contract=contract,
        packaging=packaging,
        mcp=mcp,
        fetcher=fetcher,
        owner_key=owner_key,
        notices=notices,
        on_start=[files.begin, resume_builtins, cards.forget_unknown, begin_contract, packaging.library.begin],
        on_stop=[catch_up.close, builtin_cards.flush, terminals.close, files.close, cards.close, contract.close],
        background=[catch_up.run, files.run, builtin_cards.run, cards.heartbeats.run, cards.frames.run, mcp.run],
    )


@asynccontextmanager
async def running(settings: Settings, clock: Clock | None = None) -> AsyncIterator[App]:
    """A wired and started server without a socket."""
    app = build(settings, clock)
    await app.start()
    try:
        yield app
    finally:
        await app.stop()
