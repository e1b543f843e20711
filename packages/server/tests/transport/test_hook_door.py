"""What agents' hooks get back, whoever else listens to them."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.requests import Request

from cardloom.core.clock import SystemClock
from cardloom.transport.hooks import HookDoor
from cardloom_protocol.ids import CardId

AGENT = CardId("a")


class _Allowing:
    life = 1

    def hook(self, event: str, payload: dict[str, Any], life: int, arrived_at_ms: int, /) -> str:
        return '{"decision":"allow"}'


async def _post(door: HookDoor, body: bytes) -> bytes:
    _, token, _ = door.address("", AGENT).removeprefix("/").split("/")
    params = {"token": token, "agent": AGENT, "event": "PermissionRequest"}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "path_params": params}
    return bytes((await door.post(Request(scope, receive))).body)


async def test_a_listener_that_fails_takes_no_decision_away(caplog: pytest.LogCaptureFixture) -> None:
    door, heard = HookDoor(SystemClock()), []
    door.agent_of = lambda _: _Allowing()

    def fail(_agent: CardId, payload: dict[str, Any]) -> None:
        heard.append(payload)
        raise ValueError("no ledger")

    door.heard.append(fail)
    assert await _post(door, b'{"tool":"Bash"}') == b'{"decision":"allow"}'
    assert heard == [{"tool": "Bash"}]
    assert "no ledger" in caplog.text
