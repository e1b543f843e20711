"""What is remembered of an installed package, what an update changes, what its owner agreed to: pure rules.

Spec: cards, install and update; decisions 6, 13.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cardloom_protocol.ids import PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest, declared_permissions
from cardloom_protocol.permissions import PERMISSIONS, Permission
from cardloom_protocol.texts import localized

from ..model import Package
from .source import Source

_HOSTS_ID: Final = "network"


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the owner agreed to by installing or updating: required permissions, and hosts."""

    permissions: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    def to_wire(self) -> dict[str, Any]:
        return {"permissions": sorted(self.permissions), "hosts": sorted(self.hosts)}

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Agreed:
        return cls(frozenset(wire["permissions"]), frozenset(wire["hosts"]))


Grants = Mapping[WorkspaceId, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an installed package. `tree_hash` is empty for a folder that is linked.

    `left` are the grants by workspace at the moment when another version took its place: returning brings them back.
    """

    package_id: PackageId
    number: int
    tree_hash: str
    manifest: Manifest
    raw: Mapping[str, Any]
    files: Mapping[str, str]
    source: Source
    commit: str | None
    agreed: Agreed
    at_ms: int
    left: Grants = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.manifest["name"]


@dataclass(frozen=True, slots=True)
class Difference:
    """What another version of a package changes. Files are paths; permissions and hosts what it asks for.

    `needed_permissions` and `needed_hosts` stay off until the owner accepts them.
    """

    added_files: tuple[str, ...]
    changed_files: tuple[str, ...]
    removed_files: tuple[str, ...]
    added_permissions: tuple[str, ...]
    removed_permissions: tuple[str, ...]
    added_hosts: tuple[str, ...]
    removed_hosts: tuple[str, ...]
    needed_permissions: tuple[str, ...]
    needed_hosts: tuple[str, ...]

    def to_wire(self, *, max_files: int = limit("shownFiles")) -> dict[str, Any]:
        """The lists as the page shows them; `more` counts the files that have no room."""
        files = {"added": self.added_files, "changed": self.changed_files, "removed": self.removed_files}
        return {
            "files": {name: list(paths[:max_files]) for name, paths in files.items()},
            "more": sum(max(0, len(paths) - max_files) for paths in files.values()),
            "permissions": {"added": list(self.added_permissions), "removed": list(self.removed_permissions)},
            "hosts": {"added": list(self.added_hosts), "removed": list(self.removed_hosts)},
            "needs": {"permissions": list(self.needed_permissions), "hosts": list(self.needed_hosts)},
        }


def difference(old: Version, new: Manifest, new_files: Mapping[str, str]) -> Difference:
    """What changes from a version to another. A permission that was optional and is required now is an added one."""
    old_files, agreed = old.files, old.agreed
    was, now = declared_in(old.manifest), declared_in(new)
    harder = required_of(new) & (was - required_of(old.manifest))
    before, after = hosts_of(old.manifest), hosts_of(new)
    waiting = agreed_after(agreed, old.manifest, new, accept=False)
    return Difference(
        tuple(sorted(new_files.keys() - old_files.keys())),
        tuple(sorted(path for path in new_files.keys() & old_files.keys() if new_files[path] != old_files[path])),
        tuple(sorted(old_files.keys() - new_files.keys())),
        _in_order((now - was) | harder),
        _in_order(was - now),
        tuple(sorted(after - before)),
        tuple(sorted(before - after)),
        _in_order(required_of(new) - waiting.permissions),
        tuple(sorted(after - waiting.hosts)),
    )


def required_of(manifest: Manifest) -> frozenset[str]:
    return frozenset(entry["id"] for entry in manifest["permissions"] if not entry["optional"])


def declared_in(manifest: Manifest) -> frozenset[str]:
    """All permissions that a package may ever have."""
    return frozenset(entry["id"] for entry in manifest["permissions"])


def hosts_of(manifest: Manifest) -> frozenset[str]:
    """The hosts that a package asks to reach."""
    return frozenset(host for entry in manifest["permissions"] for host in entry.get("hosts", ()))


def agreed_by_installing(manifest: Manifest) -> Agreed:
    """What goes with installing a package: all that it requires, and all its hosts."""
    return Agreed(required_of(manifest), hosts_of(manifest))


def agreed_after(agreed: Agreed, old: Manifest, new: Manifest, *, accept: bool) -> Agreed:
    """What is agreed to after an update: what was before, and what is new where the owner accepts it.

    The hosts of a network permission that the package did not have before are no widening: the permission itself waits.
    """
    if accept:
        return agreed_by_installing(new)
    fresh_network = _HOSTS_ID not in declared_in(old)
    hosts = hosts_of(new) if fresh_network else hosts_of(new) & agreed.hosts
    return Agreed(required_of(new) & agreed.permissions, hosts)


def with_agreed_hosts(manifest: Manifest, agreed: Agreed) -> tuple[Manifest, tuple[str, ...]]:
    """The manifest with the hosts that were agreed to alone, and the hosts that wait."""
    held = tuple(sorted(hosts_of(manifest) - agreed.hosts))
    if not held:
        return manifest, ()
    permissions = [
        replace(entry, hosts=tuple(host for host in entry.hosts if host in agreed.hosts))
        if entry.hosts is not None
        else entry
        for entry in declared_permissions(manifest)
    ]
    narrowed: Manifest = {**manifest, "permissions": [entry.to_wire() for entry in permissions]}
    return narrowed, held


def grants_after_return(now: Collection[str], left: Collection[str], current: Manifest, former: Manifest) -> set[str]:
    """What a package may do in a workspace after it returned to a former version.

    What both ask for stays as it is now; what only the former asks for is as it was when it was left.
    """
    again = declared_in(former) - declared_in(current)
    return (set(now) & declared_in(former)) | (set(left) & again)


def asked_permissions(manifest: Manifest, language: str) -> list[dict[str, Any]]:
    """The permissions of a package as a review shows them: with risk and reason."""
    return [_permission_row(permission, language) for permission in declared_permissions(manifest)]


def review(
    package: Package, files: Mapping[str, str], total_bytes: int, warnings: Collection[str], language: str
) -> dict[str, Any]:
    """What the owner is shown before a package is installed, apart from what changes."""
    manifest = package.manifest
    author = manifest.get("author")
    return {
        "packageId": package.id,
        "name": package.name,
        "displayName": package.display_name(language),
        "description": localized(manifest.get("description"), language) or "",
        "author": None if author is None else {"name": author["name"], "url": author.get("url")},
        "license": manifest.get("license"),
        "homepage": manifest.get("homepage"),
        "version": package.version,
        "kind": package.kind,
        "dev": package.dev,
        "source": package.source,
        "commit": package.commit,
        "verified": package.verified,
        "permissions": asked_permissions(manifest, language),
        "hosts": sorted(hosts_of(manifest)),
        "tools": [tool["name"] for tool in manifest["tools"]],
        "files": {"count": len(files), "bytes": total_bytes},
        "warnings": list(warnings),
    }


def _permission_row(permission: Permission, language: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": permission.id,
        "risk": PERMISSIONS[permission.id].risk.value,
        "optional": permission.optional,
        "reason": localized(permission.reason, language) or None,
    }
    if permission.hosts is not None:
        row["hosts"] = list(permission.hosts)
    return row


def _in_order(ids: Collection[str]) -> tuple[str, ...]:
    return tuple(permission_id for permission_id in PERMISSIONS if permission_id in ids)
