"""One value of 20 KB to 50 cards: routed, converted, checked, journalled on disk, and encoded for every receiver.

Everything a server does between reading the sender's message and writing the receivers' frames, in one process and
without sockets. The peer is the least that could be done instead: the standard library writing the envelope anew for
each receiver. Goal: 5,000 deliveries a second.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from _table import median_us, print_table

from cardloom.core.bus import Bus, Event, card_topic
from cardloom.core.clock import SystemClock
from cardloom.core.grants import Grants
from cardloom.core.graph import Graph
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, PutWorkspace, Workspace
from cardloom.features.ports.activity import Activity
from cardloom.features.ports.service import PortLimits, PortsService
from cardloom.features.ports.store import SCHEMA, PortsStore
from cardloom.host.accelerator import check_value
from cardloom.host.database import Database
from cardloom.host.wire_json import dumps
from cardloom_protocol.connection import HostConnection
from cardloom_protocol.ids import ArrowId, CardId, ConnectionId, WorkspaceId
from cardloom_protocol.ports import PortInfo

PEERS = 50
BYTES = 20_000
GOAL = 5_000
ROUNDS = 7
EMITS = 60
HOME = WorkspaceId("w_bench")
SENDER = CardId("c_sender")


def value_of(size: int) -> list[dict[str, str]]:
    """Tasks that are about so many bytes as JSON."""
    task = {"text": "tests/test_checkout.py::test_pays_with_a_saved_card", "status": "error"}
    count = min(200, size // len(json.dumps(task)))
    pad = "x" * ((size - count * len(json.dumps(task))) // count)
    return [{**task, "id": f"t{index}{pad}"[:128]} for index in range(count)]


class Receivers:
    """Fifty connections that encode each event as a socket's line does, and drop the frame."""

    def __init__(self, bus: Bus) -> None:
        self.frames = 0
        self._connection = HostConnection("nscard")
        for number in range(PEERS):
            connection_id = ConnectionId(f"n_{number}")
            bus.attach(connection_id, self._take)
            bus.follow(connection_id, card_topic(CardId(f"c_{number}")))

    def _take(self, event: Event) -> None:
        text = event.texts.get("nscard")
        if text is None:
            text = event.texts["nscard"] = self._connection.send_event_text(event.name, dumps(event.data))
        self.frames += len(text) > 0


def scene(database: Database, input_type: str) -> tuple[PortsService, Receivers]:
    graph, bus, grants, clock = Graph(), Bus(), Grants(), SystemClock()
    output = PortInfo("tasks", "Tasks", "ns:tasks")
    sender = Card(SENDER, HOME, "custom", 0, 0, 1, 1, 0, 0, outputs=(output,))
    graph.apply(HOME, [PutWorkspace(Workspace(HOME, "Bench", "/", 0)), PutCard(sender)])
    port = PortInfo("in", "In", input_type)
    for number in range(PEERS):
        card = Card(CardId(f"c_{number}"), HOME, "custom", 0, 0, 1, 1, 0, 0, inputs=(port,))
        arrow = Arrow(ArrowId(f"a_{number}"), HOME, SENDER, card.id, "forward", DrawnBy(), 0, number)
        graph.apply(HOME, [PutCard(card), PutArrow(arrow)])

    async def write_stats(_arrows: Any) -> None:
        return None

    activity = Activity(graph, bus, graph.count, write_stats)
    limits = PortLimits(chain_per_second=10**9)
    ports = PortsService(
        graph, grants, bus, clock, PortsStore(database), activity, {}, limits=limits, check=check_value
    )
    return ports, Receivers(bus)


async def emits_per_second(input_type: str, at_once: int) -> float:
    """The median rate of emits, each waited for until its record is on disk."""
    value: Any = value_of(BYTES)
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "bench.db", SCHEMA, now_ms=0)
        ports, receivers = scene(database, input_type)
        rates = []
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            for _ in range(EMITS // at_once):
                delivered = await asyncio.gather(*(ports.emit(SENDER, "tasks", value) for _ in range(at_once)))
                assert delivered == [PEERS] * at_once
            rates.append(EMITS / (time.perf_counter() - started))
            ports.activity.show()
        assert receivers.frames == PEERS * EMITS * (ROUNDS + 1)
        database.close()
    return statistics.median(rates[1:])


def bare_per_second() -> float:
    """How many times a second the standard library writes fifty envelopes, one for each receiver."""
    value = value_of(BYTES)

    def write() -> None:
        for number in range(PEERS):
            data = {"from": SENDER, "fromKind": "custom", "output": "tasks", "input": "in", "data": value, "at": number}
            json.dumps({"ns": "nscard", "v": 1, "kind": "evt", "event": "ports.message", "data": data})

    return 1e6 / median_us(write, seconds=1.0)


def main() -> None:
    bare = bare_per_second()
    rows = []
    for name, input_type in (("same type", "ns:tasks"), ("converted to Markdown", "ns:markdown")):
        for at_once in (1, 10):
            rate = asyncio.run(emits_per_second(input_type, at_once))
            met = "yes" if rate * PEERS >= GOAL else "no"
            rows.append(
                (name, at_once, f"{rate:,.0f}", f"{rate * PEERS:,.0f}", f"{rate / bare:.1f}", f"≥ {GOAL:,}: {met}")
            )
    rows.append(("bare json.dumps a receiver", 1, f"{bare:,.0f}", f"{bare * PEERS:,.0f}", "1.0", ""))
    head = ("what", "emits at once", "emits/s", "deliveries/s", "ratio to bare", "goal")
    print_table(f"Routing: {BYTES // 1000} KB to {PEERS} cards, journalled on disk (medians of {ROUNDS})", head, rows)


if __name__ == "__main__":
    main()
