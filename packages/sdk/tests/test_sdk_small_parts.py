"""Back-off, addresses, discovery, manifests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import cardloom_sdk
from cardloom_sdk import CallError, Card, ErrorCode, ManifestError, data_folder, find_server
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.channel import socket_url
from cardloom_sdk.manifest_file import read_manifest

from .test_card_messages import MANIFEST


def test_session_stores_are_loaded_without_the_web_socket_library() -> None:
    probe = "import sys, cardloom_sdk.stores; print('websockets' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_every_public_name_can_be_had_and_no_other() -> None:
    for name in cardloom_sdk.__all__:
        assert getattr(cardloom_sdk, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        cardloom_sdk.Nonsense  # noqa: B018


def test_waits_double_up_to_the_longest_and_begin_anew() -> None:
    waits = BackOff(first_ms=100, last_ms=1000, chance=lambda: 0.5)
    assert [waits.next_ms() for _ in range(6)] == [100, 200, 400, 800, 1000, 1000]
    waits.reset()
    assert waits.next_ms() == 100


def test_chance_spreads_a_wait_by_a_quarter_either_way() -> None:
    assert BackOff(first_ms=100, chance=lambda: 0.0).next_ms() == 75
    assert BackOff(first_ms=100, chance=lambda: 1.0).next_ms() == 125


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("http://127.0.0.1:7420", "ws://127.0.0.1:7420/ws"),
        ("http://127.0.0.1:7420/", "ws://127.0.0.1:7420/ws"),
        ("https://host", "wss://host/ws"),
    ],
)
def test_a_socket_is_found_at_the_address_of_its_server(base: str, expected: str) -> None:
    assert socket_url(base, "/ws") == expected


@pytest.mark.parametrize("base", ["", "127.0.0.1:7420", "ftp://x", "http://"])
def test_what_is_no_address_is_refused_by_name(base: str) -> None:
    with pytest.raises(CallError) as caught:
        socket_url(base, "/ws")
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert repr(base) in caught.value.message


def test_the_data_folder_is_the_named_one(tmp_path: Path) -> None:
    assert data_folder({"CARDLOOM_HOME": str(tmp_path)}) == tmp_path


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the XDG folders are Linux's")
def test_else_it_is_the_systems_folder_for_a_users_data(tmp_path: Path) -> None:
    assert data_folder({"XDG_DATA_HOME": str(tmp_path)}) == tmp_path / "cardloom"
    assert data_folder({}) == Path.home() / ".local" / "share" / "cardloom"


def test_a_running_server_is_found_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"pid": 12, "port": 7421}')
    (tmp_path / "owner.key").write_text("secret\n")
    server = find_server(tmp_path)
    assert (server.url, server.pid, server.key()) == ("http://127.0.0.1:7421", 12, "secret")
    assert "secret" not in repr(server)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"pid": "x", "port": 1}'])
def test_where_no_server_runs_the_refusal_says_how_to_start_one(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "server.json").write_text(content)
    with pytest.raises(CallError, match="cardloom up") as caught:
        find_server(tmp_path)
    assert caught.value.code is ErrorCode.UNAVAILABLE


def test_a_server_that_does_not_listen_yet_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"pid": 12, "port": null}')
    with pytest.raises(CallError, match="still starting"):
        find_server(tmp_path)


def test_a_key_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"pid": 12, "port": 7421}')
    with pytest.raises(CallError, match=r"owner\.key"):
        find_server(tmp_path).key()


def test_a_manifest_is_read_from_a_file_or_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "cardloom-card.json"
    path.write_text(json.dumps({**MANIFEST, "python": "card.py"}))
    assert read_manifest(path) == read_manifest(tmp_path) == read_manifest(str(tmp_path))
    assert Card(path).manifest == read_manifest(path)


def test_every_fault_of_a_manifest_is_listed_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "cardloom-card.json"
    path.write_text(json.dumps({**MANIFEST, "python": "card.txt", "name": "terminal"}))
    with pytest.raises(ManifestError) as caught:
        read_manifest(path)
    for part in (str(path), "/name", "/python"):
        assert part in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b" " * (256 * 1024 + 1)])
def test_a_file_that_is_no_manifest_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cardloom-card.json"
    path.write_bytes(content)
    with pytest.raises(ManifestError, match=r"cardloom-card\.json"):
        read_manifest(path)


def test_a_folder_without_a_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"cardloom-card\.json: No such file"):
        read_manifest(tmp_path)
