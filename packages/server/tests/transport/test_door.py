"""Nobody comes in who should not: one test an attack, against a real socket."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from cardloom.core.clock import VirtualClock
from cardloom.transport.auth import AccessCodes, read_or_make_key

CAP_S = 60.0


async def ask(
    port: int, path: str, headers: Mapping[str, str], method: str = "GET", body: bytes = b""
) -> tuple[int, bytes]:
    """Status and body of a request whose headers are exactly these: browsers' rules do not apply to attackers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "Connection: close"]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    async with asyncio.timeout(CAP_S):
        answer = await reader.read()
    writer.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


async def upgrade(port: int, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Status and body of a WebSocket handshake that must fail."""
    key = base64.b64encode(os.urandom(16)).decode()
    socket_headers = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"GET {path} HTTP/1.1", "Connection: Upgrade"]
    lines += [f"{name}: {value}" for name, value in {**socket_headers, **headers}.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(CAP_S):
        status = int((await reader.readline()).split()[1])
        rest = b"" if status == 101 else await reader.read()
    writer.close()
    return status, rest.partition(b"\r\n\r\n")[2]


def request(request_id: int, method: str, ns: str = "cardloom", **params: Any) -> str:
    return json.dumps({"ns": ns, "v": 1, "kind": "req", "id": request_id, "method": method, "params": params})


async def closed_with(socket: ClientConnection) -> int | None:
    """The code with which the server ended a socket."""
    async with asyncio.timeout(CAP_S):
        await socket.wait_closed()
    return socket.close_code


PLACES = [("GET", "/"), ("GET", "/health"), ("GET", "/assets/x.js"), ("POST", "/access"), ("POST", "/call")]
SOCKETS = ["/ws", "/ws/card"]


@pytest.mark.parametrize(
    "host", ["evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
async def test_a_name_that_was_pointed_at_loopback_is_refused_everywhere(listening: Any, host: str) -> None:
    headers = {"Host": host.format(port=listening.port), **listening.key_header}
    for method, path in PLACES:
        assert await ask(listening.port, path, headers, method) == (403, b""), path
    for path in SOCKETS:
        assert await upgrade(listening.port, path, headers) == (403, b""), path


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_each_of_our_own_names_is_good(listening: Any, name: str) -> None:
    status, _ = await ask(listening.port, "/health", {"Host": f"{name}:{listening.port}"})
    assert status == 200


async def test_two_host_headers_are_refused(listening: Any) -> None:
    own = f"127.0.0.1:{listening.port}"
    status, body = await ask(listening.port, "/health", {"Host": own, "host": "evil.example"})
    assert status in (400, 403)
    assert b"cardloom" not in body


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://127.0.0.1:1",
        "http://localhost:{port}",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:{port}.evil.example",
        "null",
        "",
    ],
)
async def test_a_foreign_pages_origin_is_refused_everywhere_even_with_the_key(listening: Any, origin: str) -> None:
    headers = {"Host": f"127.0.0.1:{listening.port}", "Origin": origin.format(port=listening.port)}
    for method, path in PLACES:
        assert await ask(listening.port, path, {**headers, **listening.key_header}, method) == (403, b""), path
    for path in SOCKETS:
        assert await upgrade(listening.port, path, {**headers, **listening.key_header}) == (403, b""), path


async def test_a_missing_or_wrong_key_is_refused_without_a_hint(listening: Any) -> None:
    host = {"Host": f"127.0.0.1:{listening.port}"}
    token = listening.app.tokens.issue("c_any")
    for authorization in (
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {listening.app.owner_key}",
        f"Bearer {token}",
    ):
        headers = host if authorization is None else {**host, "Authorization": authorization}
        body = request(1, "workspace.list").encode()
        assert await ask(listening.port, "/call", headers, "POST", body) == (403, b""), authorization
        assert await upgrade(listening.port, "/ws", headers) == (403, b""), authorization
    for authorization in (None, f"Bearer {listening.app.owner_key}", f"Bearer {token}"):
        headers = host if authorization is None else {**host, "Authorization": authorization}
        assert await upgrade(listening.port, "/ws/card", headers) == (403, b""), authorization


async def test_a_key_in_the_address_opens_nothing(listening: Any) -> None:
    host = {"Host": f"127.0.0.1:{listening.port}"}
    key = listening.app.owner_key
    assert (await upgrade(listening.port, f"/ws?key={key}", host))[0] == 403
    assert (await ask(listening.port, f"/call?key={key}", host, "POST", b"{}"))[0] == 403


async def test_a_one_time_code_opens_one_page_and_no_other(listening: Any) -> None:
    code = listening.app.doorkeeper.codes.issue()
    own = {"Origin": listening.url}
    async with httpx.AsyncClient(base_url=listening.url, timeout=CAP_S) as http:
        assert (await http.post("/access", json={"code": code})).status_code == 403, "no page asked"
        assert (await http.post("/access", json={"code": code + "x"}, headers=own)).content == b""
        good = await http.post("/access", json={"code": code}, headers=own)
        assert good.json() == {"key": listening.app.owner_key}
        assert good.headers["cache-control"] == "no-store"
        replayed = await http.post("/access", json={"code": code}, headers=own)
        assert (replayed.status_code, replayed.content) == (403, b"")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"code":5}', b"\xff", b"[" * 900, b"x" * 5000])
async def test_a_strange_access_request_is_refused_without_a_hint(listening: Any, body: bytes) -> None:
    headers = {"Host": f"127.0.0.1:{listening.port}", "Origin": listening.url}
    assert await ask(listening.port, "/access", headers, "POST", body) == (403, b"")


def test_a_code_is_too_old_after_its_time_and_the_oldest_gives_way() -> None:
    clock = VirtualClock()
    codes = AccessCodes(clock, lifetime_ms=1000, most=2)
    first, second, third = codes.issue(), codes.issue(), codes.issue()
    assert not codes.redeem(first)
    clock.advance(1000)
    assert codes.redeem(second)
    clock.advance(1)
    assert not codes.redeem(third)


def test_the_owners_key_is_for_its_owner_alone_and_stays_the_same(tmp_path: Any) -> None:
    path = tmp_path / "owner.key"
    key = read_or_make_key(path)
    assert len(key) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    assert read_or_make_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("short")
    fresh = read_or_make_key(path)
    assert fresh not in (key, "short")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_page_proves_the_key_with_its_first_message(listening: Any) -> None:
    async with connect(f"{listening.ws_url}/ws", origin=listening.url) as socket:
        await socket.send(request(1, "client.hello", client="page", protocol=1, key=listening.app.owner_key))
        answer = json.loads(await socket.recv())
    assert answer["ok"] is True
    assert answer["result"]["pageId"]


@pytest.mark.parametrize(
    "first",
    [
        request(1, "client.hello", client="page", protocol=1),
        request(1, "client.hello", client="page", protocol=1, key="wrong"),
        request(1, "client.hello", client="page", protocol=1, key=5),
        request(1, "workspace.list"),
        request(1, "no.such"),
        request(1, "client.hello", client="page", protocol=1, key="x" * 5000),
        "[" * 5000,
    ],
)
async def test_a_first_message_without_the_key_ends_the_socket_without_a_hint(listening: Any, first: str) -> None:
    async with connect(f"{listening.ws_url}/ws", origin=listening.url) as socket:
        await socket.send(first)
        assert await closed_with(socket) == 4403
        assert socket.close_reason == ""


async def test_a_client_of_a_newer_protocol_is_told_what_this_server_speaks(listening: Any) -> None:
    async with connect(f"{listening.ws_url}/ws", additional_headers=listening.key_header) as socket:
        await socket.send(request(1, "client.hello", client="sdk", protocol=2))
        error = json.loads(await socket.recv())["error"]
        await socket.send(request(2, "client.hello", client="sdk", protocol=1))
        again = json.loads(await socket.recv())
    assert error["code"] == "PROTOCOL_MISMATCH"
    assert "protocol 1" in error["message"]
    assert again["ok"] is True


async def test_an_unknown_method_is_named_in_its_refusal(listening: Any) -> None:
    async with connect(f"{listening.ws_url}/ws", additional_headers=listening.key_header) as socket:
        await socket.send(request(1, "client.hello", client="sdk", protocol=1))
        await socket.recv()
        await socket.send(request(2, "canvas.vanish"))
        error = json.loads(await socket.recv())["error"]
    assert error["code"] == "METHOD_NOT_FOUND"
    assert "canvas.vanish" in error["message"]


async def test_with_the_key_in_the_header_a_greeting_still_comes_first(listening: Any) -> None:
    async with connect(f"{listening.ws_url}/ws", additional_headers=listening.key_header) as socket:
        await socket.send(request(1, "workspace.list"))
        error = json.loads(await socket.recv())["error"]
        assert (error["code"], "client.hello" in error["message"]) == ("NOT_READY", True)
        await socket.send(request(2, "client.hello", client="sdk", protocol=1))
        assert json.loads(await socket.recv())["ok"] is True
        await socket.send(request(3, "workspace.list"))
        assert json.loads(await socket.recv())["result"] == {"workspaces": []}


async def test_an_owner_gets_no_card_method_and_none_that_is_unknown(listening: Any) -> None:
    async with httpx.AsyncClient(base_url=listening.url, headers=listening.key_header, timeout=CAP_S) as http:
        for method in ("ports.emit", "card.setTitle", "no.such"):
            answer = await http.post("/call", content=request(1, method))
            assert answer.status_code == 404, method
            assert answer.json()["error"]["code"] == "METHOD_NOT_FOUND"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (request(1, "workspace.list").encode(), 200),
        (request(1, "workspace.open", workspaceId="w_no").encode(), 404),
        (request(1, "workspace.open").encode(), 422),
        (request(1, "workspace.list", "nscard").encode(), 400),
        (b"{}", 400),
        (b"\xff\xfe", 400),
        (b"", 400),
        (b"[" * 100_000, 400),
    ],
)
async def test_a_call_over_http_says_by_its_status_how_it_went(listening: Any, body: bytes, status: int) -> None:
    async with httpx.AsyncClient(base_url=listening.url, headers=listening.key_header, timeout=CAP_S) as http:
        answer = await http.post("/call", content=body)
    assert answer.status_code == status
    assert answer.json()["ok"] is (status == 200)


async def test_the_page_comes_with_a_strict_policy(listening: Any) -> None:
    async with httpx.AsyncClient(base_url=listening.url, timeout=CAP_S) as http:
        page = await http.get("/")
    policy = page.headers["content-security-policy"]
    assert page.status_code == 200
    assert "default-src 'none'" in policy
    assert f"frame-src http://127.0.0.1:{listening.port}/frames/" in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    ["/../owner.key", "/assets/../../owner.key", "/%2e%2e/owner.key", "/assets/%2e%2e%2f", "/a%00", "/" + "a" * 300],
)
async def test_no_path_leads_out_of_the_pages_folder(listening: Any, path: str) -> None:
    status, body = await ask(listening.port, path, {"Host": f"127.0.0.1:{listening.port}"})
    assert status in (400, 404)
    assert listening.app.owner_key.encode() not in body
