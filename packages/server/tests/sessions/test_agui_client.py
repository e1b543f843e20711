"""The official AG-UI client talks to the server: its own verification of events finds nothing to object to."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx

from cardloom.app import App
from cardloom_sdk.testing.memory_backend import MemoryBackend

SCRIPT = Path(__file__).with_name("agui_client.mjs")
MODULES = Path(__file__).resolve().parents[4] / "web" / "package.json"
CAP_S = 60.0


async def conversation(url: str, key: str) -> list[Any]:
    """What the client has after each of its runs."""
    node = await asyncio.create_subprocess_exec(
        "node", str(SCRIPT), url, key, str(MODULES), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(CAP_S):
        out, err = await node.communicate()
    assert node.returncode == 0, err.decode()
    return list(json.loads(out))


async def test_the_official_client_verifies_every_run(app: App, listening: Any, page: Any) -> None:
    backend = MemoryBackend()
    app.sessions.add("memory", "Memory", "test", backend)
    key = (await page.call("session.access"))["key"]
    text, tool, asked, answered, failed = await conversation(f"{listening.url}/ag-ui/memory", key)
    assert [run["failure"] for run in (text, tool, asked, answered)] == [None] * 4
    assert text["types"][-1] == tool["types"][-1] == asked["types"][-1] == answered["types"][-1] == "RUN_FINISHED"
    assert "TOOL_CALL_RESULT" in tool["types"]
    assert failed["types"][-1] == "RUN_ERROR"
    said = [message.get("content") for message in answered["messages"] if message["role"] == "assistant"]
    assert "You said: hello" in said
    assert said[-1] == "You said: allowed"
    (session,) = (await backend.sessions.list()).sessions
    texts = [message for message in await backend.sessions.history(session["id"]) if message["role"] == "user"]
    assert len(texts) == 4


async def test_the_door_of_agui_wants_the_key(listening: Any) -> None:
    async with httpx.AsyncClient(timeout=CAP_S) as web:
        for path in ("/ag-ui", "/ag-ui/engine"):
            assert (await web.post(listening.url + path, json={})).status_code == 401
