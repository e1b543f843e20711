"""The waiting prompts in SQLite. Spec: agents, the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import apsw

from cardloom_protocol.ids import CardId

from ....host.database import Database
from .model import PromptState, QueuedPrompt, Sender

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS agent_prompts (
        agent TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, sender TEXT,
        sender_name TEXT, at_ms INTEGER NOT NULL, problem TEXT, begun INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (agent, place)
    ) STRICT, WITHOUT ROWID""",
)


def add_begun(connection: apsw.Connection) -> None:
    """Give an older table the mark of prompts whose typing began."""
    if connection.execute("SELECT 1 FROM pragma_table_info('agent_prompts') WHERE name = 'begun'").get is None:
        connection.execute("ALTER TABLE agent_prompts ADD COLUMN begun INTEGER NOT NULL DEFAULT 0")


_Row: TypeAlias = "tuple[str, str, str, str | None, str | None, int, str | None, int]"


class PromptStore:
    """The queues as they are on disk; a queue is small and is written whole."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self) -> dict[CardId, tuple[QueuedPrompt, ...]]:
        """The queues that are on disk; a prompt whose typing had begun may have been delivered."""

        def read(connection: apsw.Connection) -> list[_Row]:
            return list(
                connection.execute(
                    "SELECT agent, id, text, sender, sender_name, at_ms, problem, begun FROM agent_prompts"
                    " ORDER BY agent, place"
                )
            )

        queues: dict[CardId, tuple[QueuedPrompt, ...]] = {}
        for agent, prompt_id, text, sender, name, at_ms, problem, begun in await self._database.write(read):
            source = Sender(None if sender is None else CardId(sender), name)
            state: PromptState = "unsure" if begun else "waiting"
            prompt = QueuedPrompt(prompt_id, CardId(agent), text, source, at_ms, problem, state)
            queues[CardId(agent)] = (*queues.get(CardId(agent), ()), prompt)
        return queues

    async def save(self, agent_id: CardId, queue: Sequence[QueuedPrompt]) -> None:
        """Write an agent's queue; it is on disk when this returns. UNAVAILABLE: the disk refuses."""
        rows = [
            (agent_id, place, one.id, one.text, *_source(one), one.at_ms, one.problem, one.state != "waiting")
            for place, one in enumerate(queue)
        ]

        def write(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM agent_prompts WHERE agent = ?", (agent_id,))
            connection.executemany(
                "INSERT INTO agent_prompts (agent, place, id, text, sender, sender_name, at_ms, problem, begun)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

        await self._database.write(write)


def _source(prompt: QueuedPrompt) -> tuple[str | None, str | None]:
    return prompt.sender.card_id, prompt.sender.name
