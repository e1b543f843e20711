"""What the README shows is what the package does."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHOWN = re.compile(r"^(\w+\(.*\)|schema\.check\(.*\))  # (.+)$", re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_of_the_readme_runs_and_gives_what_its_comments_say(block: str) -> None:
    names: dict[str, object] = {}
    exec(block, names)
    for expression, told in SHOWN.findall(block):
        got = eval(expression, names)
        if told.startswith("one Issue"):
            (issue,) = got
            assert (f"path {issue.path!r}" in told, f"keyword {issue.keyword!r}" in told) == (True, True)
        else:
            assert repr(got) == told.partition(": ")[0]


def test_the_readme_shows_programs_with_results() -> None:
    assert (len(BLOCKS), sum(len(SHOWN.findall(block)) for block in BLOCKS)) == (2, 4)


def test_the_modules_of_the_readme_exist() -> None:
    table = README.partition("## What is where")[2].partition("## Sessions")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    modules = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(modules) > 15
    for name in modules:
        importlib.import_module(f"cardloom_protocol.{name}")
