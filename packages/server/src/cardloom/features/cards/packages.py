"""The packages that can be put on a canvas: those in Cardloom's own folders, and those that the owner installed.

A folder whose manifest has faults is left out and its faults are told, so that one bad package hides no other.
Spec: decisions 13, 31.
"""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import PackageId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest, parse_manifest, parse_python_manifest

from .model import Package, folder_package_id

MANIFEST_NAME: Final = "cardloom-card.json"
"""The manifest of a card that is a Python program."""
FRAME_MANIFEST_NAME: Final = "neurosquad-card.json"
"""The manifest of a card that is a page in a sandboxed frame, under the published format's name."""

_log = logging.getLogger(__name__)


def examples_folder() -> Path | None:
    """Where the examples lie that come with Cardloom: beside the sources in a checkout, else inside the wheel."""
    package = Path(__file__).resolve().parents[2]
    checkout = package.parents[3] if len(package.parents) > 3 else package
    if package == checkout / "packages" / "server" / "src" / "cardloom" and (checkout / "examples").is_dir():
        return checkout / "examples"
    shipped = package / "examples"
    return shipped if shipped.is_dir() else None


def bundled_folders() -> tuple[Path, ...]:
    """The folders with the packages that come with Cardloom."""
    examples = examples_folder()
    return () if examples is None or not (examples / "cards").is_dir() else (examples / "cards",)


class Packages:
    """The packages of some folders and of a source. `changed` is called when the list becomes another one."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._looking = threading.Lock()
        self._installed: Callable[[], Iterable[Package]] = tuple
        self.changed: Callable[[], None] = lambda: None
        self._packages = self._fresh = self._read()

    def include(self, installed: Callable[[], Iterable[Package]]) -> None:
        """List what a source gives as well, from now on. Touches the disk."""
        self._installed = installed
        self._packages = self._fresh = self._read()

    def all(self) -> list[Package]:
        """All packages, by name."""
        return list(self._packages.values())

    def find(self, package_id: str) -> Package | None:
        return self._packages.get(PackageId(package_id))

    def get(self, package_id: str) -> Package:
        """One package. NOT_FOUND."""
        found = self.find(package_id)
        if found is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no package {package_id!r}")
        return found

    def look(self) -> None:
        """Read the folders again; `take` makes the list the one in use. Touches the disk."""
        with self._looking:  # the look that began last has the last word
            self._fresh = self._read()

    def take(self) -> None:
        """Use the list that was read last, and tell when it is another one."""
        if self._fresh != self._packages:
            self._packages = self._fresh
            self.changed()

    def _read(self) -> dict[PackageId, Package]:
        found: dict[PackageId, Package] = {}
        for root in self._folders:
            for path in sorted((*root.glob(f"*/{MANIFEST_NAME}"), *root.glob(f"*/{FRAME_MANIFEST_NAME}"))):
                try:
                    manifest = read_manifest(path)
                except ValueError as error:
                    _log.warning("the package at %s is left out: %s", path.parent, error)
                    continue
                package_id = folder_package_id(manifest["name"])
                icon = icon_of(path.parent, manifest)
                found.setdefault(package_id, Package(package_id, manifest, str(path.parent), icon=icon))
        for package in self._installed():
            found.setdefault(package.id, package)
        return found


def manifest_path(folder: Path) -> Path:
    """Where a package's manifest lies."""
    path = folder / MANIFEST_NAME
    return path if path.exists() else folder / FRAME_MANIFEST_NAME


def icon_of(folder: Path, manifest: Manifest) -> str | None:
    """A package's icon as a data URL; None without one that can be shown."""
    name = manifest.get("icon")
    if name is None:
        return None
    try:
        with (folder / name).open("rb") as file:
            content = file.read(limit("iconBytes") + 1)
    except OSError:
        return None
    kind = icon_type(content)
    if kind is None or len(content) > limit("iconBytes"):
        return None
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def icon_type(content: bytes) -> str | None:
    """The media type of an icon by its first bytes, None for what is neither PNG nor WebP."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. ValueError says what is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(limit("manifestBytes") + 1)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error
    if len(data) > limit("manifestBytes"):
        raise ValueError(f"it has more than {limit('manifestBytes')} bytes")
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON: {error}") from error
    frame = path.name == FRAME_MANIFEST_NAME
    try:
        manifest = checked_manifest(raw, frame=frame)
    except CallError as error:
        raise ValueError(error.message) from error
    start = manifest["entry"] if frame else manifest["python"]
    if not (path.parent / start).is_file():
        raise ValueError(f"its {'page' if frame else 'program'} {start} is missing")
    return manifest


def checked_manifest(raw: Mapping[str, Any], *, frame: bool = False) -> Manifest:
    """The manifest that JSON stands for. INVALID_PARAMS with every fault as data."""
    result = parse_manifest(raw) if frame else parse_python_manifest(raw)
    if result.manifest is None:
        first = result.issues[0]
        data: list[JsonValue] = [
            {"path": f"/manifest{issue.path}", "keyword": issue.code, "message": issue.message}
            for issue in result.issues
        ]
        raise CallError(ErrorCode.INVALID_PARAMS, f"manifest{first.path}: {first.message}", data)
    return result.manifest
