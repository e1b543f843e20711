"""Reading what sessions are made of: event streams, files of pi, long sessions."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cardloom.features.sessions.store import SqliteStore
from cardloom.features.sessions.store_rows import SCHEMA
from cardloom.host.database import Database
from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session import NodeInput, SseParser, serialize_run_event
from cardloom_sdk.stores import PiStore

from .report import Goal, Table
from .sampling import Pairs, Sample, in_turns

STREAM_BYTES = 100_000_000
PIECE_BYTES = 65_536
PI_BYTES = 50_000_000
MESSAGES = 10_000
ROUNDS = 3
SENTENCE = "The quick brown fox jumps over the lazy dog, and — наконец — comes home. "
TEXT = """
100 MB of a run's frames in pieces of 64 KiB, as they come from a socket: our parser, beside it `json.loads` alone on
the data of the same frames. A session file of pi of 50 MB, loaded with its tree; beside it `json.loads` of every line.
A session of 10,000 messages, opened from SQLite with hashes and alternatives as a client gets it; beside it
`json.loads` of the same messages. All times are processor time.
"""


def frames() -> list[str]:
    """The frames of a long run: pieces of text of different lengths, now and then a whole message."""
    made: list[str] = []
    size = number = 0
    while size < STREAM_BYTES:
        number += 1
        event: dict[str, Any] = {"type": "part_delta", "runId": "r" * 36, "messageId": f"m{number // 500}", "part": 1}
        event["delta"] = SENTENCE * (1 + number % 4)
        if number % 500 == 0:
            parts = [{"type": "text", "text": SENTENCE * 400}]
            event = {"type": "message_end", "runId": "r" * 36, "messageId": f"m{number // 500}"}
            event["message"] = {"id": f"m{number // 500}", "role": "assistant", "parts": parts}
        made.append(serialize_run_event(event, id=f"{'r' * 36}:{number}"))
        size += len(made[-1].encode())
    return made


def parsing() -> Pairs:
    """Seconds for the whole stream, ours and the peer's."""
    made = frames()
    data = [frame.partition("\ndata: ")[2].rstrip("\n") for frame in made]
    stream = "".join(made).encode()
    pieces = [stream[at : at + PIECE_BYTES] for at in range(0, len(stream), PIECE_BYTES)]

    def ours() -> None:
        parser = SseParser()
        assert sum(len(parser.feed_events(piece)) for piece in pieces) == len(made)

    def peer() -> None:
        for text in data:
            json.loads(text)

    megabytes = len(stream) / 1e6
    return in_turns(_rate(ours, megabytes), _rate(peer, megabytes), ROUNDS)


def pi_session(folder: Path) -> Pairs:
    """Milliseconds to load a file of pi."""
    path = folder / "2026-01-01T00-00-00-000Z_s.jsonl"
    at = "2026-01-01T00:00:00.000Z"
    lines = [compact_json({"type": "session", "version": 3, "id": "s", "timestamp": at, "cwd": "/w"})]
    size, parent = 0, None
    while size < PI_BYTES:
        entry_id = f"{len(lines):08x}"
        role = "assistant" if len(lines) % 2 else "user"
        content: list[Any] = [{"type": "text", "text": SENTENCE * 20}]
        entry: dict[str, Any] = {"type": "message", "id": entry_id, "parentId": parent, "timestamp": at}
        lines.append(compact_json({**entry, "message": {"role": role, "content": content}}))
        size, parent = size + len(lines[-1].encode()) + 1, entry_id
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = PiStore(folder, cwd="/w")

    def ours() -> None:
        assert len(asyncio.run(store.load("s")).nodes) == len(lines) - 1

    def peer() -> None:
        for line in path.read_text(encoding="utf-8").splitlines():
            json.loads(line)

    return in_turns(_ms(ours), _ms(peer), ROUNDS, less_is_better=True)


def long_session(folder: Path) -> Pairs:
    """Milliseconds to open a session of ten thousand messages."""
    database = Database(folder / "sessions.db", SCHEMA, now_ms=0)
    store = SqliteStore(database)

    async def fill() -> None:
        await store.create(session_id="s")
        for first in range(0, MESSAGES, 100):
            batch = range(first, first + 100)
            nodes = [NodeInput("assistant" if n % 2 else "user", id=f"m{n}", text=SENTENCE * 7) for n in batch]
            await asyncio.gather(*(store.append_node("s", node) for node in nodes))

    asyncio.run(fill())
    texts = [row[0] for row in database.reader.execute("SELECT node FROM session_nodes ORDER BY seq")]

    def ours() -> None:
        assert len(asyncio.run(store.history("s"))) == MESSAGES

    def peer() -> None:
        for text in texts:
            json.loads(str(text))

    pairs = in_turns(_ms(ours), _ms(peer), ROUNDS, less_is_better=True)
    asyncio.run(store.close())
    database.close()
    return pairs


def _rate(work: Callable[[], None], amount: float) -> Sample:
    def sample() -> float:
        started = time.process_time()
        work()
        return amount / (time.process_time() - started)

    return sample


def _ms(work: Callable[[], None]) -> Sample:
    def sample() -> float:
        started = time.process_time()
        work()
        return (time.process_time() - started) * 1000

    return sample


def measure() -> Table:
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        rows = (
            parsing().row("parse 100 MB of frames", "MB/s", "json.loads", Goal("≥", 0.6, "ratio")),
            pi_session(Path(folder)).row("load a pi session of 50 MB", "ms", "json.loads"),
            long_session(Path(folder)).row("open a session of 10,000 messages", "ms", "json.loads", Goal("≤", 300)),
        )
    return Table("Reading sessions", TEXT, rows)
