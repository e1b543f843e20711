"""One value of 20 KB to 50 cards: routed, converted, checked, journalled on disk, and encoded for every receiver.

Everything a server does between reading the sender's message and writing the receivers' frames, in one process and
without sockets.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

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

from .report import Goal, Row, Table
from .sampling import Pairs, Stopwatch, in_turns_async

PEERS = 50
BYTES = 20_000
GOAL = Goal("≥", 5000)
ROUNDS = 5
EMITS = 40
HOME = WorkspaceId("w_bench")
SENDER = CardId("c_sender")
TEXT = f"""
A value of {BYTES // 1000} KB emitted to {PEERS} cards. A message is one value as it reaches one card (a delivery); an
emit makes {PEERS} of them, and is waited for until its record is on disk. Beside it: the standard library writing the
envelope anew for each receiver, and nothing else.
"""
CASES = (
    ("text", "ns:text", "ns:text"),
    ("tasks", "ns:tasks", "ns:tasks"),
    ("tasks that become Markdown", "ns:tasks", "ns:markdown"),
)


def value_of(size: int, port_type: str) -> Any:
    """A value of a type that is about so many bytes as JSON."""
    if port_type == "ns:text":
        return ("tests/test_checkout.py::test_pays_with_a_saved_card failed. " * size)[:size]
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


def scene(database: Database, output_type: str, input_type: str) -> tuple[PortsService, Receivers]:
    graph, bus, grants, clock = Graph(), Bus(), Grants(), SystemClock()
    output = PortInfo("out", "Out", output_type)
    sender = Card(SENDER, HOME, "custom", 0, 0, 1, 1, 0, 0, outputs=(output,))
    graph.apply(HOME, [PutWorkspace(Workspace(HOME, "Bench", "/", 0)), PutCard(sender)])
    port = PortInfo("in", "In", input_type)
    for number in range(PEERS):
        card = Card(CardId(f"c_{number}"), HOME, "custom", 0, 0, 1, 1, 0, 0, inputs=(port,))
        arrow = Arrow(ArrowId(f"a_{number}"), HOME, SENDER, card.id, "forward", DrawnBy(), 0, number)
        graph.apply(HOME, [PutCard(card), PutArrow(arrow)])

    async def write_stats(_arrows: Any) -> None:
        return None

    activity = Activity(graph, bus, write_stats)
    limits = PortLimits(chain_per_second=10**9)
    ports = PortsService(
        graph, grants, bus, clock, PortsStore(database), activity, {}, limits=limits, check=check_value
    )
    return ports, Receivers(bus)


async def deliveries_per_second(output_type: str, input_type: str, at_once: int) -> Pairs:
    """The rate at which values reach cards, and the rate at which bare envelopes are written."""
    value = value_of(BYTES, output_type)
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "bench.db", SCHEMA, now_ms=0)
        ports, receivers = scene(database, output_type, input_type)

        async def ours() -> float:
            before, watch = receivers.frames, Stopwatch()
            for _ in range(EMITS // at_once):
                delivered = await asyncio.gather(*(ports.emit(SENDER, "out", value) for _ in range(at_once)))
                assert delivered == [PEERS] * at_once
            rate = PEERS * EMITS / watch.seconds()
            assert receivers.frames - before == PEERS * EMITS
            ports.activity.show()
            return rate

        async def bare() -> float:
            watch = Stopwatch()
            for number in range(PEERS * 8):
                write_envelope(value, number)
            return PEERS * 8 / watch.seconds()

        pairs = await in_turns_async(ours, bare, ROUNDS)
        database.close()
    return pairs


def write_envelope(value: Any, number: int) -> str:
    data = {"from": SENDER, "fromKind": "custom", "output": "out", "input": "in", "data": value, "at": number}
    return json.dumps({"ns": "nscard", "v": 1, "kind": "evt", "event": "ports.message", "data": data})


def measure() -> Table:
    rows = []
    for name, output_type, input_type in CASES:
        for at_once in (1, 10):
            pairs = asyncio.run(deliveries_per_second(output_type, input_type, at_once))
            what = f"{name}, {at_once} at once" if at_once > 1 else f"{name}, one after another"
            rows.append(pairs.row(f"{what}: deliveries", "msg/s", "json.dumps", GOAL))
            rows.append(Row(f"{what}: emits", pairs.value / PEERS, "emits/s"))
    return Table("Routing a value", TEXT, rows)
