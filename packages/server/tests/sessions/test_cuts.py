"""Whatever is cut off at whatever byte – the server killed, the client gone – what a client has is what is stored."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cardloom_protocol.session import RunState, SseParser, event_of

CUTS = 200
KILLS_IN_TEN = 2
CAP_S = 60.0
KILLABLE = Path(__file__).with_name("killable.py")


class Server:
    """A server that can be killed; a new one takes over what is on disk."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._zygote = subprocess.Popen(
            [sys.executable, str(KILLABLE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._process = 0
        self.url = ""

    def start(self) -> None:
        """Starts a server on what is there."""
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        print(self._database, file=self._zygote.stdin, flush=True)
        port, process = self._zygote.stdout.readline().split()
        self._process, self.url = int(process), f"http://127.0.0.1:{port}"

    def kill(self) -> None:
        """Ends it without a chance to tidy up."""
        os.kill(self._process, signal.SIGKILL)

    def close(self) -> None:
        """Ends everything."""
        self.kill()
        self._zygote.kill()
        self._zygote.communicate()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    made = Server(tmp_path / "sessions.db")
    made.start()
    yield made
    made.close()


class Watcher:
    """A client that follows one run: what it has of it, and the id to go on behind."""

    def __init__(self, web: httpx.AsyncClient, run_id: str) -> None:
        self._web = web
        self._run_id = run_id
        self.forget()

    def forget(self) -> None:
        """A client that was killed begins with nothing."""
        self.state = RunState()
        self.last_id = ""

    async def follow(self, url: str, most_bytes: int | None) -> bool:
        """Reads up to some bytes of the stream; False when the server does not know the run any more."""
        parser, read = SseParser(), 0
        headers = {"last-event-id": self.last_id} if self.last_id else {}
        async with self._web.stream("GET", f"{url}/runs/{self._run_id}/events", headers=headers) as reply:
            if reply.status_code == 404:
                return False
            async for piece in reply.aiter_raw():
                kept = piece if most_bytes is None else piece[: most_bytes - read]
                read += len(kept)
                for frame in parser.feed(kept):
                    self._take(frame)
                if most_bytes is not None and read >= most_bytes:
                    break
        return True

    def _take(self, frame: Any) -> None:
        event = event_of(frame)
        if event is not None:
            self.state.apply(event)
        self.last_id = frame.id or self.last_id

    @property
    def ended_messages(self) -> dict[str, Any]:
        """The messages that were told to be stored."""
        return {message.id: message.end["message"] for message in self.state.messages.values() if message.end}


async def cut_to_pieces(server: Server, web: httpx.AsyncClient, chance: random.Random) -> tuple[int, bool]:
    """One run that is cut off again and again. How often, and whether the server was killed."""
    session: Any = (await web.post(f"{server.url}/sessions", json={})).json()["data"]
    path = f"/sessions/{session['id']}"
    run: Any = (await web.post(f"{server.url}{path}/runs", json={"text": "go"})).json()["data"]
    watcher, cuts, was_killed, known = Watcher(web, run["runId"]), 0, False, True
    told: dict[str, Any] = {}
    while known and watcher.state.end is None and cuts < 6:
        known = await watcher.follow(server.url, chance.randrange(1, 9_000))
        told |= watcher.ended_messages
        cuts += 1
        if chance.randrange(10) < KILLS_IN_TEN and watcher.state.end is None:
            server.kill()
            server.start()
            was_killed = True
        elif chance.randrange(4) == 0:
            watcher.forget()
    if known and watcher.state.end is None:
        known = await watcher.follow(server.url, None)
    stored: list[Any] = (await web.get(f"{server.url}{path}/messages")).json()["data"]
    assert stored[0]["parts"] == [{"type": "text", "text": "go"}]
    if known:
        assert watcher.state.status == "done"
        assert watcher.state.shown == stored[1:]
        assert len(stored) == 4
    else:
        assert was_killed
        kept = {message["id"]: message for message in stored}
        assert {name: kept.get(name) for name in told} == told  # nothing that was told to be stored is gone
    return cuts, was_killed


async def test_after_any_cut_the_client_has_what_is_stored(server: Server) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance, cuts, kills = random.Random(seed), 0, 0
    transport = httpx.AsyncHTTPTransport(retries=20)
    async with httpx.AsyncClient(transport=transport, timeout=CAP_S) as web, asyncio.timeout(CAP_S * 10):
        while cuts < CUTS or kills == 0:
            made, was_killed = await cut_to_pieces(server, web, chance)
            cuts, kills = cuts + made, kills + was_killed
