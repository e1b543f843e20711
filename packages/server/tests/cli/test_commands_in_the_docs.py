"""Whatever command the documentation shows is one that there is, with the options that it has."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from cardloom.cli.commands import app

ROOT = Path(__file__).parents[4]
SHOWN = re.compile(r"(?:^|[`|]|\s{2})(?:CARDLOOM_HOME=\S+ )?cardloom ((?:[^`#|\s]+ ?)+)", re.MULTILINE)
"""A command: at the start of a line, of code in a text, or of a column."""


def documents() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if "/vectors/" not in name and name != "CHANGELOG.md"]


def shown_commands(document: Path) -> Iterator[list[str]]:
    code = re.findall(r"```.*?```|`[^`\n]+`", document.read_text("utf-8"), re.DOTALL)
    for words in SHOWN.findall("\n".join(code)):
        yield words.split()


def faults(words: list[str]) -> list[str]:
    """What is shown and does not exist."""
    command: Any = get_command(app)  # typer brings a click of its own, so its classes are not click's
    taken = 0
    while hasattr(command, "commands") and taken < len(words):
        if words[taken].startswith("["):  # the names of a group: [list|show]
            names = words[taken].strip("[]").split("|")
            return [name for name in names if name.islower() and name not in command.commands]
        if not words[taken][0].isascii() or words[taken] in ("--version", "--help"):
            return []  # an ellipsis or an arrow: no command is meant
        if words[taken] not in command.commands:
            return [words[taken]]
        command, taken = command.commands[words[taken]], taken + 1
    known = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    used = [word.strip("[],;.)") for word in words[taken:] if re.match(r"\[?--?[a-z]", word)]
    return [option for option in used if option.partition("=")[0] not in known]


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_the_documentation_exist(document: Path) -> None:
    wrong = [("cardloom", *words, found) for words in shown_commands(document) if (found := faults(words))]
    assert wrong == []


def test_many_commands_are_shown() -> None:
    assert sum(1 for document in documents() for _ in shown_commands(document)) > 60
