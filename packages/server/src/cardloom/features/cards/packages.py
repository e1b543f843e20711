"""The packages in Cardloom's own folders: each a folder with a manifest and a program or a page.

A folder whose manifest has faults is left out and its faults are told, so that one bad package hides no other.
Spec: decisions 13, 31.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode, JsonValue
from cardloom_protocol.ids import PackageId
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
    """The packages of some folders. `changed` is called when the list becomes another one."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self.changed: Callable[[], None] = lambda: None
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
                found.setdefault(package_id, Package(package_id, manifest, str(path.parent)))
        return found


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
