"""What cards of packages are told and show: the pure rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cardloom.core.records import Card, Chrome, Workspace
from cardloom.features.cards import model
from cardloom.features.cards.packages import checked_manifest
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.vocabulary import THEME_TOKENS

RAW: dict[str, Any] = {
    "manifestVersion": 1,
    "protocol": 1,
    "version": "1.2.3",
    "name": "pantry-watch",
    "displayName": {"en": "Pantry Watch", "ru": "Кладовая"},
    "python": "card.py",
    "permissions": [
        {"id": "agents.read", "reason": "Shows who cooks."},
        {"id": "fs.write", "optional": True},
    ],
    "settings": [
        {"key": "threshold", "type": "number", "label": "Threshold", "default": 3},
        {"key": "apiKey", "type": "secret", "label": "Key"},
    ],
    "ports": {"inputs": [{"id": "in", "label": {"en": "In", "ru": "Вход"}, "type": "ns:text"}]},
}
PACKAGE = model.Package(PackageId("file:pantry-watch-1"), checked_manifest(RAW), "/packages/pantry-watch")
WORKSPACE = Workspace(WorkspaceId("w_1"), "Kitchen", "/home/me/kitchen", 0)
CARD = Card(
    CardId("c_1"),
    WorkspaceId("w_1"),
    "custom",
    0,
    0,
    420,
    320,
    1,
    0,
    content={"packageId": PACKAGE.id},
    chrome=Chrome(title="Low"),
)


def context(card: Card = CARD, *granted: str, language: str = "en") -> dict[str, Any]:
    return model.context(
        card,
        PACKAGE,
        WORKSPACE,
        granted=granted,
        visibility="hidden",
        peers=(),
        taste=model.Taste("light", language),
        launch="created",
        settings={"values": {"threshold": 3}, "secrets": {"apiKey": False}},
    )


def test_the_context_tells_a_card_who_it_is() -> None:
    assert context()["instance"] == {
        "instanceId": "c_1",
        "packageId": "file:pantry-watch-1",
        "name": "pantry-watch",
        "displayName": "Pantry Watch",
        "version": "1.2.3",
        "commit": None,
        "title": "Low",
        "size": {"w": 420, "h": 320},
        "dev": False,
    }


def test_the_folder_is_told_only_with_a_permission_for_files() -> None:
    assert context()["workspace"] == {"id": "w_1", "name": "Kitchen"}
    assert context(CARD, "agents.read")["workspace"] == {"id": "w_1", "name": "Kitchen"}
    assert context(CARD, "fs.write")["workspace"]["path"] == "/home/me/kitchen"


def test_grants_are_told_word_for_word_and_reasons_in_the_language() -> None:
    assert context(CARD, "fs.write")["permissions"] == [
        {"id": "agents.read", "optional": False, "granted": False, "reason": "Shows who cooks."},
        {"id": "fs.write", "optional": True, "granted": True},
    ]


def test_texts_and_theme_follow_the_owner() -> None:
    told = context(language="ru")
    assert told["instance"]["displayName"] == "Кладовая"
    assert told["i18n"] == {"language": "ru", "locale": "ru-RU"}
    assert told["theme"]["scheme"] == "light"
    assert list(told["theme"]["tokens"]) == list(THEME_TOKENS)


def test_a_parents_gift_is_there_only_when_there_is_one() -> None:
    assert "spawnInit" not in context()
    card = replace(CARD, content={"packageId": PACKAGE.id, "spawnInit": None})
    assert context(card)["spawnInit"] is None


def test_a_new_card_has_the_ports_and_size_of_its_manifest() -> None:
    made = model.recipe(PACKAGE, "ru", {"spawnInit": [1], "other": 2})
    assert (made.kind, made.type, made.size) == ("custom", "pantry-watch", (420, 320))
    assert [port.label for port in made.inputs] == ["Вход"]
    assert made.content == {
        "packageId": PACKAGE.id,
        "version": "1.2.3",
        "displayName": "Кладовая",
        "spawnInit": [1],
    }


def test_the_question_before_the_first_start_names_what_is_required_and_how_risky_it_is() -> None:
    asked = model.question(PACKAGE, "en")
    assert [(row["id"], row["risk"]) for row in asked["permissions"]] == [("agents.read", "low")]
    assert asked["folder"] == "/packages/pantry-watch"


def test_ids_of_folders_are_the_same_everywhere_and_those_of_own_runs_go_by_name() -> None:
    assert model.folder_package_id("test-radar") == "file:test-radar-ec4a3283"
    newer = checked_manifest({**RAW, "version": "9.0.0"})
    assert model.run_package_id(newer) == model.run_package_id(PACKAGE.manifest)
    assert model.run_package_id(newer).startswith("dev:")


@pytest.mark.parametrize(
    ("method", "params", "field", "shown"),
    [
        ("card.setTitle", {"title": "A"}, "title", "A"),
        ("card.setTitle", {"title": None}, "title", None),
        ("card.setTitle", {"title": ""}, "title", None),
        ("card.setStatus", {"text": "on"}, "status", {"text": "on", "tone": "default", "busy": False}),
        ("card.setStatus", {"text": None, "busy": True}, "status", None),
        ("card.setBadge", {"count": 0, "text": None}, "badge", {"count": 0, "text": None, "tone": "default"}),
        (
            "card.setBadge",
            {"count": None, "text": "new", "tone": "danger"},
            "badge",
            {"count": None, "text": "new", "tone": "danger"},
        ),
        ("card.setBadge", {"count": None, "text": ""}, "badge", None),
        (
            "card.setOverview",
            {"primary": "3"},
            "overview",
            {"primary": "3", "secondary": None, "progress": None, "icon": None, "tone": "default"},
        ),
        ("card.setOverview", {}, "overview", None),
        ("card.attention", {"level": "info"}, "attention", {"level": "info", "message": None}),
        ("card.attention", {"level": "none", "message": "x"}, "attention", None),
    ],
)
def test_each_setter_replaces_its_part_of_the_chrome(
    method: str, params: dict[str, Any], field: str, shown: Any
) -> None:
    before = Chrome("t", {"text": "s"}, {"count": 1}, {"primary": "p"}, {"level": "info"})
    after = model.chrome_after(before, method, params)
    assert getattr(after, field) == shown
    for other in {"title", "status", "badge", "overview", "attention"} - {field}:
        assert getattr(after, other) == getattr(before, other)


def test_a_faulty_manifest_is_refused_with_every_fault() -> None:
    with pytest.raises(CallError) as caught:
        checked_manifest({**RAW, "name": "terminal", "python": "card.sh"})
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert isinstance(caught.value.data, list)
    assert [issue["path"] for issue in caught.value.data if isinstance(issue, dict)] == [
        "/manifest/python",
        "/manifest/name",
    ]
