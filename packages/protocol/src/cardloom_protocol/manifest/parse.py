"""Reads a manifest: first its shape, then, when that is clean, its meaning; what is missing is filled in.

Spec: manifest; decision 31.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from ..jstext import JsonValue
from ..limits import limit
from ..paths import normalize_package_path
from ..permissions import Permission
from ..schema import compile_schema
from .findings import Findings
from .meaning import check_meaning
from .model import CardSizes, Manifest, ManifestIssue, ManifestResult, Size
from .structure import MANIFEST_SCHEMA, PYTHON_MANIFEST_SCHEMA

_DEFAULT_SIZE: Size = {"w": 420, "h": 320}
_MIN_SIZE: Size = {"w": 200, "h": 120}
_MAX_SIZE: Size = {"w": 2400, "h": 1800}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a kind of card names the file it starts from."""

    field: Literal["entry", "python"]
    default: str
    suffixes: tuple[str, ...]
    schema: Mapping[str, JsonValue]


_PAGE = _Kind("entry", "index.html", (".html", ".htm"), MANIFEST_SCHEMA)
_PYTHON = _Kind("python", "", (".py",), PYTHON_MANIFEST_SCHEMA)

_compiled = {kind.field: compile_schema(kind.schema) for kind in (_PAGE, _PYTHON)}


def parse_manifest(value: object) -> ManifestResult:
    """Reads the parsed content of `neurosquad-card.json`.

    All faults come at once: at most 50 of shape, or else all of meaning. The result shares parts with
    `value`, which should not be changed afterwards.
    """
    return _parse(value, _PAGE)


def parse_python_manifest(value: object) -> ManifestResult:
    """Reads the parsed content of `cardloom-card.json`, the same manifest with a `python` file for `entry`."""
    return _parse(value, _PYTHON)


def _parse(value: object, kind: _Kind) -> ManifestResult:
    shape = _compiled[kind.field].check(cast(JsonValue, value), max_issues=limit("manifestIssues"))
    if shape:
        return ManifestResult(None, tuple(ManifestIssue(issue.path, "schema", issue.message) for issue in shape))
    raw = cast(dict[str, JsonValue], value)
    findings = Findings()
    start = _start_file(raw, kind, findings)
    sizes = _card_sizes(raw)
    permissions = check_meaning(raw, sizes, findings)
    if findings.issues:
        return ManifestResult(None, tuple(findings.issues), tuple(findings.warnings))
    return ManifestResult(_normalised(raw, kind, start, sizes, permissions), (), tuple(findings.warnings))


def _start_file(raw: Mapping[str, JsonValue], kind: _Kind, findings: Findings) -> str:
    written = str(raw.get(kind.field, kind.default))
    normal = normalize_package_path(written)
    if normal is None or not normal.lower().endswith(kind.suffixes):
        findings.add(f"/{kind.field}", f"{written!r} is no path of a {' or '.join(kind.suffixes)} file in the package.")
    return normal or ""


def _card_sizes(raw: Mapping[str, JsonValue]) -> CardSizes:
    given = cast(Mapping[str, Size], raw.get("card", {}))
    return {
        "defaultSize": given.get("defaultSize", _DEFAULT_SIZE),
        "minSize": given.get("minSize", _MIN_SIZE),
        "maxSize": given.get("maxSize", _MAX_SIZE),
    }


def _normalised(
    raw: Mapping[str, JsonValue], kind: _Kind, start: str, sizes: CardSizes, permissions: tuple[Permission, ...]
) -> Manifest:
    ports = cast(Mapping[str, JsonValue], raw.get("ports", {}))
    return cast(
        Manifest,
        {
            **raw,
            kind.field: start,
            "card": sizes,
            "permissions": [permission.to_wire() for permission in permissions],
            "settings": raw.get("settings", []),
            "ports": {"inputs": ports.get("inputs", []), "outputs": ports.get("outputs", [])},
            "tools": raw.get("tools", []),
        },
    )
