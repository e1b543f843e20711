"""Catalogues of packages that somebody looked through: read, kept as they were read, asked who vouches for what.

An entry vouches for exactly one commit and the tree that it had then. One bad entry hides no other.
Spec: cards, install (catalogue entry).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import PackageId
from cardloom_protocol.param_shapes import Shape
from cardloom_protocol.paths import normalize_package_path
from cardloom_protocol.schema import compile_schema

SCHEMA_VERSION: Final = 1


def _text(pattern: str) -> Shape:
    return {"type": "string", "pattern": pattern}


_ENTRY: Final = compile_schema(
    {
        "type": "object",
        "required": ["packageId", "name", "repo", "version", "commit", "treeHash"],
        "properties": {
            "packageId": _text("^[a-z][a-z0-9-]{1,47}$"),
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "description": {"type": "string", "maxLength": 2000},
            "author": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 200}}},
            "repo": _text("^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100}$"),
            "path": {"type": "string", "maxLength": 240},
            "version": {"type": "string", "maxLength": 64},
            "commit": _text("^[0-9a-f]{40}$"),
            "treeHash": _text("^[0-9a-f]{64}$"),
            "category": {"type": "string", "maxLength": 64},
            "license": {"type": "string", "maxLength": 100},
            "official": {"type": "boolean"},
            "permissions": {"type": "array", "items": {"type": "string", "maxLength": 64}, "maxItems": 32},
            "verifiedAt": {"type": "string", "maxLength": 64},
            "reviewer": {"type": "string", "maxLength": 200},
        },
    }
)


@dataclass(frozen=True, slots=True)
class Vouched:
    """One entry: a package at one commit, with the tree that somebody looked through. `name` is its manifest's."""

    name: str
    repo: str
    folder: str
    version: str
    commit: str
    tree_hash: str
    official: bool
    shown: Mapping[str, Any]

    @property
    def package_id(self) -> PackageId:
        """The id of the package when it is installed from there."""
        return PackageId(f"github:{self.repo.lower()}{f'/{self.folder}' if self.folder else ''}")

    @property
    def source(self) -> str:
        """What to install to get exactly this."""
        return f"{self.repo}{f'/{self.folder}' if self.folder else ''}@{self.commit}"

    def vouches_for(self, package_id: str, name: str, commit: str | None, tree_hash: str | None) -> bool:
        """Whether a package is the one that was looked through; a copy of its repository elsewhere may be it, too."""
        if (name, commit, tree_hash) != (self.name, self.commit, self.tree_hash):
            return False
        return not package_id.startswith("github:") or package_id == self.package_id

    def to_wire(self) -> dict[str, Any]:
        shown = self.shown
        author = shown.get("author")
        return {
            "packageId": self.package_id,
            "name": self.name,
            "displayName": shown["name"],
            "description": shown.get("description", ""),
            "author": author.get("name") if author is not None else None,
            "version": self.version,
            "commit": self.commit,
            "treeHash": self.tree_hash,
            "category": shown.get("category"),
            "license": shown.get("license"),
            "official": self.official,
            "permissions": list(shown.get("permissions", ())),
            "verifiedAt": shown.get("verifiedAt"),
            "reviewer": shown.get("reviewer"),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One catalogue as it was read last. `faults` tell which entries were left out and why."""

    location: str
    read_at_ms: int
    entries: tuple[Vouched, ...]
    faults: tuple[str, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        return {
            "location": self.location,
            "readAtMs": self.read_at_ms,
            "entries": len(self.entries),
            "faults": list(self.faults),
        }


def parse_catalogue(location: str, read_at_ms: int, text: str | bytes) -> Catalogue:
    """Read a catalogue. INVALID_PARAMS: it is none."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _none(location, f"it is not JSON: {error}") from error
    if not isinstance(raw, dict) or raw.get("schemaVersion") != SCHEMA_VERSION:
        raise _none(location, f"it has no schemaVersion {SCHEMA_VERSION}")
    lists = [value for value in raw.values() if isinstance(value, list)]
    if len(lists) != 1:
        raise _none(location, "it does not hold one list of entries")
    entries: list[Vouched] = []
    faults: list[str] = []
    for index, entry in enumerate(lists[0]):
        read = _entry(entry)
        if isinstance(read, Vouched):
            entries.append(read)
        else:
            faults.append(f"entry {index}{read}")
    return Catalogue(location, read_at_ms, tuple(entries), tuple(faults[:100]))


def voucher(
    catalogues: Iterable[Catalogue], package_id: str, name: str, commit: str | None, tree_hash: str | None
) -> Vouched | None:
    """The entry that vouches for a package, an official one first."""
    found = [
        entry
        for catalogue in catalogues
        for entry in catalogue.entries
        if entry.vouches_for(package_id, name, commit, tree_hash)
    ]
    return max(found, key=lambda entry: entry.official, default=None)


def _entry(raw: object) -> Vouched | str:
    """An entry, or what is wrong with it."""
    issues = _ENTRY.check(raw, max_issues=1)
    if issues or not isinstance(raw, dict):
        return f"{issues[0].path}: {issues[0].message}"
    folder = raw.get("path", "").strip("/")
    if folder and normalize_package_path(folder) is None:
        return f"/path: {folder!r} is no path of a folder"
    return Vouched(
        raw["packageId"],
        raw["repo"],
        folder,
        raw["version"],
        raw["commit"],
        raw["treeHash"],
        raw.get("official", False),
        raw,
    )


def _none(location: str, why: str) -> CallError:
    message = f"{location} is no catalogue: {why}"
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "/location", "keyword": "catalogue", "message": why}])
