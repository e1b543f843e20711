"""Frame packages written for a test, and frames played by it: what a page and its card do, without a browser."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

CAP_S = 60.0


def write_frame(shelf: Path, name: str, *, files: dict[str, str] | None = None, **manifest: Any) -> str:
    """Write a package whose card is a page, and give its id."""
    from cardloom.features.cards.model import folder_package_id

    folder = shelf / name
    folder.mkdir(parents=True, exist_ok=True)
    whole = {
        "manifestVersion": 1,
        "protocol": 1,
        "version": "1.0.0",
        "name": name,
        "displayName": name.title(),
        "ports": {
            "inputs": [
                {"id": "in", "label": "In", "type": "ns:text", "default": True},
                {"id": "ask", "label": "Ask", "type": "ns:text", "mode": "request", "response": {"type": "ns:text"}},
            ],
            "outputs": [{"id": "out", "label": "Out", "type": "ns:text"}],
        },
        **manifest,
    }
    (folder / "neurosquad-card.json").write_text(json.dumps(whole))
    for path, text in {"index.html": "<!doctype html><p>a card", **(files or {})}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder_package_id(name)


class Frame:
    """A card in its frame, whose messages a page relays over its socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.context: dict[str, Any] = {}
        self.events: list[tuple[str, Any]] = []
        self._socket = socket
        self._id = 0
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def call(self, method: str, **params: Any) -> Any:
        """The whole answer to a request of the card."""
        self._id += 1
        answer = self._answers[self._id] = asyncio.get_running_loop().create_future()
        envelope = {"ns": "nscard", "v": 1, "kind": "req", "id": self._id, "method": method, "params": params}
        await self._socket.send(json.dumps(envelope))
        async with asyncio.timeout(CAP_S):
            return await answer

    async def greet(self) -> dict[str, Any]:
        """Do the handshake; gives the context."""
        answer = await self.call("host.ready", sdkVersion="1.0.0", protocol=1)
        assert answer["ok"], answer
        self.context = answer["result"]
        return self.context

    async def event(self, name: str) -> Any:
        """The data of the first event of a name, taken out."""

        def find() -> int | None:
            return next((i for i, (known, _) in enumerate(self.events) if known == name), None)

        async with asyncio.timeout(CAP_S), self._news:
            await self._news.wait_for(lambda: find() is not None)
        index = find()
        assert index is not None
        return self.events.pop(index)[1]

    async def closed(self) -> int | None:
        """The code with which the server ended the connection."""
        async with asyncio.timeout(CAP_S):
            await self._socket.wait_closed()
        return self._socket.close_code

    async def leave(self) -> None:
        """The page lets go of the connection."""
        await self._socket.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await self._take(json.loads(await self._socket.recv()))

    async def _take(self, message: dict[str, Any]) -> None:
        if message["kind"] == "res":
            self._answers.pop(message["id"]).set_result(message)
            return
        async with self._news:
            self.events.append((message["event"], message.get("data")))
            self._news.notify_all()


async def dial(listening: Any, token: str, **headers: str) -> Frame:
    """The connection of a mounted frame, as its page opens it."""
    return Frame(await connect(f"{listening.ws_url}/ws/card/{token}", additional_headers=headers, compression=None))


async def brought_up(listening: Any, page: Any, card_id: str) -> Frame:
    """A card mounted in a page, past its handshake."""
    answer = await page.call("card.mount", cardId=card_id)
    frame = await dial(listening, answer["token"])
    await frame.greet()
    return frame
