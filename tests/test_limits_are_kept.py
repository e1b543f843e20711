"""A limit of the tables is a promise, so something reads it; a number beside the table would be another promise."""

from __future__ import annotations

import re
from pathlib import Path

from cardloom_protocol.limits import LIMITS, OWN_LIMITS

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "packages/protocol/src/cardloom_protocol/limits.py"


def test_every_limit_is_read_by_the_code_that_keeps_it() -> None:
    sources = [path for package in (ROOT / "packages").iterdir() for path in (package / "src").rglob("*.py")]
    names = {
        word for path in sources if path != TABLE for word in re.findall(r"[\"'](\w+)[\"']", path.read_text("utf-8"))
    }
    assert [name for name in (*LIMITS, *OWN_LIMITS) if name not in names] == []
