"""A client of a running server: calls, events, and canvases that stay up to date, across reconnects.

Spec: the canvas's own methods; a hole in `seq` or a `stream.gap` makes a canvas subscribe again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL, Event

from .backoff import BackOff
from .canvas import Canvas
from .channel import ChannelClosed, dial
from .discovery import Server
from .link import Link
from .listeners import Stop, once
from .timing import SystemTiming, Timing

ClientKind: TypeAlias = Literal["cli", "sdk"]
Find: TypeAlias = Callable[[], Server]
Listener: TypeAlias = Callable[[Any], None]

SOCKET_PATH: Final = "/ws"


class Client:
    """A connection with the owner's key. Open it with `async with Client(find) as client`.

    `find` tells where the server is and is asked again before every attempt, so a server that came back on another
    port is found. While the server is away, calls fail as UNAVAILABLE at once; canvases are brought up to date when it
    is back.
    """

    def __init__(
        self,
        find: Find,
        *,
        name: str = "Cardloom SDK",
        kind: ClientKind = "sdk",
        timing: Timing | None = None,
        backoff: BackOff | None = None,
    ) -> None:
        self.hello: dict[str, Any] = {}
        self._find = find
        self._name = name
        self._kind = kind
        self._timing = timing or SystemTiming()
        self._backoff = backoff or BackOff()
        self._link: Link | None = None
        self._page_id: str | None = None
        self._listeners: dict[str, list[Listener]] = {}
        self._canvases: dict[str, Canvas] = {}
        self._online = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._refreshes: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._keeper = asyncio.create_task(self._keep(await self._connect()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def online(self) -> bool:
        """Whether the server is there now."""
        return self._online.is_set()

    async def until_online(self) -> None:
        """Wait until the server is there."""
        await self._online.wait()

    async def call(self, method: str, params: Any = None) -> Any:
        """Make a call and give its result. Refusals arrive as CallError, UNAVAILABLE while the server is away."""
        if self._link is None:
            raise CallError(ErrorCode.UNAVAILABLE, "The server is away.")
        return await self._link.call(method, {} if params is None else params)

    def on(self, event: str, listener: Listener) -> Stop:
        """Call a function, which must not wait, with the data of every event of this name; gives how to stop."""
        self._listeners.setdefault(event, []).append(listener)
        return once(lambda: self._listeners[event].remove(listener))

    async def subscribe(self, workspace_id: str) -> Canvas:
        """Follow a workspace's canvas. NOT_FOUND when there is no such workspace."""
        canvas = self._canvases.get(workspace_id)
        if canvas is None:
            canvas = self._canvases[workspace_id] = Canvas(workspace_id, self._snapshot)
            try:
                await canvas.refresh()
            except BaseException:
                del self._canvases[workspace_id]
                raise
        return canvas

    async def unsubscribe(self, canvas: Canvas) -> None:
        """Stop following a canvas."""
        if self._canvases.pop(canvas.workspace_id, None) is not None and self._link is not None:
            await self.call("canvas.unsubscribe", {"workspaceId": canvas.workspace_id})

    async def close(self) -> None:
        """End the connection; calls without an answer fail as UNAVAILABLE."""
        link, self._link = self._link, None
        self._online.clear()
        tasks = [*([self._keeper] if self._keeper else []), *self._refreshes.values()]
        for task in tasks:
            task.cancel()
        if link is not None:
            await link.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connect(self) -> asyncio.Task[ChannelClosed]:
        server = self._find()
        link = Link(await dial(server.url, SOCKET_PATH, server.key()), "cardloom", self._receive)
        run = asyncio.create_task(link.run())
        params: dict[str, Any] = {"client": self._kind, "protocol": PROTOCOL, "name": self._name}
        if self._page_id is not None:
            params["pageId"] = self._page_id
        try:
            self.hello = await link.call("client.hello", params)
        except BaseException:
            await link.close()
            await run
            raise
        self._page_id = self.hello.get("pageId")
        self._link = link
        self._online.set()
        return run

    async def _keep(self, run: asyncio.Task[ChannelClosed]) -> None:
        """Wait for the end of each connection and make the next one."""
        try:
            while True:
                await run
                self._link = None
                self._online.clear()
                run = await self._reconnect()
                self._backoff.reset()
                for canvas in list(self._canvases.values()):
                    self._refresh_soon(canvas)
        finally:
            run.cancel()

    async def _reconnect(self) -> asyncio.Task[ChannelClosed]:
        while True:
            await self._timing.sleep_ms(self._backoff.next_ms())
            try:
                return await self._connect()
            except CallError:
                continue  # away, or another key by now: `find` reads both again

    async def _snapshot(self, workspace_id: str) -> Any:
        return await self.call("canvas.subscribe", {"workspaceId": workspace_id})

    def _refresh_soon(self, canvas: Canvas) -> None:
        """Bring a canvas up to date. At most one refresh a canvas runs; the last one asked for wins."""
        earlier = self._refreshes.get(canvas.workspace_id)
        if earlier is not None:
            earlier.cancel()
        task = self._refreshes[canvas.workspace_id] = asyncio.create_task(self._refresh(canvas))
        task.add_done_callback(lambda done: self._refreshed(canvas, done))

    async def _refresh(self, canvas: Canvas) -> None:
        try:
            await canvas.refresh()
        except CallError as error:
            if error.code is not ErrorCode.UNAVAILABLE:  # removed meanwhile; while away the reconnect refreshes again
                self._canvases.pop(canvas.workspace_id, None)

    def _refreshed(self, canvas: Canvas, task: asyncio.Task[None]) -> None:
        if self._refreshes.get(canvas.workspace_id) is task:
            del self._refreshes[canvas.workspace_id]

    def _receive(self, event: Event) -> None:
        data = event.value
        if event.name == "stream.gap":
            for canvas in self._canvases.values():
                self._refresh_soon(canvas)
        elif event.name == "canvas.changed" and isinstance(data, dict):
            followed = self._canvases.get(str(data["workspaceId"]))
            if followed is not None and followed.take(data) == "gap":
                self._refresh_soon(followed)
        for listener in list(self._listeners.get(event.name, ())):
            listener(data)
