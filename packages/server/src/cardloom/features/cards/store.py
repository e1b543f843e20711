"""Grants, consents, and what is remembered of cards, in SQLite.

A grant is a permission of a package in a workspace. A consent says that the owner let a package's program run there,
and which permissions went with it. Spec: decisions 4, 6, 44.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw

from cardloom_protocol.ids import CardId, PackageId, WorkspaceId

from ...host.database import Database

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS grants (
        workspace_id TEXT NOT NULL, package_id TEXT NOT NULL, permission TEXT NOT NULL,
        PRIMARY KEY (workspace_id, package_id, permission)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS consents (
        workspace_id TEXT NOT NULL, package_id TEXT NOT NULL, permissions TEXT NOT NULL, at_ms INTEGER NOT NULL,
        PRIMARY KEY (workspace_id, package_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS card_manifests (card_id TEXT PRIMARY KEY, manifest TEXT NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS card_mounts (card_id TEXT PRIMARY KEY, first_at_ms INTEGER NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS card_children (child_id TEXT PRIMARY KEY, parent_id TEXT NOT NULL) STRICT",
)

Key = tuple[WorkspaceId, PackageId]


class CardsStore:
    """Reads at once, writes through the one writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def grants(self) -> dict[Key, set[str]]:
        """Every grant there is."""
        found: dict[Key, set[str]] = {}
        rows = self._database.reader.execute("SELECT workspace_id, package_id, permission FROM grants")
        for workspace_id, package_id, permission in rows:
            found.setdefault((WorkspaceId(workspace_id), PackageId(package_id)), set()).add(permission)
        return found

    def consents(self) -> dict[Key, frozenset[str]]:
        """The permissions that went with each consent."""
        rows = self._database.reader.execute("SELECT workspace_id, package_id, permissions FROM consents")
        return {(WorkspaceId(row[0]), PackageId(row[1])): frozenset(json.loads(row[2])) for row in rows}

    def manifests(self) -> dict[CardId, Any]:
        """The manifests of cards that somebody runs themselves, as they were given."""
        rows = self._database.reader.execute("SELECT card_id, manifest FROM card_manifests")
        return {CardId(row[0]): json.loads(row[1]) for row in rows}

    def mounted(self) -> set[CardId]:
        """The cards that were connected at least once."""
        return {CardId(row[0]) for row in self._database.reader.execute("SELECT card_id FROM card_mounts")}

    def children(self) -> dict[CardId, set[CardId]]:
        """The cards that other cards added, by those."""
        found: dict[CardId, set[CardId]] = {}
        for child_id, parent_id in self._database.reader.execute("SELECT child_id, parent_id FROM card_children"):
            found.setdefault(CardId(parent_id), set()).add(CardId(child_id))
        return found

    async def set_grants(self, key: Key, granted: Iterable[str]) -> None:
        """Replace what a package may do in a workspace."""
        rows = [(*key, permission) for permission in sorted(granted)]

        def job(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM grants WHERE workspace_id = ? AND package_id = ?", key)
            connection.executemany("INSERT INTO grants VALUES (?, ?, ?)", rows)

        await self._database.write(job)

    async def set_consent(self, key: Key, permissions: Iterable[str], granted: Iterable[str], at_ms: int) -> None:
        """Remember that a package may run in a workspace, with the grants that it has from now on."""
        rows = [(*key, permission) for permission in sorted(granted)]
        consent = (*key, json.dumps(sorted(permissions)), at_ms)

        def job(connection: apsw.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO consents VALUES (?, ?, ?, ?)", consent)
            connection.executemany("INSERT OR IGNORE INTO grants VALUES (?, ?, ?)", rows)

        await self._database.write(job)

    async def set_manifest(self, card_id: CardId, manifest: Any) -> None:
        """Remember the manifest of a card that somebody runs themselves."""
        row = (card_id, json.dumps(manifest))
        await self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO card_manifests VALUES (?, ?)", row)
        )

    async def set_mounted(self, card_id: CardId, at_ms: int) -> None:
        """Remember a card's first connection."""
        row = (card_id, at_ms)
        await self._database.write(
            lambda connection: connection.execute("INSERT OR IGNORE INTO card_mounts VALUES (?, ?)", row)
        )

    async def add_child(self, parent_id: CardId, child_id: CardId) -> None:
        """Remember which card added a card."""
        row = (child_id, parent_id)
        await self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO card_children VALUES (?, ?)", row)
        )

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop the grants and consents of a package that is removed."""

        def job(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM grants WHERE package_id = ?", (package_id,))
            connection.execute("DELETE FROM consents WHERE package_id = ?", (package_id,))

        await self._database.write(job)

    async def forget_workspace(self, workspace_id: WorkspaceId) -> None:
        """Drop the grants and consents of a workspace that is gone."""

        def job(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM grants WHERE workspace_id = ?", (workspace_id,))
            connection.execute("DELETE FROM consents WHERE workspace_id = ?", (workspace_id,))

        await self._database.write(job)
