"""The thirteen permissions: what each implies, how a manifest asks for them, how a card sees them.

Spec: permissions.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NotRequired, TypedDict

from .hosts import parse_host_pattern
from .jstext import JsonValue
from .limits import limit
from .texts import LocalizedText, localized


class Risk(StrEnum):
    """How much harm a card could do with a permission; the install dialog words and colours it by this."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class PermissionKind:
    """One row of the permission table. `implies` lists what holding it grants besides."""

    id: str
    risk: Risk
    implies: tuple[str, ...] = ()
    needs_hosts: bool = False


class PermissionWire(TypedDict):
    """A merged permission under its wire names."""

    id: str
    optional: bool
    reason: NotRequired[LocalizedText]
    hosts: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class Permission:
    """A permission as a package declares it, all its entries of the manifest merged.

    `hosts` holds canonical patterns sorted by code unit; it is None for permissions that take none.
    """

    id: str
    optional: bool = False
    reason: LocalizedText | None = None
    hosts: tuple[str, ...] | None = None

    @classmethod
    def from_wire(cls, wire: PermissionWire) -> "Permission":
        """Takes the entry of a normalised manifest back in."""
        hosts = wire.get("hosts")
        return cls(wire["id"], wire["optional"], wire.get("reason"), None if hosts is None else tuple(hosts))

    def to_wire(self) -> PermissionWire:
        """The entry of a normalised manifest."""
        wire: PermissionWire = {"id": self.id, "optional": self.optional}
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.hosts is not None:
            wire["hosts"] = list(self.hosts)
        return wire


@dataclass(frozen=True, slots=True)
class PermissionIssue:
    """A fault of one entry of a manifest's permission list."""

    index: int
    message: str


_KINDS = (
    PermissionKind("agents.read", Risk.LOW),
    PermissionKind("agents.output", Risk.HIGH, implies=("agents.read",)),
    PermissionKind("agents.prompt", Risk.HIGH, implies=("agents.read",)),
    PermissionKind("terminals.write", Risk.HIGH, implies=("agents.read",)),
    PermissionKind("cards.connected", Risk.MEDIUM),
    PermissionKind("network", Risk.MEDIUM, needs_hosts=True),
    PermissionKind("network.local", Risk.HIGH),
    PermissionKind("fs.read", Risk.HIGH),
    PermissionKind("fs.write", Risk.HIGH, implies=("fs.read",)),
    PermissionKind("clipboard.write", Risk.LOW),
    PermissionKind("canvas.spawn", Risk.LOW),
    PermissionKind("background", Risk.LOW),
    PermissionKind("usage.read", Risk.LOW),
)

PERMISSIONS: Mapping[str, PermissionKind] = MappingProxyType({kind.id: kind for kind in _KINDS})
"""Every permission by id, in the order in which lists of permissions are given."""


def closure(ids: Iterable[str]) -> frozenset[str]:
    """Gives the permissions held by whoever was granted `ids`, implied ones included."""
    held: set[str] = set()
    waiting = list(ids)
    while waiting:
        permission_id = waiting.pop()
        if permission_id not in held:
            held.add(permission_id)
            kind = PERMISSIONS.get(permission_id)
            waiting.extend(kind.implies if kind else ())
    return frozenset(held)


def parse_list(
    entries: Sequence[JsonValue], *, max_hosts: int = limit("permissionHosts")
) -> tuple[tuple[Permission, ...], list[PermissionIssue]]:
    """Merges the permission list of a manifest, already of the right shape, into canonical order.

    An entry is an id or `{id, optional?, reason?, hosts?}`. Entries of one id become one permission:
    optional only if all are, with the first reason that is not empty and the hosts of all. Faulty
    entries and hosts are left out and reported under the index of their entry.
    """
    merging: dict[str, _Merged] = {}
    issues: list[PermissionIssue] = []
    for index, entry in enumerate(entries):
        fields: Mapping[str, JsonValue] = entry if isinstance(entry, dict) else {"id": entry}
        kind = PERMISSIONS.get(str(fields["id"]))
        if kind is None:
            issues.append(PermissionIssue(index, f"There is no permission {fields['id']!r}."))
            continue
        hosts, host_faults = _entry_hosts(kind, fields.get("hosts"))
        issues.extend(PermissionIssue(index, fault) for fault in host_faults)
        merged = merging.setdefault(kind.id, _Merged())
        merged.add(fields, hosts)
        if hosts and len(merged.hosts) > max_hosts:
            issues.append(PermissionIssue(index, f"{kind.id} may name at most {max_hosts} hosts."))
    permissions = tuple(merging[kind.id].finish(kind) for kind in _KINDS if kind.id in merging)
    return permissions, issues


def view(declared: Iterable[Permission], granted: Collection[str], language: str) -> list[dict[str, JsonValue]]:
    """Lists a package's permissions as a card is shown them, reasons in its language.

    `granted` is taken literally: what a granted permission implies is for the reader to add.
    """
    shown: list[dict[str, JsonValue]] = []
    for permission in declared:
        row: dict[str, JsonValue] = {"id": permission.id}
        if permission.hosts is not None:
            row["hosts"] = list(permission.hosts)
        row["optional"] = permission.optional
        row["granted"] = permission.id in granted
        reason = localized(permission.reason, language)
        if reason:
            row["reason"] = reason
        shown.append(row)
    return shown


@dataclass(slots=True)
class _Merged:
    """The entries of one permission seen so far."""

    optional: bool = True
    reason: LocalizedText | None = None
    hosts: set[str] = field(default_factory=set)

    def add(self, fields: Mapping[str, JsonValue], hosts: Iterable[str]) -> None:
        self.optional = self.optional and fields.get("optional") is True
        self.hosts.update(hosts)
        if self.reason is None:
            self.reason = _reason(fields.get("reason"))

    def finish(self, kind: PermissionKind) -> Permission:
        hosts = tuple(sorted(self.hosts)) if kind.needs_hosts else None
        return Permission(kind.id, self.optional, self.reason, hosts)


def _entry_hosts(kind: PermissionKind, hosts: JsonValue) -> tuple[list[str], list[str]]:
    """The canonical hosts of one entry, and what is wrong with it."""
    listed = [str(host) for host in hosts] if isinstance(hosts, list) else []
    faults: list[str] = []
    if kind.needs_hosts and not listed:
        faults.append(f"{kind.id} has to name the hosts it reaches.")
    if not kind.needs_hosts and hosts is not None:
        faults.append(f"{kind.id} takes no hosts.")
    good: list[str] = []
    for host in listed:
        pattern = parse_host_pattern(host)
        if pattern is None:
            faults.append(f"{host!r} is no host pattern such as api.example.org, *.example.org or example.org:8443.")
        else:
            good.append(str(pattern))
    return good, faults


def _reason(value: JsonValue) -> LocalizedText | None:
    if isinstance(value, dict):
        return {language: str(text) for language, text in value.items()}
    return value if isinstance(value, str) and value else None
