"""Where a replay plays: a copy of a workspace in memory, and a ledger that is a list. No disk, no programs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.jstext import JsonValue

from ...core.call import Cause
from ...core.clock import Clock
from ...core.delivery import Receiver
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.ids import new_arrow_id, new_card_id, new_workspace_id
from ...core.records import Arrow, ArrowStats, Card, Change, PutArrow, PutCard, PutWorkspace, Workspace
from .model import Body, Entry, Given, Kept, Page


class Builtins(Protocol):
    """The built-in cards of a copy."""

    @property
    def receivers(self) -> dict[str, Receiver]:
        """What takes values in, by kind of card."""

    async def restore(self, card_id: CardId, value: JsonValue) -> None:
        """Put a card back to where its output said this; nothing is told."""

    def says(self, card_id: CardId) -> tuple[str, JsonValue]:
        """A card's output and what it says now."""

    async def tell(self, card_id: CardId) -> bool:
        """Let a card's output speak now; False when it has nothing to tell."""

    async def flush(self) -> None:
        """Let every output speak that has something to tell."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What built-in cards work with on a copy."""

    graph: Graph
    clock: Clock
    emit: Callable[[CardId, str, JsonValue, Cause | None], Awaitable[int]]
    is_said: Callable[[CardId, str, JsonValue], Awaitable[bool]]

    async def commit(
        self, workspace_id: WorkspaceId, make: Callable[[Graph], Sequence[Change]], _by: str | None = None, /
    ) -> None:
        """Change the copy."""
        self.graph.apply(workspace_id, make(self.graph))


class Copy:
    """A workspace once more, closed and under new ids; its arrows are drawn as the replay comes to their time."""

    def __init__(self, graph: Graph, grants: Grants, original: Workspace, now_ms: int) -> None:
        self.workspace = replace(
            original,
            id=new_workspace_id(),
            name=f"{original.name} (replay)",
            created_at_ms=now_ms,
            is_open=False,
        )
        self.graph, self.grants = Graph(), Grants()
        self.card_ids = {card.id: new_card_id() for card in graph.cards_of(original.id)}
        self.originals = {copied: card_id for card_id, copied in self.card_ids.items()}
        changes: list[Change] = [PutWorkspace(self.workspace)]
        changes += [PutCard(self._card(card, grants)) for card in graph.cards_of(original.id)]
        self.graph.apply(self.workspace.id, changes)
        arrows = sorted(graph.arrows_of(original.id), key=lambda arrow: arrow.drawn_at_ms, reverse=True)
        self._undrawn = [self._arrow(arrow) for arrow in arrows]

    def draw_until(self, at_ms: int) -> None:
        """Draw the arrows that stood there at a moment."""
        while self._undrawn and self._undrawn[-1].drawn_at_ms <= at_ms:
            self.graph.apply(self.workspace.id, [PutArrow(self._undrawn.pop())])

    def find(self, recorded: str | None) -> Card | None:
        """The copy of a card, None for one that the original does not have any more."""
        card_id = self.card_ids.get(CardId(recorded or ""))
        return None if card_id is None else self.graph.card(card_id)

    def original_of(self, copied: str | None) -> str | None:
        """The card that a card of the copy stands for."""
        return None if copied is None else self.originals.get(CardId(copied))

    def arrows_from(self, card_id: CardId) -> list[ArrowId]:
        """The arrows that carry values of a card."""
        return [arrow.id for arrow in self.graph.arrows_at(card_id) if arrow.carries_from(card_id)]

    def _card(self, card: Card, grants: Grants) -> Card:
        copied = replace(card, id=self.card_ids[card.id], workspace_id=self.workspace.id, runtime=None)
        package_id = card.content.get("packageId") if card.kind == "custom" else None
        if package_id is not None:
            self.grants.bind(copied.id, self.workspace.id, package_id)
            self.grants.set(self.workspace.id, package_id, grants.literal(card.workspace_id, package_id))
        return copied

    def _arrow(self, arrow: Arrow) -> Arrow:
        return replace(
            arrow,
            id=new_arrow_id(),
            workspace_id=self.workspace.id,
            a=self.card_ids[arrow.a],
            b=self.card_ids[arrow.b],
            stats=ArrowStats(),
        )


@dataclass(slots=True)
class MemoryLedger:
    """A ledger that only remembers."""

    written: list[tuple[Entry, Body]] = field(default_factory=list)
    values: dict[tuple[CardId, str], Kept] = field(default_factory=dict)
    given: dict[tuple[ArrowId, CardId, str], int] = field(default_factory=dict)
    last_id: int = 0

    def next_ids(self, count: int) -> int:
        self.last_id += count
        return self.last_id - count + 1

    def write(self, page: Page) -> Awaitable[None]:
        if page.sheet is not None:
            self.written += [(entry, page.body) for entry in page.sheet.entries()]
        if page.kept is not None:
            self.values[(page.kept.card_id, page.kept.output)] = page.kept
        for one in page.given:
            self.given[(one.arrow_id, one.card_id, one.output)] = one.seq
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def kept(self, card_id: CardId, output: str) -> Kept | None:
        return self.values.get((card_id, output))

    def kept_seqs(self) -> Mapping[tuple[CardId, str], int]:
        return {key: kept.seq for key, kept in self.values.items() if kept.text is not None}

    def given_seq(self, arrow_id: ArrowId, card_id: CardId, output: str) -> int:
        return self.given.get((arrow_id, card_id, output), 0)


def kept_page(card_id: CardId, output: str, seq: int, at_ms: int, body: Body, arrows: Sequence[ArrowId]) -> Page:
    """The page that makes an output keep a value and takes it for given along these arrows."""
    given = [Given(arrow_id, card_id, output, seq) for arrow_id in arrows]
    return Page(body, None, Kept(card_id, output, seq, at_ms, body.text), given)
