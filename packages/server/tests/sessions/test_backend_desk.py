"""Backends that a person sets up from a page: used at once, kept in the file, told without secrets."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.features.sessions.backends.configured import FILE
from cardloom_protocol.errors import ErrorCode

from ..conftest import Client

AGENT = Path(__file__).parent / "acp" / "fake_agent.py"
EXAMPLES = Path(__file__).parents[4] / "examples" / "backends"
SECRET = "secret-of-mine"


@pytest.fixture
async def agent(page: Client, tmp_path: Path) -> AsyncIterator[dict[str, Any]]:
    """What sets up an agent that is there; it is removed in the end, so that its program ends."""
    yield {"backendId": "agent", "kind": "acp", "command": [sys.executable, str(AGENT)], "folder": str(tmp_path)}
    if any(one["id"] == "agent" for one in (await page.call("session.backends"))["backends"]):
        await page.call("session.removeBackend", backendId="agent")


def state_of(answer: Mapping[str, Any], backend_id: str) -> tuple[str, str | None]:
    (found,) = (one for one in answer["backends"] if one["id"] == backend_id)
    return found["state"], found["why"]


def document_of(app: App) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((app.settings.data_folder / FILE).read_text())
    return found


async def test_an_agent_is_set_up_checked_used_and_removed(app: App, page: Client, agent: dict[str, Any]) -> None:
    saved = await page.call("session.saveBackend", **agent, title="My agent")
    assert state_of(saved, "agent") == ("found", None)
    told = (await page.call("session.backends"))["backends"]
    assert {"id": "agent", "title": "My agent", "kind": "acp"} in told
    await page.event("session.backendsChanged")
    assert state_of(await page.call("session.checkBackend", backendId="agent"), "agent") == ("answers", None)
    made = await page.call("session.create", backend="agent")
    assert made["ok"]
    removed = await page.call("session.removeBackend", backendId="agent")
    assert removed["backends"] == []
    assert document_of(app)["backends"] == []
    gone = await page.call("session.get", backend="agent", sessionId=made["data"]["id"])
    assert gone["error"]["code"] == "not_found"
    await page.call("session.saveBackend", **agent)
    assert (await page.call("session.get", backend="agent", sessionId=made["data"]["id"]))["ok"], "sessions stay"


async def test_what_is_missing_is_said_with_the_reason_and_nothing_is_lost(page: Client, tmp_path: Path) -> None:
    given = {"backendId": "pi", "kind": "pi", "command": ["no-such-pi"], "folder": str(tmp_path)}
    state, why = state_of(await page.call("session.saveBackend", **given), "pi")
    assert state == "missing"
    assert "no-such-pi" in str(why)
    state, why = state_of(
        await page.call("session.saveBackend", **{**given, "command": [sys.executable], "folder": "/no/such/folder"}),
        "pi",
    )
    assert state == "missing"
    assert "/no/such/folder" in str(why)
    ends = {"backendId": "agent", "kind": "acp", "command": [sys.executable, "-c", "0"], "folder": str(tmp_path)}
    await page.call("session.saveBackend", **ends)
    state, why = state_of(await page.call("session.checkBackend", backendId="agent"), "agent")
    assert state == "silent"
    assert "The agent" in str(why)


async def test_a_server_that_is_away_is_silent_until_it_is_asked(page: Client) -> None:
    given = {"backendId": "far", "kind": "http", "url": "http://127.0.0.1:9/protocol/v1"}
    assert state_of(await page.call("session.saveBackend", **given), "far") == ("unasked", None)
    state, why = state_of(await page.call("session.checkBackend", backendId="far"), "far")
    assert state == "silent"
    assert why


async def test_keys_are_sealed_never_told_and_stay_with_their_server(app: App, page: Client) -> None:
    given = {"backendId": "far", "kind": "http", "url": "http://127.0.0.1:9/protocol/v1"}
    saved = await page.call("session.saveBackend", **given, key=SECRET)
    assert saved["backends"][0]["hasKey"] is True
    assert SECRET not in json.dumps(saved)
    kept = [path.read_bytes() for path in app.settings.data_folder.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in kept)
    same = await page.call("session.saveBackend", **{**given, "url": "http://127.0.0.1:9/other"})
    assert same["backends"][0]["hasKey"] is True
    moved = await page.call("session.saveBackend", **{**given, "url": "http://127.0.0.1:8/other"})
    assert moved["backends"][0]["hasKey"] is False


@pytest.mark.parametrize("known", [False, True])
async def test_what_the_file_does_not_take_leaves_keys_and_mappings_as_they_were(
    app: App, page: Client, known: bool
) -> None:
    text = (EXAMPLES / "dreams.json").read_text()
    backend = {"backendId": "dreams", "kind": "mapped", "url": "http://127.0.0.1:9", "mappingText": text}
    endpoint = {"endpointId": "local", "dialect": "chat", "url": "http://127.0.0.1:9/v1"}
    if known:
        await page.call("session.saveBackend", **backend, key="the key of before")
        await page.call("session.saveEndpoint", **endpoint, key="the key of before")
    before = kept_of(app)
    in_the_way = app.settings.data_folder / f"{FILE}.fresh"
    in_the_way.mkdir()
    for method, given in (
        ("session.saveBackend", {**backend, "mappingText": f"{text} "}),
        ("session.saveEndpoint", endpoint),
    ):
        refusal = await page.refused(method, **{**given, "url": "http://127.0.0.1:8"}, key=SECRET)
        assert f"{FILE} cannot be written" in refusal.message
        assert kept_of(app) == before
    in_the_way.rmdir()
    await page.call("session.saveBackend", **backend, key=SECRET)
    await page.call("session.saveEndpoint", **endpoint, key=SECRET)


def kept_of(app: App) -> dict[str, bytes]:
    """The keys and mappings that are kept, by their files."""
    folder = app.settings.data_folder
    found = [path for name in ("backend-keys", "mappings") for path in (folder / name).glob("*")]
    return {path.name: path.read_bytes() for path in found}


async def test_a_mapping_that_is_handed_in_is_checked_whole_and_kept(app: App, page: Client) -> None:
    given = {"backendId": "dreams", "kind": "mapped", "url": "http://127.0.0.1:9"}
    refusal = await page.refused("session.saveBackend", **given, mappingText='{"mapping": 1}')
    assert refusal.code == ErrorCode.INVALID_PARAMS
    assert "mapping" in refusal.message
    refusal = await page.refused("session.saveBackend", **given)
    assert "mapping" in refusal.message
    text = (EXAMPLES / "dreams.json").read_text()
    saved = await page.call("session.saveBackend", **given, mappingText=text)
    assert state_of(saved, "dreams") == ("unasked", None)
    assert (app.settings.data_folder / saved["backends"][0]["mapping"]).read_text() == text
    kept = app.settings.data_folder / saved["backends"][0]["mapping"]
    refusal = await page.refused("session.saveBackend", **given, mappingText="{")
    assert "JSON" in refusal.message
    refusal = await page.refused("session.saveBackend", **{**given, "url": "http://"}, mappingText=f"{text} ")
    assert "url" in refusal.message
    refusal = await page.refused("session.saveBackend", **given, mappingText=f"{text} ", key="no\nkey")
    assert refusal.data == ["key"]
    assert kept.read_text() == text, "what is refused changes nothing"
    assert list(kept.parent.iterdir()) == [kept]
    again = await page.call("session.saveBackend", **{**given, "url": "http://127.0.0.1:8"})
    assert state_of(again, "dreams") == ("unasked", None), "the mapping stays with its backend"


async def test_what_the_page_does_not_know_stays_in_the_file(app: App, page: Client, tmp_path: Path) -> None:
    path = app.settings.data_folder / FILE
    entry = {"id": "agent", "kind": "acp", "command": ["x"], "folder": "/w", "environment": {"TOKEN": SECRET}}
    faulty = {"id": "fax", "kind": "fax"}
    path.write_text(json.dumps({"engine": {"skills": ["/s"]}, "backends": [entry, 7, faulty], "more": 1}))
    known = await page.call("session.setUp")
    assert SECRET not in json.dumps(known)
    assert [one["state"] for one in known["backends"]] == ["missing", "faulty"]
    given = {"backendId": "agent", "kind": "acp", "command": [sys.executable], "folder": str(tmp_path)}
    saved = await page.call("session.saveBackend", **given)
    assert SECRET not in json.dumps(saved)
    kept = document_of(app)
    assert kept["backends"][0]["environment"] == {"TOKEN": SECRET}
    assert kept["backends"][1:] == [7, faulty]
    assert (kept["engine"], kept["more"]) == ({"skills": ["/s"]}, 1)
    path.write_text("{ broken")
    for refused in (page.refused("session.saveBackend", **given), page.refused("session.setUp")):
        assert FILE in (await refused).message
    assert path.read_text() == "{ broken"


async def test_an_entry_of_any_kind_is_told_of_as_faulty(app: App, page: Client) -> None:
    entries: list[Any] = [
        {},
        {"id": 7, "kind": ["pi"]},
        {"id": "a", "kind": "pi", "folder": "~nobody-of-that-name"},
        {"id": "b", "kind": "pi", "folder": "/", "environment": ["PATH"], "command": [1]},
        {"id": "c", "kind": "pi", "folder": "/", "sessions": "~nobody-of-that-name"},
        {"id": "d", "kind": "http", "url": "http://["},
    ]
    (app.settings.data_folder / FILE).write_text(json.dumps({"backends": entries}))
    told = (await page.call("session.setUp"))["backends"]
    assert [one["state"] for one in told] == ["faulty"] * len(entries)
    assert all(one["why"] for one in told)
    environment = {"id": "e", "kind": "pi", "folder": "/", "environment": ["PATH"]}
    (app.settings.data_folder / FILE).write_text(json.dumps({"backends": [environment]}))
    assert (await page.call("session.setUp"))["backends"][0]["state"] in ("missing", "unused")
    title = {"backendId": "far", "kind": "http", "url": "http://127.0.0.1:9", "title": "half \ud800"}
    await page.call("session.saveBackend", **title)
    assert document_of(app)["backends"][1]["title"] == "half \ud800"


async def test_an_entry_that_was_written_by_hand_is_taken_up_when_it_is_checked(
    app: App, page: Client, agent: dict[str, Any]
) -> None:
    entry = {"id": "agent", **{name: agent[name] for name in ("kind", "command", "folder")}}
    (app.settings.data_folder / FILE).write_text(json.dumps({"backends": [entry]}))
    assert state_of(await page.call("session.setUp"), "agent")[0] == "unused"
    assert state_of(await page.call("session.checkBackend", backendId="agent"), "agent") == ("answers", None)
    assert (await page.call("session.create", backend="agent"))["ok"]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"backendId": "engine", "kind": "pi", "folder": "/"}, "taken"),
        ({"backendId": "canvas", "kind": "pi", "folder": "/"}, "taken"),
        ({"backendId": "a", "kind": "pi", "folder": "relative"}, "folder"),
        ({"backendId": "a", "kind": "pi"}, "folder"),
        ({"backendId": "a", "kind": "acp", "folder": "/"}, "command"),
        ({"backendId": "a", "kind": "pi", "folder": "~nobody-of-that-name/x"}, "folder"),
        ({"backendId": "a", "kind": "pi", "folder": "/a\0b"}, "folder"),
        ({"backendId": "a", "kind": "pi", "folder": "/a\ud800"}, "folder"),
        ({"backendId": "a", "kind": "acp", "folder": "/", "command": ["a", "\0"]}, "command"),
        ({"backendId": "a", "kind": "acp", "folder": "/", "command": "ls"}, "command"),
        ({"backendId": "a", "kind": "http", "url": "http://["}, "url"),
        ({"backendId": "a", "kind": "http", "url": "http://"}, "url"),
        ({"backendId": "a", "kind": "http"}, "url"),
        ({"backendId": "a", "kind": "http", "url": "ftp://x"}, "url"),
        ({"backendId": "a", "kind": "http", "url": "http://me:word@x/"}, "url"),
        ({"backendId": "a", "kind": "mapped", "url": "http://x", "mapping": "/no/file"}, "/no/file"),
        ({"backendId": "A b", "kind": "pi", "folder": "/"}, "backendId"),
        ({"backendId": "a", "kind": "fax"}, "kind"),
    ],
)
async def test_a_refusal_says_what_is_wrong_and_changes_nothing(
    app: App, page: Client, given: dict[str, Any], place: str
) -> None:
    refusal = await page.refused("session.saveBackend", **given)
    assert refusal.code == ErrorCode.INVALID_PARAMS
    assert place in f"{refusal.message} {refusal.data}"
    assert not (app.settings.data_folder / FILE).exists()
    for method in ("session.checkBackend", "session.removeBackend"):
        assert (await page.refused(method, backendId="nobody")).code == ErrorCode.NOT_FOUND
