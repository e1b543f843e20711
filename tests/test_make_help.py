"""`make help` is how one finds the commands, so it lists all of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_make_help_lists_every_command_with_what_it_does() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony is not None
    told = subprocess.run(["make", "help"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert re.findall(r"^  make (\S+) +\S", told, re.MULTILINE) == phony[1].split()
