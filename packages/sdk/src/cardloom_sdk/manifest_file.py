"""A headless card's manifest, from a file or from a dict. Spec: decision 31."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest, parse_python_manifest

MANIFEST_NAME: Final = "cardloom-card.json"

ManifestSource: TypeAlias = Mapping[str, Any] | str | Path
"""The manifest itself, its file, or the folder that holds the file."""


class ManifestError(ValueError):
    """A manifest that cannot be used; the message lists every fault with its place."""


def read_manifest(source: ManifestSource) -> Manifest:
    """Give a manifest with its defaults filled in. ManifestError says all that is wrong with it.

    One given as a dict may leave `python` out: whoever runs it is its program.
    """
    if isinstance(source, Mapping):
        return parse_raw({"python": "card.py", **source}, "manifest")
    path = Path(source)
    if path.is_dir():
        path = path / MANIFEST_NAME
    return parse_raw(read_raw(path), str(path))


def read_raw(path: Path) -> Any:
    """Give the JSON of a manifest file. ManifestError when there is none, or too much."""
    try:
        with path.open("rb") as file:
            data = file.read(limit("manifestBytes") + 1)
        if len(data) > limit("manifestBytes"):
            raise ManifestError(f"{path}: a manifest may have at most {limit('manifestBytes')} bytes")
        return json.loads(data.decode())
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(f"{path}: not JSON: {error}") from error


def parse_raw(raw: Any, where: str) -> Manifest:
    """Give the manifest that JSON stands for. ManifestError lists the faults."""
    result = parse_python_manifest(raw)
    if result.manifest is None:
        faults = "\n".join(f"  {issue.path or '/'}: {issue.message}" for issue in result.issues)
        raise ManifestError(f"{where} is no usable manifest:\n{faults}")
    return result.manifest
