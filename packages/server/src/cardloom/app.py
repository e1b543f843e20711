"""The composition root: `build` calls the functions of `wiring` in turn, `App` frames the life of what they made.

`build` gives a server that is wired but has no socket (tests talk to its lines); `serving` adds socket and console.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import ASGIApp

from cardloom_protocol.callers import Caller
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId, WorkspaceId

from .core.bus import OWNERS, Bus
from .core.call import Handlers
from .core.clock import Clock, SystemClock
from .core.dialogs import Dialogs
from .core.directory import Directory
from .core.grants import Grants
from .core.graph import Graph
from .core.presence import Presence
from .core.records import Card
from .core.subscriptions import Subscriptions
from .core.tokens import CardTokens
from .dispatch.dispatcher import Dispatcher
from .features.canvas.service import CanvasService
from .features.cards.builtin.service import BuiltinCards
from .features.cards.contract import CardContract
from .features.cards.packaging import Packaging
from .features.cards.service import CardsService
from .features.files.service import FilesService
from .features.ports.activity import Activity
from .features.ports.catchup import CatchUp
from .features.ports.questions import Questions
from .features.ports.service import PortsService
from .features.ports.store import PortsStore
from .features.sessions.service import SessionsService
from .features.terminals.service import TerminalService
from .features.usage.service import UsageService
from .host.database import Database
from .host.fetch import Fetcher
from .settings import Settings
from .transport.auth import Address, Doorkeeper
from .transport.frames import FrameServer
from .transport.line import Close, Line, Room, Spawn
from .transport.mcp.door import AgentDoor
from .transport.pages import Pages
from .transport.routes import Door, make_asgi
from .transport.sessions import SessionDoor
from .transport.socket import Sockets
from .wiring.agent_sessions import join_agent_sessions
from .wiring.agents import AgentsGroup, join_agents
from .wiring.canvas import join_canvas
from .wiring.cards import CardsGroup, join_cards
from .wiring.files import join_files
from .wiring.programs import ProgramsGroup, join_programs
from .wiring.sessions import join_sessions
from .wiring.shared import Life, Shared, open_shared
from .wiring.tools import join_tools
from .wiring.usage import join_usage
from .wiring.values import ValuesGroup, join_values

_log = logging.getLogger(__name__)

ANEW_S: Final = 5.0
"""How long after a failure lasting work begins anew."""


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
    sessions: SessionsService
    contract: CardContract
    packaging: Packaging
    mcp: AgentDoor
    agents: AgentsGroup
    usage: UsageService
    fetcher: Fetcher
    owner_key: str
    notices: list[str]
    life: Life
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self) -> None:
        """Bring back what was open: first the features' own steps, then the workspaces that were open."""
        await self.canvas.purge_removed()
        await self.canvas.workspaces.check_folders()
        for step in self.life.on_start:
            await step()
        await self.canvas.announce_open()
        self._tasks += [asyncio.create_task(_lasting(work)) for work in (self._look_at_folders, *self.life.background)]

    def say_goodbye(self) -> None:
        """Tell the clients that the server is about to end."""
        self.bus.publish("server.closing", {}, OWNERS)

    async def stop(self) -> None:
        """End in order: no more calls, the features' own steps from the last to the first, write, close."""
        await self.sockets.end_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for step in reversed(self.life.on_stop):
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
            await self.canvas.workspaces.check_folders()


async def _lasting(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Root of the work that goes on as long as the server: what fails of it, as on a full disk, begins anew."""
    while True:
        try:
            return await work()
        except CallError as error:
            _log.warning("%s was refused: %s", _name(work), error)
        except Exception:  # noqa: BLE001 - a task root: without it the work would have ended unheard
            _log.exception("%s failed", _name(work))
        await asyncio.sleep(ANEW_S)


def _name(work: object) -> str:
    return getattr(work, "__qualname__", repr(work))


@dataclass(frozen=True, slots=True)
class _Groups:
    """What the functions of `wiring` made, in their order."""

    files: FilesService
    canvas: CanvasService
    values: ValuesGroup
    programs: ProgramsGroup
    usage: UsageService
    agents: AgentsGroup
    cards: CardsGroup
    mcp: AgentDoor
    sessions: SessionsService


def build(settings: Settings, clock: Clock | None = None) -> App:
    """Wire a server on a data folder, which is made where it is missing."""
    shared = open_shared(settings, clock or SystemClock())
    groups = _joined(shared)
    _forget_removed(shared, groups.canvas)
    return _app(shared, groups)


def _joined(shared: Shared) -> _Groups:
    files = join_files(shared)
    canvas_group = join_canvas(shared)
    canvas = canvas_group.canvas
    values = join_values(shared, canvas)
    programs = join_programs(shared, canvas, values.ports)
    usage = join_usage(shared, canvas)
    agents = join_agents(shared, canvas, values, programs, usage)
    cards = join_cards(shared, canvas_group, values)
    mcp = join_tools(shared, canvas, cards.contract)
    sessions = join_sessions(shared, canvas, values.ports)
    join_agent_sessions(shared, agents, sessions)
    return _Groups(files, canvas, values, programs, usage, agents, cards, mcp, sessions)


def _app(shared: Shared, groups: _Groups) -> App:
    """All that was made, by the names that serving it and tests of it use."""
    values, cards = groups.values, groups.cards
    return App(
        settings=shared.settings,
        asgi=_asgi(shared, groups.mcp, groups.agents, groups.sessions),
        address=shared.address,
        database=shared.database,
        graph=shared.graph,
        bus=shared.bus,
        clock=shared.clock,
        dialogs=shared.dialogs,
        directory=shared.directory,
        grants=shared.grants,
        presence=shared.presence,
        tokens=shared.tokens,
        handlers=shared.handlers,
        dispatcher=shared.dispatcher,
        doorkeeper=shared.doorkeeper,
        room=shared.room,
        sockets=shared.sockets,
        canvas=groups.canvas,
        subscriptions=shared.subscriptions,
        terminals=groups.programs.terminals,
        ports=values.ports,
        ports_store=values.store,
        activity=values.activity,
        questions=values.questions,
        catch_up=values.catch_up,
        builtin_cards=values.builtin_cards,
        cards=cards.cards,
        files=groups.files,
        sessions=groups.sessions,
        contract=cards.contract,
        packaging=cards.packaging,
        mcp=groups.mcp,
        agents=groups.agents,
        usage=groups.usage,
        fetcher=cards.fetcher,
        owner_key=shared.owner_key,
        notices=shared.notices,
        life=shared.life,
    )


def _forget_removed(shared: Shared, canvas: CanvasService) -> None:
    """Whoever removes a card ends what was its own."""

    async def forget_card(card: Card) -> None:
        shared.gate.forget(card.id)
        shared.tokens.revoke(card.id)
        shared.agent_tokens.revoke(card.id)
        shared.dialogs.refuse_of(card.id)
        shared.sockets.close_card(card.id)

    canvas.listeners.card_removed.append(forget_card)


def _asgi(shared: Shared, mcp: AgentDoor, agents: AgentsGroup, sessions: SessionsService) -> ASGIApp:
    def workspace_of(card_id: CardId) -> WorkspaceId | None:
        card = shared.graph.find_card(card_id)
        return None if card is None else card.workspace_id

    web_folder = shared.settings.web_folder
    return make_asgi(
        Door(
            doorkeeper=shared.doorkeeper,
            room=shared.room,
            sockets=shared.sockets,
            pages=Pages(web_folder),
            mounts=shared.mounts,
            frames=FrameServer(shared.mounts, web_folder / "ns"),
            workspace_of=workspace_of,
            mcp=mcp,
            hooks=agents.hooks,
            sessions=SessionDoor(shared.doorkeeper, sessions),
        )
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
