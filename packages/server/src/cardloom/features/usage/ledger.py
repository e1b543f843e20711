"""What Cardloom itself saw of its agents, in SQLite: statuses, the sessions of each, who prompted when, budgets.

The logs' own index is apart from it: it can be made anew from the logs, this cannot. Spec: harnesses, turns and
accounting; decision 27.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import apsw

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.ids import CardId, WorkspaceId

from ...host.database import Database
from ...host.wire_json import dumps, loads
from .attribution import Prompted
from .turns import StatusChange

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS agent_statuses (
        agent TEXT NOT NULL, at_ms INTEGER NOT NULL, status TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS agent_statuses_of ON agent_statuses (agent, at_ms)",
    """CREATE TABLE IF NOT EXISTS agent_sessions (
        harness TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, workspace TEXT NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (harness, session)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS agent_senders (
        agent TEXT NOT NULL, at_ms INTEGER NOT NULL, sender TEXT, sender_name TEXT
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS agent_senders_of ON agent_senders (agent, at_ms)",
    "CREATE TABLE IF NOT EXISTS budgets (workspace TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS budget_steps (
        budget TEXT NOT NULL, from_ms INTEGER NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (budget, from_ms)
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS agent_pulse (id INTEGER PRIMARY KEY CHECK (id = 1), at_ms INTEGER NOT NULL) STRICT",
)

AGENT: Final = "agent"
"""The kind of the cards that sessions belong to."""
_REMEMBERED_STEPS_MS: Final = 62 * 24 * 3_600_000
_BUSY_MS: Final = 1500
_AT_REST: Final = (AgentStatus.EXITED.value, AgentStatus.IDLE.value, AgentStatus.FINISHED.value)


@dataclass(frozen=True, slots=True)
class LinkedSession:
    """A harness's session that an agent card used; the card may be gone."""

    harness: str
    session: str
    agent_id: CardId
    workspace_id: WorkspaceId
    name: str


def sessions_in(linked: Iterable[LinkedSession]) -> frozenset[tuple[str, str]]:
    """The sessions as a scope names them."""
    return frozenset((one.harness, one.session) for one in linked)


class UsageLedger:
    """Reads go through the writer, so that they see what was written just before."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, now_ms: int) -> None:
        """End the statuses that a server left running when it was killed, at the last moment it was seen alive.

        A moment that is still to come was noted by a clock that went wrong.
        """

        def write(connection: apsw.Connection) -> None:
            pulse = connection.execute("SELECT at_ms FROM agent_pulse").fetchone()
            rows = list(connection.execute("""SELECT agent, status, max(at_ms) FROM agent_statuses GROUP BY agent"""))
            for agent, status, at_ms in rows:
                if status not in _AT_REST:
                    end_ms = at_ms if pulse is None else max(min(pulse[0], now_ms), at_ms)
                    self._put_status(connection, agent, end_ms, AgentStatus.EXITED.value)

        await self._database.write(write)

    async def pulse(self, now_ms: int) -> None:
        """Note that the server lives."""
        await self._database.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO agent_pulse VALUES (1, ?)",
                (now_ms,),
            )
        )

    def status(self, agent_id: CardId, status: AgentStatus, at_ms: int) -> None:
        """Note a change of status; on disk with the next commit."""
        self._database.submit(lambda connection: self._put_status(connection, agent_id, at_ms, status.value))

    def link(self, sessions: Iterable[LinkedSession]) -> None:
        rows = [(one.harness, one.session, one.agent_id, one.workspace_id, one.name) for one in sessions]
        self._database.submit(
            lambda connection: connection.executemany(
                """INSERT INTO agent_sessions VALUES (?, ?, ?, ?, ?) ON CONFLICT (harness, session)
                   DO UPDATE SET agent = excluded.agent, workspace = excluded.workspace, name = excluded.name""",
                rows,
            )
        )

    def prompted(self, agent_id: CardId, prompted: Prompted) -> None:
        row = (agent_id, prompted.at_ms, prompted.sender_id, prompted.name)
        self._database.submit(
            lambda connection: connection.execute("INSERT INTO agent_senders VALUES (?, ?, ?, ?)", row)
        )

    async def statuses(self, agent_id: CardId) -> list[StatusChange]:
        """All changes of an agent's status, in order."""
        rows = await self._rows(
            "SELECT at_ms, status FROM agent_statuses WHERE agent = ? ORDER BY at_ms, rowid", agent_id
        )
        return [StatusChange(at_ms, AgentStatus(status)) for at_ms, status in rows]

    async def senders(self, agent_id: CardId) -> list[Prompted]:
        """Who prompted an agent, in order."""
        rows = await self._rows(
            "SELECT at_ms, sender, sender_name FROM agent_senders WHERE agent = ? ORDER BY at_ms, rowid", agent_id
        )
        return [Prompted(at_ms, None if sender is None else CardId(sender), name) for at_ms, sender, name in rows]

    async def sessions(
        self, *, workspace_id: WorkspaceId | None = None, agent_id: CardId | None = None
    ) -> list[LinkedSession]:
        """The sessions of a workspace, of an agent, or all."""
        rows = await self._rows(
            """SELECT harness, session, agent, workspace, name FROM agent_sessions
               WHERE (?1 IS NULL OR workspace = ?1) AND (?2 IS NULL OR agent = ?2)""",
            workspace_id,
            agent_id,
        )
        return [LinkedSession(h, s, CardId(a), WorkspaceId(w), name) for h, s, a, w, name in rows]

    async def budgets(self) -> dict[WorkspaceId, list[dict[str, Any]]]:
        rows = await self._rows("SELECT workspace, body FROM budgets")
        return {WorkspaceId(workspace): loads(body) for workspace, body in rows}

    async def set_budgets(self, workspace_id: WorkspaceId, budgets: Sequence[dict[str, Any]]) -> None:
        """Write a workspace's budgets; on disk when this returns."""
        body = dumps(list(budgets))
        await self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO budgets VALUES (?, ?)", (workspace_id, body))
        )

    async def budget_steps(self) -> dict[tuple[str, int], int]:
        """The steps that were told of each budget and period."""
        return {(budget, from_ms): step for budget, from_ms, step in await self._rows("SELECT * FROM budget_steps")}

    async def set_budget_step(self, place: tuple[str, int], step: int) -> None:
        """Note a step as told, and forget those of the budget's periods of long ago; on disk when this returns."""
        budget, from_ms = place

        def write(connection: apsw.Connection) -> None:
            connection.execute(
                "DELETE FROM budget_steps WHERE budget = ? AND from_ms < ?", (budget, from_ms - _REMEMBERED_STEPS_MS)
            )
            connection.execute("INSERT OR REPLACE INTO budget_steps VALUES (?, ?, ?)", (budget, from_ms, step))

        await self._database.write(write)

    async def _rows(self, query: str, *values: Any) -> list[Any]:
        return await self._database.write(lambda connection: list(connection.execute(query, values)))

    @staticmethod
    def _put_status(connection: apsw.Connection, agent: str, at_ms: int, status: str) -> None:
        connection.execute("INSERT INTO agent_statuses VALUES (?, ?, ?)", (agent, at_ms, status))


@dataclass(frozen=True, slots=True)
class LedgerCopy:
    """Sessions, senders and statuses as a reader without a server finds them."""

    sessions: tuple[LinkedSession, ...] = ()
    senders: Mapping[CardId, Sequence[Prompted]] = field(default_factory=dict)
    statuses: Mapping[CardId, Sequence[StatusChange]] = field(default_factory=dict)


def read_ledger(path: Path) -> LedgerCopy:
    """Read a data folder's database beside a server or without one; an empty copy where there is none."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error:
        return LedgerCopy()
    try:
        connection.set_busy_timeout(_BUSY_MS)
        linked = tuple(
            LinkedSession(harness, session, CardId(agent), WorkspaceId(workspace), name)
            for harness, session, agent, workspace, name in connection.execute(
                "SELECT harness, session, agent, workspace, name FROM agent_sessions"
            )
        )
        senders: defaultdict[CardId, list[Prompted]] = defaultdict(list)
        for agent, at_ms, sender, name in connection.execute(
            "SELECT agent, at_ms, sender, sender_name FROM agent_senders ORDER BY at_ms, rowid"
        ):
            senders[CardId(agent)].append(Prompted(at_ms, None if sender is None else CardId(sender), name))
        statuses: defaultdict[CardId, list[StatusChange]] = defaultdict(list)
        for agent, at_ms, status in connection.execute(
            "SELECT agent, at_ms, status FROM agent_statuses ORDER BY at_ms, rowid"
        ):
            statuses[CardId(agent)].append(StatusChange(at_ms, AgentStatus(status)))
        return LedgerCopy(linked, senders, statuses)
    except apsw.Error:  # a database of an older Cardloom knows nothing of agents
        return LedgerCopy()
    finally:
        connection.close()
