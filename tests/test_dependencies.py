"""What the product takes from others: each is decided on, and nothing leaves the house without its licence."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("packages/protocol", "packages/sdk", "packages/server")
PAGES = ("web/app", "web/card-sdk", "web/protocol")


def required_names() -> list[str]:
    """The distributions and npm packages that something of ours needs at run time, ours left out."""
    names: list[str] = []
    for package in PACKAGES:
        project = tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["project"]
        names += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in project["dependencies"]]
    for page in PAGES:
        names += json.loads((ROOT / page / "package.json").read_text("utf-8")).get("dependencies", {})
    return sorted({name for name in names if not name.startswith(("cardloom-", "@cardloom/"))})


def decided_words() -> str:
    pages = sorted((ROOT / "docs/decisions").glob("0*.md"))
    return "\n".join(page.read_text("utf-8") for page in pages).lower()


@pytest.mark.parametrize("name", required_names())
def test_a_run_time_dependency_is_decided_on(name: str) -> None:
    """`@scope/name` may stand in a row that begins with the scope and goes on with names alone."""
    words = decided_words()
    last = name.rpartition("/")[2].removeprefix("addon-")
    assert re.search(
        rf"(?<![\w-]){re.escape(name)}(?![\w-])|@{name[1:].split('/')[0]}/[^|]*\b{re.escape(last)}\b", words
    )


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs/decisions/README.md").read_text("utf-8")
    pages = [page.name for page in (ROOT / "docs/decisions").glob("0*.md")]
    assert [name for name in pages if f"]({name})" not in listed] == []


@pytest.mark.parametrize("package", [*PACKAGES, "web/card-sdk", "web/protocol"])
def test_what_is_published_carries_the_licence(package: str) -> None:
    assert (ROOT / package / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize(
    ("package", "made", "holder"),
    [
        ("packages/protocol", "src/cardloom_protocol/schema/unicode_data.py", "Unicode, Inc."),
        ("packages/server", "src/cardloom/features/usage/plain_rates.json", "Pydantic Services Inc."),
    ],
)
def test_tables_made_from_data_of_others_bring_their_notice(package: str, made: str, holder: str) -> None:
    notice = (ROOT / package / "NOTICE").read_text("utf-8")
    assert (ROOT / package / made).is_file()
    assert (made.removeprefix("src/") in notice, holder in notice) == (True, True)
