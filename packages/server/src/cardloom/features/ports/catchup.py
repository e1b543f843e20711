"""What follows when arrows, ports or grants change: cards learn of their peers, late ones get the kept values.

Changes only mark a workspace; a moment later it is looked at once, however many there were. Spec: ports, kept values
and discovery; decision 43.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.ports import PeerInfo

from ...core.bus import Bus, card_topic
from ...core.clock import Clock
from ...core.graph import Graph
from ...core.records import Change, RemoveCard
from .activity import Activity
from .questions import Questions
from .service import PortsService
from .store import PortsStore

_log = logging.getLogger(__name__)
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often what is gathered is done."""

    settle_ms: int = limit("peersSettleMs")
    activity_ms: int = limit("activityMs")
    store_ms: int = limit("statsStoreMs")
    prune_ms: int = limit("journalPruneMs")


class CatchUp:
    """Follows the canvas for the ports feature and does in the background what can wait."""

    def __init__(
        self,
        ports: PortsService,
        questions: Questions,
        store: PortsStore,
        activity: Activity,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        rhythm: Rhythm = Rhythm(),
    ) -> None:
        self._ports = ports
        self._questions = questions
        self._store = store
        self._activity = activity
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._rhythm = rhythm
        self._told: dict[CardId, list[PeerInfo]] = {}
        self._versions: dict[WorkspaceId, int] = {}
        self._marked: dict[WorkspaceId, None] = {}
        self._awaited: dict[CardId, list[asyncio.Future[None]]] = {}
        self._something = asyncio.Event()

    # What others tell

    def changed(self, workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """The canvas changed: mark the workspace if that concerns who is joined to whom."""
        for change in changes:
            if isinstance(change, RemoveCard):
                self._ports.forget(change.card_id)
                self._questions.lost(change.card_id)
                self._told.pop(change.card_id, None)
                self._awaited.pop(change.card_id, None)
        version = self._graph.version(workspace_id)
        if self._versions.get(workspace_id) != version:
            self._versions[workspace_id] = version
            self.mark(workspace_id)

    def granted(self, workspace_id: WorkspaceId, _package_id: PackageId) -> None:
        """What a package may do changed: a kept value may have become readable."""
        self.mark(workspace_id)

    def card_connected(self, card_id: CardId) -> None:
        """A card's program did its handshake: it knows its peers and may have missed kept values."""
        for waiting in self._awaited.pop(card_id, ()):
            if not waiting.done():
                waiting.set_result(None)
        card = self._graph.find_card(card_id)
        if card is not None:
            self._told[card_id] = self._ports.peers(card_id)
            self.mark(card.workspace_id)

    def card_disconnected(self, card_id: CardId) -> None:
        """A card's program is gone: nobody answers for it."""
        self._told.pop(card_id, None)
        self._questions.lost(card_id)

    async def wait_connected(self, card_id: CardId) -> None:
        """Wait until a card's program does its handshake; whoever waits sets the time."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.setdefault(card_id, []).append(waiting)
        await waiting

    def mark(self, workspace_id: WorkspaceId) -> None:
        self._marked[workspace_id] = None
        self._something.set()

    # What is done about it

    async def settle(self) -> None:
        """Look at every marked workspace now."""
        while self._marked:
            workspace_id = next(iter(self._marked))
            del self._marked[workspace_id]
            self._tell_peers(workspace_id)
            await self._give_kept(workspace_id)

    def _tell_peers(self, workspace_id: WorkspaceId) -> None:
        for card_id, told in list(self._told.items()):
            card = self._graph.find_card(card_id)
            if card is None or card.workspace_id != workspace_id:
                continue
            peers = self._ports.peers(card_id)
            if peers != told:
                self._told[card_id] = peers
                self._bus.publish("ports.peersChanged", [peer.to_wire() for peer in peers], card_topic(card_id))

    async def _give_kept(self, workspace_id: WorkspaceId) -> None:
        for (card_id, output), seq in list(self._ports.ledger.kept_seqs().items()):
            card = self._graph.find_card(card_id)
            if card is None or card.workspace_id != workspace_id:
                continue
            if self._ports.waiting_for(card, output, seq):
                await self._ports.give_kept(card_id, output)

    async def run(self) -> None:
        """Do everything that waits, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._settle_loop())
            group.create_task(self._every(self._rhythm.activity_ms, self._show))
            group.create_task(self._every(self._rhythm.store_ms, self._activity.store))
            group.create_task(self._every(self._rhythm.prune_ms, self.forget_old))

    async def close(self) -> None:
        """Write what is only counted so far."""
        await self._activity.store()

    async def forget_old(self) -> None:
        """Forget what the journal need not keep any longer, and values of cards long gone."""
        now_ms = self._clock.now_ms()
        await self._store.prune(now_ms)
        old = await self._store.cards_kept_before(now_ms - limit("removedDays") * _DAY_MS)
        await self._store.forget_cards([card_id for card_id in old if self._graph.find_card(card_id) is None])

    async def _show(self) -> None:
        self._activity.show()

    async def _settle_loop(self) -> None:
        while True:
            await self._something.wait()
            await asyncio.sleep(self._rhythm.settle_ms / 1000)
            self._something.clear()
            await _supervised(self.settle)

    async def _every(self, period_ms: int, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(period_ms / 1000)
            await _supervised(work)


async def _supervised(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception:  # noqa: BLE001 - a task root: the next round may succeed
        _log.exception("work of the ports feature failed")
