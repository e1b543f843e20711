"""The waiting prompts in SQLite. Spec: agents, the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw

from cardloom_protocol.ids import CardId

from ....host.database import Database
from .model import QueuedPrompt, Sender

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS agent_prompts (
        agent TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, sender TEXT,
        sender_name TEXT, at_ms INTEGER NOT NULL, problem TEXT,
        PRIMARY KEY (agent, place)
    ) STRICT, WITHOUT ROWID""",
)


class PromptStore:
    """The queues as they are on disk; a queue is small and is written whole."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self) -> dict[CardId, list[QueuedPrompt]]:
        def read(connection: apsw.Connection) -> list[tuple[str, str, str, str | None, str | None, int, str | None]]:
            return list(
                connection.execute(
                    "SELECT agent, id, text, sender, sender_name, at_ms, problem FROM agent_prompts"
                    " ORDER BY agent, place"
                )
            )

        queues: dict[CardId, list[QueuedPrompt]] = {}
        for agent, prompt_id, text, sender, name, at_ms, problem in await self._database.write(read):
            source = Sender(None if sender is None else CardId(sender), name)
            queues.setdefault(CardId(agent), []).append(
                QueuedPrompt(prompt_id, CardId(agent), text, source, at_ms, problem)
            )
        return queues

    async def save(self, agent_id: CardId, queue: Sequence[QueuedPrompt]) -> None:
        """Write an agent's queue; it is on disk when this returns. UNAVAILABLE: the disk refuses."""
        rows = [
            (agent_id, place, one.id, one.text, one.sender.card_id, one.sender.name, one.at_ms, one.problem)
            for place, one in enumerate(queue)
        ]

        def write(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM agent_prompts WHERE agent = ?", (agent_id,))
            connection.executemany("INSERT INTO agent_prompts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

        await self._database.write(write)
