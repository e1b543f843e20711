"""Our tables against the recorded ones: the files beside the cases that hold no case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol import hosts, manifest, paths, texts, vocabulary
from cardloom_protocol.limits import CARD_LIMITS
from cardloom_protocol.permissions import PERMISSIONS

CARDS = Path(__file__).resolve().parent / "cards"


def recorded(name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((CARDS / f"{name}.json").read_text(encoding="utf-8"))
    return table


def test_the_permission_table_is_the_recorded_one() -> None:
    table = recorded("permissions")
    assert list(PERMISSIONS) == table["order"]
    assert {
        kind.id: {"risk": kind.risk.value, "implies": list(kind.implies), "needsHosts": kind.needs_hosts}
        for kind in PERMISSIONS.values()
    } == table["permissions"]


@pytest.mark.parametrize(
    ("file", "key", "ours"),
    [
        ("icons", "icons", vocabulary.ICONS),
        ("tones", "tones", vocabulary.TONES),
        ("theme_tokens", "tokens", vocabulary.THEME_TOKENS),
        ("reserved_names", "packageNames", manifest.RESERVED_NAMES),
        ("reserved_names", "builtinTools", manifest.BUILTIN_TOOLS),
        ("reserved_names", "forbiddenHeaders", hosts.FORBIDDEN_HEADERS),
        ("reserved_names", "forbiddenHeaderPrefixes", hosts.FORBIDDEN_HEADER_PREFIXES),
        ("reserved_names", "protectedDirs", paths.PROTECTED_DIRS),
        ("reserved_names", "protectedFiles", paths.PROTECTED_FILES),
    ],
)
def test_a_list_of_words_is_the_recorded_one(file: str, key: str, ours: tuple[str, ...]) -> None:
    assert list(ours) == recorded(file)[key]


def test_each_language_has_its_recorded_locale() -> None:
    assert dict(texts.LOCALES) == recorded("reserved_names")["locales"]


def test_the_manifest_schema_is_the_recorded_one() -> None:
    assert dict(manifest.MANIFEST_SCHEMA) == recorded("manifest_schema")["schema"]


def test_every_card_limit_has_its_recorded_value_and_place() -> None:
    assert list(CARD_LIMITS.items()) == list(recorded("limits")["limits"].items())
