"""The rooms that all features share: database, graph, bus, the one dispatcher, and who is connected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cardloom_sdk.discovery import KEY_NAME

from ..core.bus import Bus
from ..core.call import Handlers
from ..core.clock import Clock
from ..core.dialogs import Dialogs
from ..core.directory import Directory
from ..core.grants import Grants
from ..core.graph import Graph
from ..core.mounts import Mounts
from ..core.presence import Presence
from ..core.subscriptions import Subscriptions
from ..core.tokens import CardTokens
from ..dispatch.dispatcher import Dispatcher
from ..dispatch.gate import Gate
from ..features.agents.prompts.store import SCHEMA as PROMPTS_SCHEMA
from ..features.agents.prompts.store import add_begun
from ..features.canvas.store import SCHEMA as CANVAS_SCHEMA
from ..features.cards.contract import SCHEMA as CONTRACT_SCHEMA
from ..features.cards.packaging import SCHEMA as PACKAGING_SCHEMA
from ..features.cards.store import SCHEMA as CARDS_SCHEMA
from ..features.ports.journal import BULKY_TABLES
from ..features.ports.journal_moving import move_first_form
from ..features.ports.store import SCHEMA as PORTS_SCHEMA
from ..features.sessions.store_rows import BULKY_TABLES as BULKY_SESSION_TABLES
from ..features.sessions.store_rows import SCHEMA as SESSIONS_SCHEMA
from ..features.usage.ledger import SCHEMA as USAGE_SCHEMA
from ..host.database import Database
from ..settings import Settings
from ..transport.auth import AccessCodes, Address, Doorkeeper, read_or_make_key
from ..transport.line import OutboxSizes, Room
from ..transport.socket import Sockets, SocketTimes

Step: TypeAlias = Callable[[], Awaitable[None]]

_SCHEMA = (
    *CANVAS_SCHEMA,
    *PORTS_SCHEMA,
    *CARDS_SCHEMA,
    *CONTRACT_SCHEMA,
    *PACKAGING_SCHEMA,
    *SESSIONS_SCHEMA,
    *PROMPTS_SCHEMA,
    *USAGE_SCHEMA,
)


@dataclass(frozen=True, slots=True)
class Life:
    """What features do at the start, at the end (the last one first) and as tasks that run until the end."""

    on_start: list[Step] = field(default_factory=list)
    on_stop: list[Step] = field(default_factory=list)
    background: list[Callable[[], Coroutine[Any, Any, None]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shared:
    """What every group of features is joined to."""

    settings: Settings
    clock: Clock
    database: Database
    graph: Graph
    bus: Bus
    presence: Presence
    grants: Grants
    directory: Directory
    dialogs: Dialogs
    subscriptions: Subscriptions
    tokens: CardTokens
    agent_tokens: CardTokens
    mounts: Mounts
    handlers: Handlers
    gate: Gate
    dispatcher: Dispatcher
    address: Address
    owner_key: str
    session_key: str
    doorkeeper: Doorkeeper
    room: Room
    sockets: Sockets
    notices: list[str]
    life: Life


def open_shared(settings: Settings, clock: Clock) -> Shared:
    """Open the data folder, which is made where it is missing, and furnish the rooms."""
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    notices: list[str] = []
    database = _open_database(settings, clock, notices)
    bus, graph, presence, grants, directory = Bus(), Graph(), Presence(), Grants(), Directory()
    tokens, agent_tokens, handlers = CardTokens(), CardTokens(), Handlers()
    gate = Gate(graph, grants, presence, clock)
    dispatcher = Dispatcher(handlers.by_name, gate)
    address = Address(settings.port)
    owner_key = read_or_make_key(settings.data_folder / KEY_NAME)
    session_key = read_or_make_key(settings.data_folder / "session.key")
    doorkeeper = Doorkeeper(address, owner_key, AccessCodes(clock), tokens, agent_tokens, session_key=session_key)
    room = Room(dispatcher, bus, presence, clock, doorkeeper.is_owner_key)
    sockets = Sockets(
        room,
        SocketTimes(settings.hello_timeout_ms, settings.ready_timeout_ms, settings.stall_timeout_ms),
        OutboxSizes(settings.outbox_events, settings.outbox_bytes),
    )
    return Shared(
        settings=settings,
        clock=clock,
        database=database,
        graph=graph,
        bus=bus,
        presence=presence,
        grants=grants,
        directory=directory,
        dialogs=Dialogs(bus, clock),
        subscriptions=Subscriptions(grants, graph, directory),
        tokens=tokens,
        agent_tokens=agent_tokens,
        mounts=Mounts(clock),
        handlers=handlers,
        gate=gate,
        dispatcher=dispatcher,
        address=address,
        owner_key=owner_key,
        session_key=session_key,
        doorkeeper=doorkeeper,
        room=room,
        sockets=sockets,
        notices=notices,
        life=Life(),
    )


def _open_database(settings: Settings, clock: Clock, notices: list[str]) -> Database:
    database = Database(
        settings.data_folder / "cardloom.db",
        _SCHEMA,
        now_ms=clock.now_ms(),
        bulky=(*BULKY_TABLES, *BULKY_SESSION_TABLES),
        upgrades=(move_first_form, add_begun),
    )
    if database.replaced is not None:
        notices.append(
            f"The database was damaged ({database.replaced.reason}). It is kept as {database.replaced.backup}; "
            f"a new one was begun at {database.replaced.fresh}."
        )
    return database
