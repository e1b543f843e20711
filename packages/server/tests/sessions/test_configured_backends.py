"""The file in which a person sets up backends, and the keys that it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from cardloom.app import running
from cardloom.features.sessions.backends.configured import (
    FILE,
    Configuration,
    Surroundings,
    pi_sessions,
    read_configuration,
)
from cardloom.features.sessions.backends.engine.endpoint import Endpoint
from cardloom.features.sessions.backends.keys import SealedKeys, key_in_environment
from cardloom.host.vault import Vault
from cardloom.settings import Settings
from cardloom_protocol.session import BadRequest, InvalidId, NotFound, SessionError
from cardloom_sdk.stores import MemoryStore

EXAMPLES = Path(__file__).parents[4] / "examples" / "backends"
KEY = "sk-typed-in"


def keys_in(folder: Path) -> SealedKeys:
    return SealedKeys(folder, Vault(folder, None))


def configured(folder: Path, document: Any, **environment: str) -> Configuration:
    (folder / FILE).write_text(document if isinstance(document, str) else json.dumps(document))
    return read_configuration(Surroundings(folder, environment, keys_in(folder), lambda _: MemoryStore()))


def test_no_file_is_no_fault(tmp_path: Path) -> None:
    found = read_configuration(Surroundings(tmp_path, {}, keys_in(tmp_path), lambda _: MemoryStore()))
    assert found == Configuration()


def test_every_kind_of_backend_can_be_set_up(tmp_path: Path) -> None:
    (tmp_path / "dreams.json").write_text((EXAMPLES / "dreams.json").read_text())
    found = configured(
        tmp_path,
        {
            "engine": {
                "endpoints": [
                    {"id": "here", "url": "http://127.0.0.1:1/v1", "models": ["a"], "thinking": []},
                    {"id": "there", "dialect": "messages", "url": "https://models.test", "keyVariable": "K"},
                ],
                "defaultModel": "here/a",
                "mcp": [{"id": "one", "command": ["x"]}, {"id": "two", "url": "http://127.0.0.1:2", "asks": False}],
                "skills": ["/skills"],
            },
            "backends": [
                {"id": "pi", "kind": "pi", "folder": "/w"},
                {"id": "oc", "kind": "opencode", "title": "OpenCode", "folder": "/w"},
                {"id": "agent", "kind": "acp", "command": ["agent", "acp"], "folder": "/w", "environment": {"A": "b"}},
                {"id": "far", "kind": "http", "url": "https://far.test/protocol/v1", "key": "far"},
                {"id": "dreams", "kind": "mapped", "url": "http://127.0.0.1:3", "mapping": "dreams.json"},
            ],
        },
    )
    assert found.faults == []
    assert [one.settings.dialect for one in found.endpoints] == ["chat", "messages"]
    assert (found.default_model, found.skills) == ("here/a", [Path("/skills")])
    assert [(one.id, one.asks) for one in found.mcp] == [("one", True), ("two", False)]
    assert [(one.id, one.title, one.kind) for one in found.backends] == [
        ("pi", "pi", "pi"),
        ("oc", "OpenCode", "opencode"),
        ("agent", "agent", "acp"),
        ("far", "far", "http"),
        ("dreams", "dreams", "mapped"),
    ]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"id": "engine", "kind": "http", "url": "http://x"}, "backends.0.id: 'engine' is taken"),
        ({"id": "canvas", "kind": "http", "url": "http://x"}, "backends.0.id: 'canvas' is taken"),
        ({"id": "A", "kind": "http"}, "backends.0.id: an id of"),
        ({"id": "a", "kind": "fax"}, "backends.0.kind: one of pi"),
        ({"id": "a", "kind": "http", "url": "ftp://x"}, "backends.0.url: an address"),
        ({"id": "a", "kind": "pi", "folder": "w"}, "backends.0.folder: an absolute path"),
        ({"id": "a", "kind": "acp", "folder": "/w"}, "backends.0.command: the program"),
        ({"id": "a", "kind": "mapped", "url": "http://x", "mapping": "gone.json"}, "gone.json"),
        ({"id": "a", "kind": "pi", "folder": "/w", "environment": {"A": 1}}, "backends.0.environment"),
        (7, "backends.0: an object"),
    ],
)
def test_a_fault_is_told_with_its_place_and_leaves_the_others_alone(tmp_path: Path, entry: Any, fault: str) -> None:
    good = {"id": "good", "kind": "http", "url": "http://127.0.0.1:1"}
    found = configured(tmp_path, {"backends": [entry, good]})
    assert [one.id for one in found.backends] == ["good"]
    assert len(found.faults) == 1
    assert fault in found.faults[0]


def test_a_file_that_is_no_json_is_one_fault(tmp_path: Path) -> None:
    assert len(configured(tmp_path, "{").faults) == 1
    assert len(configured(tmp_path, []).faults) == 1


async def test_a_key_from_the_environment_reaches_the_endpoint(tmp_path: Path) -> None:
    endpoint = {"id": "e", "url": "http://models.test", "keyVariable": "MODEL_KEY"}
    found = configured(tmp_path, {"engine": {"endpoints": [endpoint]}}, MODEL_KEY=KEY)
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        return httpx.Response(200, json={"data": [{"id": "m"}]})

    asked = Endpoint(found.endpoints[0].settings, transport=httpx.MockTransport(answer))
    assert [model["id"] for model in await asked.models()] == ["m"]
    assert seen == [f"Bearer {KEY}"]
    missing = configured(tmp_path, {"engine": {"endpoints": [endpoint]}})
    with pytest.raises(SessionError, match="MODEL_KEY"):
        await missing.endpoints[0].settings.key()


async def test_a_typed_key_is_sealed_and_read_back(tmp_path: Path) -> None:
    keys = keys_in(tmp_path)
    with pytest.raises(SessionError) as missing:
        await keys.get("far")
    assert missing.value.code == "key_missing"
    await keys.put("far", KEY)
    assert await keys_in(tmp_path).key("far")() == KEY
    (file,) = (tmp_path / "backend-keys").iterdir()
    assert KEY.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    file.rename(file.with_name("other"))
    with pytest.raises(SessionError):  # a sealed key opens under its own name alone
        await keys.get("other")
    await keys.put("far", "second")
    await keys.drop("far")
    with pytest.raises(NotFound):
        await keys.drop("far")


@pytest.mark.parametrize("key", ["", "two\nlines", "schlüssel"])
async def test_what_no_header_can_carry_is_no_key(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadRequest):
        await keys_in(tmp_path).put("far", key)
    with pytest.raises(InvalidId):
        await keys_in(tmp_path).get("../owner")
    with pytest.raises(SessionError) as refused:
        await key_in_environment("K", {"K": key})()
    assert refused.value.code == "key_missing"


async def test_a_key_in_the_environment_may_end_with_its_line() -> None:
    assert await key_in_environment("K", {"K": f"{KEY}\n"})() == KEY


def test_sessions_of_pi_are_where_pi_keeps_them() -> None:
    assert pi_sessions(Path("/home/me/project"), {"HOME": "/home/me"}) == Path(
        "/home/me/.pi/agent/sessions/--home-me-project--"
    )


async def test_a_server_offers_what_was_set_up_and_tells_what_is_wrong(tmp_path: Path) -> None:
    endpoint = {"id": "here", "url": "http://127.0.0.1:1/v1", "models": ["a"]}
    entries = [{"id": "far", "kind": "http", "url": "http://127.0.0.1:1"}, {"id": "bad", "kind": "fax"}]
    document = {"engine": {"endpoints": [endpoint]}, "backends": entries}
    (tmp_path / FILE).write_text(json.dumps(document))
    async with running(Settings(tmp_path)) as app:
        assert [entry.id for entry in app.sessions.entries.values()] == ["engine", "far", "canvas"]
        models = app.sessions.find("engine").host.backend.models
        assert models is not None
        assert [model["id"] for model in await models.list()] == ["here/a"]
        assert any("backends.1.kind" in notice for notice in app.notices)
