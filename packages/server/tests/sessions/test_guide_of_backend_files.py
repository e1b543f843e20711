"""The guide's own words: its files are read without a fault, and its tables name all there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cardloom.features.sessions.backends.configured import FILE, Surroundings, read_configuration
from cardloom.features.sessions.backends.keys import SealedKeys
from cardloom.features.sessions.backends.mapped.mapping import ROUTES
from cardloom.features.sessions.backends.mapped.rules import FIELDS
from cardloom.host.vault import Vault
from cardloom_sdk.stores import MemoryStore

ROOT = Path(__file__).parents[4]
SOURCES = ROOT / "packages" / "server" / "src" / "cardloom" / "features" / "sessions" / "backends"
GUIDE = (ROOT / "docs" / "guides" / "backends.md").read_text("utf-8")


@pytest.mark.parametrize("text", re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL))
def test_the_files_of_the_guide_are_without_fault(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    (tmp_path / "dreams.json").write_text((ROOT / "examples" / "backends" / "dreams.json").read_text())
    keys = SealedKeys(tmp_path, Vault(tmp_path, None))
    found = read_configuration(Surroundings(tmp_path, {}, keys, lambda _: MemoryStore()))
    assert found.faults == []
    assert len(found.endpoints) + len(found.mcp) + len(found.backends) == sum(map(len, lists_of(json.loads(text))))


def lists_of(document: dict[str, dict[str, list[object]]]) -> list[list[object]]:
    engine = document.get("engine", {})
    return [engine.get("endpoints", []), engine.get("mcp", []), list(document.get("backends", []))]


def test_every_code_of_a_failure_is_in_the_guide() -> None:
    code = re.compile(r'^ *[A-Z_]+(?:: Final)? = "([a-z]+_[a-z_]+)"$', re.MULTILINE)
    found = {name for path in SOURCES.rglob("*.py") for name in code.findall(path.read_text("utf-8"))}
    assert {"model_timeout", "pi_ended", "key_missing"} <= found
    assert {name for name in found if f"`{name}`" not in GUIDE} == set()


def test_every_rule_of_mappings_is_in_the_guide() -> None:
    for name in FIELDS:
        assert f"`{name}`" in GUIDE, name


def test_the_examples_show_every_route_and_rule() -> None:
    shown = [
        json.loads((ROOT / "examples" / "backends" / f"{name}.json").read_text()) for name in ("dreams", "marinara")
    ]
    assert {route for example in shown for route in example["routes"]} == set(ROUTES)
    rules = {rule["do"] for example in shown for rule in example["events"]["rules"]}
    assert set(FIELDS) - rules <= {"image", "file", "ignore"}
