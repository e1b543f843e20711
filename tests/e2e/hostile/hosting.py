"""A whole server in a thread of the test's process, so that what it sends can be edited on its way."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from cardloom.app import App, running
from cardloom.serving import Server, bind
from cardloom.settings import Settings

from .weakened import Weakened

CAP_S = 40.0

Result = TypeVar("Result")


class Hosted:
    """A server over a folder of packages. `weakened` edits its answers; by itself it edits nothing."""

    app: App
    weakened: Weakened

    def __init__(self, data: Path, packages: Path, port: int) -> None:
        self._settings = Settings(data, port, package_folders=(packages,))
        self._up = threading.Event()
        self._fault: BaseException | None = None
        self._down = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._up.wait(CAP_S)
        if self._fault is not None:
            raise self._fault

    def address(self) -> str:
        """An address that opens one page."""
        return self._run(self._new_address())

    def call(self, method: str, **params: Any) -> Any:
        """A call with the owner's key."""
        envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": 1, "method": method, "params": params}
        request = urllib.request.Request(
            f"{self.app.address.url}/call",
            json.dumps(envelope).encode(),
            {"Authorization": f"Bearer {self.app.owner_key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=CAP_S) as answer:
            return json.load(answer)["result"]

    def drop_everybody(self) -> None:
        """End every connection, as when the server goes and comes back."""
        self._run(self.app.sockets.end_all())

    def end(self) -> None:
        """End the server and wait for it."""
        self._loop.call_soon_threadsafe(self._down.set)
        self._thread.join(CAP_S)

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CAP_S)

    async def _new_address(self) -> str:
        return self.app.doorkeeper.new_address()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        except Exception as fault:  # noqa: BLE001 - told to whoever waits for the server
            self._fault = fault
            self._up.set()
        finally:
            self._loop.close()

    async def _main(self) -> None:
        listening = bind(self._settings.port)
        async with running(self._settings) as app:
            app.address.port = listening.getsockname()[1]
            self.app = app
            self.weakened = Weakened(app.asgi)
            app.asgi = self.weakened
            server = Server(app)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            await server.up.wait()
            self._up.set()
            await self._down.wait()
            server.should_exit = True
            await serving
