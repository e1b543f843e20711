"""Plain output for cards: gathered, permission asked at each chunk, whole chunks lost by the slow."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom.core.bus import Bus, Event, card_topic
from cardloom.core.clock import VirtualClock
from cardloom.core.directory import Directory
from cardloom.core.grants import Grants
from cardloom.core.graph import Graph
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, PutWorkspace, RemoveArrow, Workspace
from cardloom.core.subscriptions import Subscriptions
from cardloom.features.terminals.output import OutputFeed
from cardloom_protocol.agents import AgentInfo, AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ConnectionId, PackageId, WorkspaceId

HOME, READER, SHELL, PACKAGE = WorkspaceId("w"), CardId("c_reader"), CardId("c_shell"), PackageId("p")


class _World:
    """A shell and a card joined by an arrow; `unread` is what waits for the card."""

    def __init__(self) -> None:
        self.graph, self.grants, self.directory, self.bus = Graph(), Grants(), Directory(), Bus()
        self.graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/w", 0))])
        for card_id, kind in ((READER, "custom"), (SHELL, "terminal")):
            self.graph.apply(HOME, [PutCard(Card(card_id, HOME, kind, 0, 0, 1, 1, 0, 0))])
        self.join()
        self.grants.bind(READER, HOME, PACKAGE)
        self.grants.set(HOME, PACKAGE, ["agents.output", "agents.read"])
        self.directory.put(HOME, SHELL, AgentInfo(SHELL, "Shell", "shell-bash", "shell", AgentStatus.IDLE))
        self.subscriptions = Subscriptions(self.grants, self.graph, self.directory)
        self.unread = 0
        self.texts: list[str] = []
        self.bus.attach(ConnectionId("n"), self._take, lambda: self.unread)
        self.bus.follow(ConnectionId("n"), card_topic(READER))
        self.feed = OutputFeed(self.bus, VirtualClock(), self.subscriptions, SHELL, max_units=20, max_unread=100)

    def join(self, *, pending: bool = False) -> None:
        arrow = Arrow(ArrowId("a"), HOME, SHELL, READER, "forward", DrawnBy(), 0, 1, pending=pending)
        self.graph.apply(HOME, [PutArrow(arrow)])

    def print(self, text: str) -> None:
        self.feed.add(text.encode())

    def _take(self, event: Event) -> None:
        data: Any = event.data
        assert data["agentId"] == SHELL
        self.texts.append(data["text"])


@pytest.fixture
def world() -> _World:
    return _World()


async def test_output_is_gathered_and_without_sequences(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    world.print("\x1b[31mone\x1b")
    world.print("[0m\r\n")
    assert world.texts == []
    world.feed.flush()
    assert world.texts == ["one\n"]


async def test_a_full_chunk_does_not_wait(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    world.print("x" * 15)
    world.print("y" * 15)
    assert world.texts == ["x" * 15]


async def test_blocks_of_a_flood_are_joined_in_order_whatever_is_cut_at_their_ends(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    feed = OutputFeed(world.bus, VirtualClock(), world.subscriptions, SHELL)
    flood = "".join(f"\x1b[3{number % 8}mline {number} ✓\x1b[0m\r\n" for number in range(20_000))
    for at in range(0, len(flood), 4099):
        feed.add(flood[at : at + 4099].encode())
    feed.flush()
    assert "".join(world.texts) == "".join(f"line {number} ✓\n" for number in range(20_000))
    assert max(map(len, world.texts)) <= 64 << 10


async def test_one_large_piece_becomes_chunks_of_whole_characters(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    text = "aжы你好🙂" * 9
    world.print(text)
    world.feed.flush()
    assert "".join(world.texts) == text
    assert max(len(chunk.encode()) for chunk in world.texts) <= 20


async def test_a_slow_reader_loses_whole_chunks_and_is_told_how_much(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    world.unread = 101
    for text in ("é" * 5, "lost"):
        world.print(text)
        world.feed.flush()
    world.unread = 100
    world.print("next\n")
    world.feed.flush()
    world.print("more\n")
    world.feed.flush()
    assert world.texts == ["[14 bytes left out]\nnext\n", "more\n"]


async def test_a_revoked_permission_or_a_removed_arrow_ends_the_flow(world: _World) -> None:
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])

    def printed(text: str) -> list[str]:
        world.print(text)
        world.feed.flush()
        return world.texts

    assert printed("1") == ["1"]
    world.grants.set(HOME, PACKAGE, ["agents.read"])
    assert printed("2") == ["1"]
    world.grants.set(HOME, PACKAGE, ["agents.output"])
    assert printed("3") == ["1", "3"]
    world.graph.apply(HOME, [RemoveArrow(ArrowId("a"))])
    assert printed("4") == ["1", "3"]
    world.join(pending=True)
    assert printed("5") == ["1", "3"]


def test_topics_without_their_permission_are_left_out(world: _World) -> None:
    world.grants.set(HOME, PACKAGE, ["agents.read"])
    accepted = world.subscriptions.subscribe(READER, ["agents.output", "agents.status", "storage.changed"], [SHELL])
    assert accepted == ["agents.status", "storage.changed"]
    assert world.subscriptions.subscribers("agents.status") == [READER]
    assert not world.subscriptions.is_read(SHELL)


def test_output_needs_agents_that_exist_and_are_joined(world: _World) -> None:
    def refused(agents: list[str] | None) -> ErrorCode:
        with pytest.raises(CallError) as refusal:
            world.subscriptions.subscribe(READER, ["agents.output"], agents)
        return refusal.value.code

    assert refused(None) is ErrorCode.INVALID_PARAMS
    assert refused([]) is ErrorCode.INVALID_PARAMS
    assert refused(["c_none"]) is ErrorCode.NOT_FOUND
    world.graph.apply(HOME, [RemoveArrow(ArrowId("a"))])
    assert refused([SHELL]) is ErrorCode.NOT_CONNECTED


def test_a_new_subscription_replaces_the_agents_and_a_gone_card_is_forgotten(world: _World) -> None:
    other = CardId("c_other")
    world.graph.apply(HOME, [PutCard(Card(other, HOME, "terminal", 0, 0, 1, 1, 0, 0))])
    world.graph.apply(HOME, [PutArrow(Arrow(ArrowId("b"), HOME, READER, other, "forward", DrawnBy(), 0, 2))])
    world.directory.put(HOME, other, AgentInfo(other, "Other", "shell-zsh", "shell", AgentStatus.IDLE))
    world.subscriptions.subscribe(READER, ["agents.output"], [SHELL])
    world.subscriptions.subscribe(READER, ["agents.output"], [other])
    assert world.subscriptions.readers(SHELL) == []
    assert world.subscriptions.readers(other) == [READER]
    world.subscriptions.drop(READER)
    assert world.subscriptions.readers(other) == []
    assert world.subscriptions.subscribers("agents.output") == []
