"""What a card of a package is told and shows: pure rules over records, manifests and grants.

Spec: cards, the card context and its methods; decisions 4, 13, 14.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL
from cardloom_protocol.ids import PackageId
from cardloom_protocol.limits import CARD_LIMITS, limit
from cardloom_protocol.manifest import Manifest, PortDefinition, declared_permissions
from cardloom_protocol.permissions import PERMISSIONS, closure, view
from cardloom_protocol.ports import PeerInfo, PortInfo
from cardloom_protocol.texts import localized
from cardloom_protocol.themes import FONT_MONO, FONT_SANS, THEMES, Scheme

from ...core.presence import Visibility
from ...core.recipes import Recipe
from ...core.records import Card, Chrome, JsonObject, Workspace

APP_VERSION: Final = "0.1.264"
"""The level of the card contract that this host keeps (decision 14)."""

_LOCALES: Final = {"en": "en-US", "ru": "ru-RU", "zh": "zh-CN"}
_OUTSIDE: Final = "dev:"
_FILE_PERMISSIONS: Final = frozenset(("fs.read", "fs.write"))

Launch: TypeAlias = Literal["created", "reloaded", "resumed"]
ProgramStatus: TypeAlias = Literal["waiting", "starting", "running", "stopped", "failed", "external"]


@dataclass(frozen=True, slots=True)
class Package:
    """A package that can be put on a canvas.

    `folder` is None for one that somebody runs themselves. `tree_hash` names the exact files; None for a folder that
    may change under us: one that somebody works on (`dev`), or one that comes with Cardloom (`source` None).
    `accepted` are the permissions that the owner agreed to, None for all that it requires; the manifest's hosts are
    those agreed to, `held_hosts` the others. `problem` says why its files are not what is used now, `former` is the
    version that it can return to, `icon` a data URL.
    """

    id: PackageId
    manifest: Manifest
    folder: str | None = None
    tree_hash: str | None = None
    source: str | None = None
    commit: str | None = None
    dev: bool = False
    verified: bool = False
    accepted: frozenset[str] | None = None
    held_hosts: tuple[str, ...] = ()
    problem: str | None = None
    former: str | None = None
    icon: str | None = None

    @property
    def name(self) -> str:
        return self.manifest["name"]

    @property
    def version(self) -> str:
        return self.manifest["version"]

    @property
    def kind(self) -> Literal["frame", "python"]:
        """Whether it is a page in a frame or a program."""
        return "python" if "python" in self.manifest else "frame"

    @property
    def declared(self) -> frozenset[str]:
        """The permissions it may ever have."""
        return frozenset(entry["id"] for entry in self.manifest["permissions"])

    @property
    def required(self) -> frozenset[str]:
        """The permissions that go with starting it."""
        return frozenset(entry["id"] for entry in self.manifest["permissions"] if not entry["optional"])

    @property
    def agreed(self) -> frozenset[str]:
        """The required permissions that go with installing it."""
        return self.required if self.accepted is None else self.required & self.accepted

    @property
    def held(self) -> frozenset[str]:
        """The required permissions that an update brought and the owner has not agreed to."""
        return self.required - self.agreed

    def display_name(self, language: str) -> str:
        return localized(self.manifest["displayName"], language) or self.name


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a card's program does. `unresponsive` is one that is connected and answers nothing."""

    status: ProgramStatus
    restarts: int = 0
    error: str | None = None
    unresponsive: bool = False

    def to_wire(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "restarts": self.restarts,
            "error": self.error,
            "unresponsive": self.unresponsive,
        }


@dataclass(frozen=True, slots=True)
class Taste:
    """The owner's choices that cards follow."""

    scheme: str
    language: str


def folder_package_id(name: str) -> PackageId:
    """The id of a package in a folder of ours: the same on every machine."""
    return PackageId(f"file:{name}-{_short_hash(name)}")


def run_package_id(manifest: Manifest) -> PackageId:
    """The id of a package that somebody runs themselves: by name, so that grants outlast a new version."""
    return PackageId(f"{_OUTSIDE}{_short_hash(manifest['name'])}")


def is_run_id(package_id: str) -> bool:
    """Whether an id may be one of a package that somebody runs themselves; folders that they work on have such, too."""
    return package_id.startswith(_OUTSIDE)


def recipe(package: Package, language: str, given: Mapping[str, Any]) -> Recipe:
    """What a new card of a package is made of."""
    size = package.manifest["card"]["defaultSize"]
    content: dict[str, Any] = {
        "packageId": package.id,
        "version": package.version,
        "displayName": package.display_name(language),
    }
    if "spawnInit" in given:
        content["spawnInit"] = given["spawnInit"]
    inputs, outputs = ports(package, language)
    return Recipe("custom", content, package.name, inputs, outputs, (size["w"], size["h"]))


def ports(package: Package, language: str) -> tuple[tuple[PortInfo, ...], tuple[PortInfo, ...]]:
    """A package's inputs and outputs with their texts in a language."""
    declared = package.manifest["ports"]
    return _ports(declared["inputs"], language), _ports(declared["outputs"], language)


def packages_to_wire(packages: Iterable[Package], language: str) -> list[dict[str, Any]]:
    """The list of packages. Icons beyond what the list has room for are left out."""
    rows = []
    room = limit("packageIconsChars")
    for package in packages:
        row = package_to_wire(package, language)
        room -= len(package.icon or "")
        rows.append(row if room >= 0 else {**row, "icon": None})
    return rows


def package_to_wire(package: Package, language: str) -> dict[str, Any]:
    """A package as the list of packages shows it."""
    author = package.manifest.get("author")
    return {
        "packageId": package.id,
        "name": package.name,
        "displayName": package.display_name(language),
        "description": localized(package.manifest.get("description"), language) or "",
        "author": None if author is None else author["name"],
        "version": package.version,
        "kind": package.kind,
        "icon": package.icon,
        "source": package.source,
        "commit": package.commit,
        "treeHash": package.tree_hash,
        "dev": package.dev,
        "verified": package.verified,
        "former": package.former,
        "problem": package.problem,
        "card": dict(package.manifest["card"]),
        "held": {"permissions": sorted(package.held), "hosts": list(package.held_hosts)},
        "permissions": view(declared_permissions(package.manifest), (), language),
    }


def question(package: Package, language: str) -> dict[str, Any]:
    """What the owner is shown before a package's program runs for the first time."""
    asked = []
    for row in view(declared_permissions(package.manifest), (), language):
        if not row["optional"]:
            asked.append({**row, "risk": PERMISSIONS[str(row["id"])].risk.value})
    return {
        "packageId": package.id,
        "name": package.display_name(language),
        "version": package.version,
        "message": localized(package.manifest.get("description"), language) or "",
        "folder": package.folder or "",
        "permissions": asked,
    }


def grants_to_wire(package: Package, granted: Collection[str]) -> list[dict[str, Any]]:
    """Every permission a package declares, with whether the owner granted it."""
    return [
        {"packageId": package.id, "permission": entry["id"], "granted": entry["id"] in granted}
        for entry in package.manifest["permissions"]
    ]


# The card context


def context(
    card: Card,
    package: Package,
    workspace: Workspace,
    *,
    granted: Collection[str],
    visibility: Visibility,
    peers: Iterable[PeerInfo],
    taste: Taste,
    launch: Launch,
    settings: Mapping[str, Any],
    expanded: bool = False,
) -> dict[str, Any]:
    """The answer to `host.ready`: everything the card should know at its start."""
    made: dict[str, Any] = {
        "protocol": PROTOCOL,
        "appVersion": APP_VERSION,
        "instance": instance(card, package, taste.language),
        "workspace": workspace_view(workspace, granted),
        "visibility": visibility,
        "expanded": expanded,
        "theme": theme(taste.scheme),
        "i18n": i18n(taste.language),
        "settings": settings,
        "permissions": view(declared_permissions(package.manifest), granted, taste.language),
        "ports": {
            "inputs": [port.to_wire() for port in card.inputs],
            "outputs": [port.to_wire() for port in card.outputs],
        },
        "peers": [peer.to_wire() for peer in peers],
        "launch": launch,
        "limits": dict(CARD_LIMITS),
        "chrome": card.chrome.to_wire(),
    }
    if "spawnInit" in card.content:
        made["spawnInit"] = card.content["spawnInit"]
    return made


def instance(card: Card, package: Package, language: str) -> dict[str, Any]:
    """Who the card is."""
    return {
        "instanceId": card.id,
        "packageId": package.id,
        "name": package.name,
        "displayName": package.display_name(language),
        "version": package.version,
        "commit": package.commit,
        "title": card.title or card.chrome.title,
        "size": {"w": card.w, "h": card.h},
        "dev": package.dev or package.folder is None,
    }


def workspace_view(workspace: Workspace, granted: Collection[str]) -> dict[str, Any]:
    """The workspace as a card sees it: its folder only with a permission for files."""
    seen: dict[str, Any] = {"id": workspace.id, "name": workspace.name}
    if not _FILE_PERMISSIONS.isdisjoint(closure(granted)):
        seen["path"] = workspace.path
    return seen


def theme(scheme: str) -> dict[str, Any]:
    """The theme in use. What `system` means is known to each page alone; programs get the dark one."""
    chosen: Scheme = "light" if scheme == "light" else "dark"
    return {"scheme": chosen, "tokens": dict(THEMES[chosen]), "fontSans": FONT_SANS, "fontMono": FONT_MONO}


def i18n(language: str) -> dict[str, str]:
    return {"language": language, "locale": _LOCALES.get(language, _LOCALES["en"])}


# Chrome


def chrome_after(chrome: Chrome, method: str, params: Mapping[str, Any]) -> Chrome:
    """A card's chrome after one of its setters."""
    match method:
        case "card.setTitle":
            return replace(chrome, title=params["title"] or None)
        case "card.setStatus":
            return replace(chrome, status=_status(params))
        case "card.setBadge":
            return replace(chrome, badge=_badge(params))
        case "card.setOverview":
            return replace(chrome, overview=_overview(params))
        case "card.attention":
            return replace(chrome, attention=_attention(params))
        case _:
            raise CallError(ErrorCode.INTERNAL, f"{method} sets no chrome")


def _status(params: Mapping[str, Any]) -> JsonObject | None:
    text = params.get("text")
    if not text:
        return None
    return {"text": text, "tone": params.get("tone", "default"), "busy": params.get("busy", False)}


def _badge(params: Mapping[str, Any]) -> JsonObject | None:
    count, text = params.get("count"), params.get("text") or None
    if count is None and text is None:
        return None
    return {"count": count, "text": text, "tone": params.get("tone", "default")}


def _overview(params: Mapping[str, Any]) -> JsonObject | None:
    shown = {name: params.get(name) for name in ("primary", "secondary", "progress", "icon")}
    if all(value is None for value in shown.values()):
        return None
    return {**shown, "tone": params.get("tone", "default")}


def _attention(params: Mapping[str, Any]) -> JsonObject | None:
    if params["level"] == "none":
        return None
    return {"level": params["level"], "message": params.get("message") or None}


def _ports(declared: Iterable[PortDefinition], language: str) -> tuple[PortInfo, ...]:
    made = []
    for port in declared:
        texts = {
            "label": localized(port["label"], language),
            "description": localized(port.get("description"), language),
        }
        made.append(PortInfo.from_wire({**port, **texts}))
    return tuple(made)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
