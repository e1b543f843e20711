"""Sessions over the canvas's own connection: every operation of the table, the same contract as over HTTP."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.bus import Bus, Event
from cardloom.features.sessions.service import SessionsService
from cardloom.features.sessions.streams import Streams
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import ConnectionId
from cardloom_protocol.session import SESSION_CALLS, SessionError, WorkspaceUpdateEvent, has, opened
from cardloom_sdk.backend import Backend, BackendHost, HostLimits
from cardloom_sdk.backend.services import PluginServices, ServiceMeta, Signal, Sink
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.memory_backend import MemoryBackend

WORDS = {"text": "one two three", "tool": "tool", "permission": "permission", "hang": "hang", "fail": "fail"}


class CanvasClient:
    """Asks one backend over a page's connection."""

    def __init__(self, page: Any, backend: str) -> None:
        self._page = page
        self._backend = backend

    async def call(self, name: str, /, **given: Any) -> Any:
        """The data of an operation's answer."""
        if name == "putAsset":
            given["content"] = b64encode(given["content"]).decode()
        return opened(await self._page.call(f"session.{name}", backend=self._backend, **given))

    async def follow(self, run_id: str, after: str | None = None) -> AsyncIterator[tuple[str, Any]]:
        """The events of a run, each with the id to go on behind."""
        last = after or ""
        async for one in self.stream("follow", {"runId": run_id} | ({} if after is None else {"after": after})):
            last = one["id"] or last
            yield last, one["event"]

    async def watch(self) -> AsyncIterator[WorkspaceUpdateEvent]:
        """What changes in the workspace."""
        async for one in self.stream("watch", {}):
            yield one["event"]

    async def stream(self, name: str, given: dict[str, Any]) -> AsyncIterator[Any]:
        """What an operation streams."""
        stream_id = (await self.call(name, **given))["streamId"]
        ended = False
        try:
            while not ended:
                data = await self._page.event("session.stream", lambda one: one["streamId"] == stream_id)
                ended = data["ended"]
                for one in data["events"]:
                    yield one
        finally:
            if not ended:
                await self._page.call("session.leave", streamId=stream_id)


@pytest.fixture
def memory(app: App) -> MemoryBackend:
    """A backend that can do everything, beside the server's own."""
    backend = MemoryBackend()
    app.sessions.add("memory", "Memory", "test", backend)
    return backend


@pytest.mark.parametrize("row", rows(), ids=[row.check.__name__ for row in rows()])
async def test_the_contract_holds_over_the_canvas_connection(row: Row, memory: MemoryBackend, page: Any) -> None:
    capabilities = dict(await memory.capabilities())
    assert all(has(capabilities, need) for need in row.needs)
    await row.check(Subject(CanvasClient(page, "memory"), WORDS))


METHODS = pytest.mark.parametrize(
    "method",
    [
        pytest.param("session.capabilities"),
        pytest.param("session.health"),
        pytest.param("session.list"),
        pytest.param("session.create"),
        pytest.param("session.get"),
        pytest.param("session.rename"),
        pytest.param("session.delete"),
        pytest.param("session.messages"),
        pytest.param("session.append"),
        pytest.param("session.editMessage"),
        pytest.param("session.deleteMessage"),
        pytest.param("session.hideMessage"),
        pytest.param("session.swipe"),
        pytest.param("session.fork"),
        pytest.param("session.getMeta"),
        pytest.param("session.patchMeta"),
        pytest.param("session.setMeta"),
        pytest.param("session.putAsset"),
        pytest.param("session.getAsset"),
        pytest.param("session.models"),
        pytest.param("session.setModel"),
        pytest.param("session.profiles"),
        pytest.param("session.getProfile"),
        pytest.param("session.saveProfile"),
        pytest.param("session.deleteProfile"),
        pytest.param("session.duplicateProfile"),
        pytest.param("session.setProfile"),
        pytest.param("session.catalog"),
        pytest.param("session.workspace"),
        pytest.param("session.workspaces"),
        pytest.param("session.switchWorkspace"),
        pytest.param("session.files"),
        pytest.param("session.statFile"),
        pytest.param("session.readFile"),
        pytest.param("session.writeFile"),
        pytest.param("session.deleteFile"),
        pytest.param("session.renameFile"),
        pytest.param("session.watch"),
        pytest.param("session.run"),
        pytest.param("session.runs"),
        pytest.param("session.runStatus"),
        pytest.param("session.follow"),
        pytest.param("session.cancel"),
        pytest.param("session.asks"),
        pytest.param("session.answer"),
        pytest.param("session.callService"),
        pytest.param("session.streamService"),
    ],
)


@METHODS
async def test_every_operation_has_its_method_and_answers_with_the_envelope(method: str, page: Any) -> None:
    answer = await page.call(method, backend="ghost")
    assert answer["ok"] is False
    assert answer["error"]["code"] == "not_found"


def test_no_operation_is_left_out() -> None:
    assert [param.values[0] for param in METHODS.mark.args[1]] == [f"session.{name}" for name in SESSION_CALLS]


async def test_the_own_engine_comes_first(page: Any, memory: MemoryBackend) -> None:
    found = (await page.call("session.backends"))["backends"]
    assert [backend["id"] for backend in found] == ["engine", "canvas", "memory"]
    capabilities: Any = opened(await page.call("session.capabilities"))
    assert capabilities["models"]


async def test_a_stream_belongs_to_its_connection_and_ends_with_it(
    app: App, memory: MemoryBackend, page: Any, clients: Any
) -> None:
    client = CanvasClient(page, "memory")
    session_id = (await client.call("create"))["id"]
    run_id = (await client.call("run", sessionId=session_id, text="hang"))["runId"]
    stream_id = (await client.call("follow", runId=run_id))["streamId"]
    other = await clients.page()
    assert (await other.call("session.leave", streamId=stream_id))["error"]["code"] == "not_found"
    assert app.sessions.streams.open_ids == [stream_id]
    await page.close()
    assert app.sessions.streams.open_ids == []
    assert app.sessions.find("memory").host.run(run_id).log.state.status is None


async def test_a_stream_for_which_there_is_no_room_leaves_nothing_behind() -> None:
    backend = MemoryBackend()
    host, streams = BackendHost(backend, limits=HostLimits(streams=1)), Streams(Bus())
    connection = ConnectionId("c1")
    await streams.open(host, "watch", {}, connection)
    files: Any = backend.workspace.files  # type: ignore[union-attr]
    for name, given in (("watch", {}), ("streamService", {"plugin": "clock", "method": "count"})):
        with pytest.raises(SessionError) as caught:
            await streams.open(host, name, given, connection)
        assert caught.value.code == "too_many_streams"
    assert len(files.listeners) == 1
    streams.drop_all(connection)
    assert files.listeners == []
    with pytest.raises(SessionError):
        await streams.open(host, "streamService", {"plugin": "clock", "method": "ghost"}, connection)
    assert host.open_streams == 0
    await host.close()


async def test_a_failing_service_ends_its_stream_with_its_error(memory: MemoryBackend, page: Any) -> None:
    client = CanvasClient(page, "memory")
    events = [one["event"] async for one in client.stream("streamService", {"plugin": "clock", "method": "broken"})]
    assert events[0] == {"name": "tick", "payload": 1}
    assert events[-1] == {"name": "error", "payload": {"message": "The clock stopped.", "code": "worn_out"}}


async def test_cards_do_not_reach_sessions(page: Any, clients: Any, workspace_id: str) -> None:
    card = await page.call("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
    with pytest.raises(CallError):
        await clients.card(card["id"]).call("session.list")


async def test_a_service_that_has_said_nothing_is_left_when_its_connection_goes(tmp_path: Path) -> None:
    began, left = asyncio.Event(), asyncio.Event()

    async def listen(_args: object, _sink: Sink, signal: Signal) -> None:
        began.set()
        await signal.wait()
        left.set()

    def quiet(_context: object, meta: ServiceMeta) -> None:
        meta.stream("listen", listen)

    backend: Backend = MemoryBackend()
    backend.services = PluginServices({"quiet": lambda: quiet}, root=tmp_path, data=tmp_path)
    given = {"plugin": "quiet", "method": "listen"}
    streams = Streams(Bus())
    opening = asyncio.create_task(streams.open(BackendHost(backend), "streamService", given, ConnectionId("c")))
    async with asyncio.timeout(60):
        await began.wait()
        opening.cancel()
        await left.wait()


async def test_a_stream_whose_connection_goes_before_its_first_event_was_sent_leaves_its_service(
    tmp_path: Path,
) -> None:
    left = asyncio.Event()

    async def listen(_args: object, sink: Sink, signal: Signal) -> None:
        sink("tick", 1)
        await signal.wait()
        left.set()

    def ticking(_context: object, meta: ServiceMeta) -> None:
        meta.stream("listen", listen)

    backend: Backend = MemoryBackend()
    backend.services = PluginServices({"ticking": lambda: ticking}, root=tmp_path, data=tmp_path)
    bus, connection = Bus(), ConnectionId("c")
    heard: list[Event] = []
    bus.attach(connection, heard.append)
    streams = Streams(bus)
    await streams.open(BackendHost(backend), "streamService", {"plugin": "ticking", "method": "listen"}, connection)
    streams.drop_all(connection)
    async with asyncio.timeout(60):
        await left.wait()
    assert heard == []


async def test_a_backend_that_fails_to_end_keeps_no_other_from_ending(caplog: pytest.LogCaptureFixture) -> None:
    closed: list[str] = []

    class Ending(MemoryBackend):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        async def close(self) -> None:
            closed.append(self.name)
            if self.name == "first":
                raise RuntimeError("it does not want to")

    service = SessionsService(Bus())
    for name in ("first", "second"):
        await service.add(name, name, "memory", Ending(name)).host.start()
    await service.close()
    assert closed == ["first", "second"]
    assert caplog.messages == ["the backend first failed while it was ended"]
