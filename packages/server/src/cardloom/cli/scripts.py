"""The scripts of the package.json beside a card that is a page."""

from __future__ import annotations

import json
from pathlib import Path


def script_of(folder: Path, name: str) -> str | None:
    """What a script runs; None where there is no such script, or no package.json that can be read."""
    try:
        script = json.loads((folder / "package.json").read_text("utf-8"))["scripts"][name]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return script if isinstance(script, str) else None
