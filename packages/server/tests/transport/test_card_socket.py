"""A card's own connection: one a card, opened by its token, ended with its card."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from cardloom.app import App
from cardloom.core.bus import card_topic
from cardloom.core.call import Call
from cardloom.core.recipes import Recipe
from cardloom.settings import Settings
from cardloom_protocol.ids import CardId

CAP_S = 60.0


IMPATIENT = {"ready_timeout_ms": 300}


@pytest.fixture
def settings(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """A server that lets little wait, and loses patience quickly where a test says so."""
    return replace(Settings(tmp_path / "data"), outbox_events=20, **getattr(request, "param", {}))


class Hooks:
    """Notes what the server tells of cards' connections."""

    def __init__(self, app: App) -> None:
        self.told: list[tuple[str, str, str]] = []
        self._news = asyncio.Condition()
        hooks = app.sockets.hooks
        hooks.connected.append(lambda card_id, connection_id: self._note("connected", card_id, connection_id))
        hooks.disconnected.append(lambda card_id, _, reason: self._note("disconnected", card_id, reason))
        self._tasks: set[asyncio.Task[None]] = set()

    def _note(self, what: str, card_id: str, detail: str) -> None:
        self.told.append((what, card_id, detail))
        task = asyncio.ensure_future(self._wake())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def until(self, count: int) -> list[tuple[str, str, str]]:
        async with asyncio.timeout(CAP_S), self._news:
            await self._news.wait_for(lambda: len(self.told) >= count)
        return self.told


@pytest.fixture
async def card_id(listening: Any, tmp_path: Path) -> str:
    """A custom card whose handshake succeeds."""
    app = listening.app

    async def ready(_: Call) -> dict[str, Any]:
        return {"protocol": 1}

    app.handlers.by_name["host.ready"] = ready
    app.canvas.listeners.card_added.clear()
    workspace = await app.canvas.workspaces.create("W", str(tmp_path), create_folder=False)
    card = await app.canvas.add_made(workspace.id, Recipe("custom"), {"x": 0, "y": 0})
    return str(card.id)


def dial(listening: Any, token: str) -> Any:
    return connect(
        f"{listening.ws_url}/ws/card", additional_headers={"Authorization": f"Bearer {token}"}, compression=None
    )


async def ask(socket: ClientConnection, request_id: int, method: str, ns: str = "nscard", **params: Any) -> Any:
    envelope = {"ns": ns, "v": 1, "kind": "req", "id": request_id, "method": method, "params": params}
    await socket.send(json.dumps(envelope))
    async with asyncio.timeout(CAP_S):
        while (message := json.loads(await socket.recv()))["kind"] != "res":
            pass
    return message


async def greet(socket: ClientConnection) -> None:
    assert (await ask(socket, 1, "host.ready", sdkVersion="1", protocol=1))["ok"] is True


async def closed_with(socket: ClientConnection) -> int | None:
    async with asyncio.timeout(CAP_S):
        await socket.wait_closed()
    return socket.close_code


async def test_a_card_is_told_of_once_its_handshake_is_done_and_gets_its_own_events(
    listening: Any, card_id: str
) -> None:
    app = listening.app
    hooks = Hooks(app)
    async with dial(listening, app.tokens.issue(card_id)) as socket:
        assert (await ask(socket, 5, "card.getInfo"))["error"]["code"] == "NOT_READY"
        app.bus.publish("theme.changed", {"early": True}, card_topic(CardId(card_id)))
        assert hooks.told == []
        await greet(socket)
        assert (await hooks.until(1))[0][:2] == ("connected", card_id)
        app.bus.publish("theme.changed", {"early": False}, card_topic(CardId(card_id)))
        async with asyncio.timeout(CAP_S):
            event = json.loads(await socket.recv())
    assert event == {"ns": "nscard", "v": 1, "kind": "evt", "event": "theme.changed", "data": {"early": False}}
    assert (await hooks.until(2))[1] == ("disconnected", card_id, "closed")


async def test_a_second_connection_of_a_card_replaces_the_first_with_notice(listening: Any, card_id: str) -> None:
    hooks = Hooks(listening.app)
    token = listening.app.tokens.issue(card_id)
    async with dial(listening, token) as first:
        await greet(first)
        async with dial(listening, token) as second:
            await greet(second)
            assert await closed_with(first) == 4409
            assert "took over" in (first.close_reason or "")
            told = [(what, detail) for what, _, detail in await hooks.until(3)]
            assert [what for what, _ in told] == ["connected", "disconnected", "connected"]
            assert told[1] == ("disconnected", "replaced")
            assert len(listening.app.bus.followers(card_topic(CardId(card_id)))) == 1
            assert (await ask(second, 2, "no.such"))["error"]["code"] == "METHOD_NOT_FOUND"


async def test_a_card_speaks_only_its_own_namespace(listening: Any, card_id: str) -> None:
    async with dial(listening, listening.app.tokens.issue(card_id)) as socket:
        await greet(socket)
        assert (await ask(socket, 2, "workspace.list", "cardloom"))["error"]["code"] == "BAD_REQUEST"
        for request_id, method in enumerate(("workspace.list", "grant.set", "client.newCode", "dialog.answer"), 3):
            assert (await ask(socket, request_id, method))["error"]["code"] == "METHOD_NOT_FOUND", method


async def test_a_removed_card_loses_its_connection_and_its_token(listening: Any, card_id: str) -> None:
    token = listening.app.tokens.issue(card_id)
    async with dial(listening, token) as socket:
        await greet(socket)
        await listening.app.canvas.remove_card(card_id, force=True)
        assert await closed_with(socket) == 4410
    with pytest.raises(InvalidStatus) as refusal:
        await dial(listening, token)
    assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("settings", [IMPATIENT], indirect=True)
async def test_a_card_that_never_greets_is_closed_and_never_told_of(listening: Any, card_id: str) -> None:
    hooks = Hooks(listening.app)
    async with dial(listening, listening.app.tokens.issue(card_id)) as socket:
        assert await closed_with(socket) == 4408
    assert hooks.told == []


async def test_a_card_that_does_not_keep_up_is_closed_instead_of_losing_messages(listening: Any, card_id: str) -> None:
    hooks = Hooks(listening.app)
    async with dial(listening, listening.app.tokens.issue(card_id)) as socket:
        await greet(socket)
        for number in range(60):  # more than the system's own buffers hold, in one turn of the loop
            listening.app.bus.publish(
                "ports.message", {"n": number, "text": "x" * 900_000}, card_topic(CardId(card_id))
            )
        assert await closed_with(socket) == 1013
    assert (await hooks.until(2))[1] == ("disconnected", card_id, "slow")
