"""Installed packages and catalogues in SQLite. The files of a version lie in the folder that its hash names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import apsw

from cardloom_protocol.ids import PackageId, WorkspaceId
from cardloom_protocol.manifest import parse_manifest, parse_python_manifest

from ....host.database import Database
from .catalogue import Catalogue, parse_catalogue
from .model import Agreed, Version
from .source import Source

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS package_versions (
        package_id TEXT NOT NULL, number INTEGER NOT NULL, tree_hash TEXT NOT NULL, manifest TEXT NOT NULL,
        files TEXT NOT NULL, source TEXT NOT NULL, commit_id TEXT, agreed TEXT NOT NULL, at_ms INTEGER NOT NULL,
        grants TEXT NOT NULL, PRIMARY KEY (package_id, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS catalogues (
        location TEXT PRIMARY KEY, text TEXT NOT NULL, read_at_ms INTEGER NOT NULL
    ) STRICT""",
)

_COLUMNS: Final = "package_id, number, tree_hash, manifest, files, source, commit_id, agreed, at_ms, grants"


class InstalledStore:
    """Reads at the start, writes through the one writer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def versions(self) -> dict[PackageId, list[Version]]:
        """The versions of every package, the current one last.

        One whose manifest is no manifest any more, after an update of Cardloom, is left out.
        """
        found: dict[PackageId, list[Version]] = {}
        query = f"SELECT {_COLUMNS} FROM package_versions ORDER BY package_id, number"  # noqa: S608 - fixed parts
        for row in self._database.reader.execute(query):
            version = _version(row)
            if version is not None:
                found.setdefault(version.package_id, []).append(version)
        return found

    async def put(self, versions: Sequence[Version]) -> None:
        """Replace the versions of a package."""
        package_id = versions[0].package_id
        rows = [_row(version) for version in versions]

        def job(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM package_versions WHERE package_id = ?", (package_id,))
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO package_versions ({_COLUMNS}) VALUES ({marks})", rows)  # noqa: S608 - fixed parts

        await self._database.write(job)

    async def remove(self, package_id: PackageId) -> None:
        """Forget a package."""
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM package_versions WHERE package_id = ?", (package_id,))
        )

    def catalogues(self) -> list[Catalogue]:
        """The catalogues as they were read last, in the order of their places."""
        rows = self._database.reader.execute("SELECT location, read_at_ms, text FROM catalogues ORDER BY location")
        return [parse_catalogue(location, read_at_ms, text) for location, read_at_ms, text in rows]

    async def put_catalogue(self, location: str, text: str, read_at_ms: int) -> None:
        """Remember a catalogue."""
        row = (location, text, read_at_ms)
        await self._database.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO catalogues (location, text, read_at_ms) VALUES (?, ?, ?)", row
            )
        )

    async def remove_catalogue(self, location: str) -> None:
        """Forget a catalogue."""
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM catalogues WHERE location = ?", (location,))
        )


def _row(version: Version) -> tuple[Any, ...]:
    grants = {workspace_id: sorted(granted) for workspace_id, granted in version.left.items()}
    return (
        version.package_id,
        version.number,
        version.tree_hash,
        json.dumps(version.raw),
        json.dumps(dict(version.files)),
        json.dumps(version.source.to_wire()),
        version.commit,
        json.dumps(version.agreed.to_wire()),
        version.at_ms,
        json.dumps(grants),
    )


def _version(row: Sequence[Any]) -> Version | None:
    package_id, number, tree_hash, manifest, files, source, commit, agreed, at_ms, grants = row
    raw: Mapping[str, Any] = json.loads(manifest)
    result = parse_python_manifest(raw) if "python" in raw else parse_manifest(raw)
    if result.manifest is None:
        return None
    return Version(
        PackageId(package_id),
        number,
        tree_hash,
        result.manifest,
        raw,
        json.loads(files),
        Source.from_wire(json.loads(source)),
        commit,
        Agreed.from_wire(json.loads(agreed)),
        at_ms,
        {WorkspaceId(name): frozenset(granted) for name, granted in json.loads(grants).items()},
    )
