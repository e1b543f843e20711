"""The session protocol over the server's HTTP: its own key, its place, its backends."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from cardloom.app import App
from cardloom_protocol.session import parse_sse_stream
from cardloom_sdk.testing.memory_backend import MemoryBackend

CAP_S = 60.0


@pytest.fixture
async def web(app: App, listening: Any, page: Any) -> httpx.AsyncClient:
    """A client that knows the address and the key which the owner was given."""
    app.sessions.add("memory", "Memory", "test", MemoryBackend())
    access = await page.call("session.access")
    assert access["url"] == f"{listening.url}/protocol/v1"
    headers = {"authorization": f"Bearer {access['key']}"}
    return httpx.AsyncClient(base_url=access["url"], headers=headers, timeout=CAP_S)


async def test_the_first_backend_lies_at_the_root_and_the_others_below_their_names(web: httpx.AsyncClient) -> None:
    async with web:
        listed = (await web.get("/backends")).json()["data"]
        assert [backend["id"] for backend in listed] == ["engine", "canvas", "memory"]
        assert (await web.get("/capabilities")).json()["data"]["protocol"] == "1.7"
        made = await web.post("/backends/memory/sessions", json={"title": "T"})
        assert made.status_code == 201
        found = (await web.get("/backends/memory/sessions")).json()["data"]["sessions"]
        assert [session["title"] for session in found] == ["T"]
        assert (await web.get("/sessions")).json()["data"]["sessions"] == []
        assert (await web.get("/backends/ghost/sessions")).status_code == 404
        assert (await web.get("/nowhere")).json()["error"]["code"] == "not_found"


async def test_pages_hear_of_what_others_change_over_http(web: httpx.AsyncClient, page: Any) -> None:
    async with web:
        made = (await web.post("/backends/memory/sessions", json={})).json()["data"]["id"]
        assert (await page.event("session.changed"))["sessionId"] == made
        await web.patch(f"/backends/memory/sessions/{made}", json={"title": 5})  # refused: nothing to tell
        await web.patch(f"/backends/memory/sessions/{made}", json={"title": "T"})
        assert await page.event("session.changed") == {"backend": "memory", "sessionId": made}
        fork_of = f"/backends/memory/sessions/{made}"
        await web.post(f"{fork_of}/messages", json={"text": "x"})
        await page.event("session.changed")
        fork = (await web.post(f"{fork_of}/fork", json={})).json()["data"]["id"]
        assert (await page.event("session.changed"))["sessionId"] == fork


async def test_a_run_streams_over_a_real_socket(web: httpx.AsyncClient) -> None:
    async with web:
        session = (await web.post("/backends/memory/sessions", json={})).json()["data"]["id"]
        path = f"/backends/memory/sessions/{session}/runs"
        reply = await web.post(path, json={"text": "hello"}, headers={"accept": "text/event-stream"})
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert [event["type"] for event in parse_sse_stream(reply.text)][-1] == "run_end"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
async def test_others_are_sent_away(web: httpx.AsyncClient, headers: dict[str, str], status: int) -> None:
    async with web:
        assert (await web.get("/sessions", headers=headers)).status_code == status


async def test_the_keys_of_owner_and_sessions_do_not_stand_for_each_other(
    app: App, web: httpx.AsyncClient, listening: Any
) -> None:
    async with web:
        assert (await web.get("/sessions", headers={"authorization": f"Bearer {app.owner_key}"})).status_code == 401
        call = {"v": 1, "ns": "cardloom", "type": "request", "id": 1, "method": "workspace.list"}
        refused = await web.post(f"{listening.url}/call", json=call)
        assert refused.status_code == 403
