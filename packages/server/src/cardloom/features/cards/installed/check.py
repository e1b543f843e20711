"""Whether the files of a folder are a package that can be used here: every fault at once, each at its place.

Spec: cards, manifest and impersonation; decisions 14, 31.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest, ManifestIssue, parse_manifest, parse_python_manifest
from cardloom_protocol.manifest.impersonation import impersonations
from cardloom_protocol.versions import is_newer

from ..model import APP_VERSION
from ..packages import FRAME_MANIFEST_NAME, MANIFEST_NAME, icon_type

Fault: TypeAlias = dict[str, str]
"""`{path, keyword, message}`."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A package that can be used. `raw` is its manifest as it was written."""

    manifest: Manifest
    raw: dict[str, Any]
    warnings: tuple[str, ...] = ()


def check_package(root: Path, files: Collection[str], *, official: Callable[[str], bool] = lambda _: False) -> Checked:
    """Read the package in a folder whose files are `files`.

    INVALID_PARAMS with every fault as `{path, keyword, message}`; paths begin with /manifest or /files. `official`
    tells of a package's name whether its maker may use the guarded words. Touches the disk.
    """
    named = [name for name in (MANIFEST_NAME, FRAME_MANIFEST_NAME) if name in files]
    if len(named) != 1:
        both = f"there is no {FRAME_MANIFEST_NAME} and no {MANIFEST_NAME}"
        both = f"there are both {FRAME_MANIFEST_NAME} and {MANIFEST_NAME}; a package has one" if named else both
        _refuse([_fault("/files", "manifest", both)])
    raw = _json(root / named[0])
    frame = named[0] == FRAME_MANIFEST_NAME
    result = parse_manifest(raw) if frame else parse_python_manifest(raw)
    if result.manifest is None:
        _refuse([_from_issue(issue) for issue in result.issues])
    manifest = result.manifest
    faults = [*_file_faults(root, files, manifest, frame=frame), *_version_faults(manifest)]
    if not official(manifest["name"]):
        faults += [_from_issue(issue, "impersonation") for issue in impersonations(manifest)]
    if faults:
        _refuse(faults)
    warnings = tuple(f"manifest{warning.path}: {warning.message}" for warning in result.warnings)
    return Checked(manifest, raw, warnings)


def _json(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        data = file.read(limit("manifestBytes") + 1)
    if len(data) > limit("manifestBytes"):
        _refuse([_fault("/manifest", "size", f"it has more than {limit('manifestBytes')} bytes")])
    try:
        raw: object = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _refuse([_fault("/manifest", "json", f"{path.name} is not JSON: {error}")])
    if not isinstance(raw, dict):
        _refuse([_fault("/manifest", "type", f"{path.name} holds no object")])
    return raw


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _file_faults(root: Path, files: Collection[str], manifest: Manifest, *, frame: bool) -> list[Fault]:
    """What the manifest names and the package does not have."""
    faults: list[Fault] = []
    field, what = ("entry", "page") if frame else ("python", "program")
    start = manifest["entry"] if frame else manifest["python"]
    if start not in files:
        faults.append(_fault(f"/manifest/{field}", "file", f"its {what} {start!r} is not in the package"))
    icon = manifest.get("icon")
    if icon is not None:
        fault = _icon_fault(root, files, icon.removesuffix("/"))
        faults += [_fault("/manifest/icon", "file", fault)] if fault else []
    return faults


def _icon_fault(root: Path, files: Collection[str], icon: str) -> str | None:
    if icon not in files:
        return f"its icon {icon!r} is not in the package"
    if (root / icon).stat().st_size > limit("iconBytes"):
        return f"its icon has more than {limit('iconBytes')} bytes"
    with (root / icon).open("rb") as file:
        head = file.read(16)
    return None if icon_type(head) is not None else "its icon is no PNG or WebP image"


def _version_faults(manifest: Manifest) -> list[Fault]:
    needed = manifest.get("minAppVersion")
    if needed is None or not is_newer(needed, APP_VERSION):
        return []
    message = f"the card needs level {needed} of the card contract; this Cardloom has {APP_VERSION}. Update Cardloom."
    return [_fault("/manifest/minAppVersion", "minAppVersion", message)]


def _from_issue(issue: ManifestIssue, keyword: str | None = None) -> Fault:
    return _fault(f"/manifest{issue.path}", keyword or issue.code, issue.message)


def _fault(path: str, keyword: str, message: str) -> Fault:
    return {"path": path, "keyword": keyword, "message": message}


def _refuse(faults: list[Fault]) -> NoReturn:
    first, more = faults[0], f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    message = f"this package cannot be used: {first['path'].removeprefix('/')}: {first['message']}{more}"
    raise CallError(ErrorCode.INVALID_PARAMS, message, cast(JsonValue, faults))
