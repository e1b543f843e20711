"""What behaviour tests use: a whole server in process, clients of it, and real server processes."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App, running
from cardloom.core.clock import SystemClock
from cardloom.core.ids import new_connection_id
from cardloom.serving import Server, bind
from cardloom.settings import Settings
from cardloom.transport.errors import CloseCode
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.connection import ClientConnection, EventReceived, ResponseReceived, SendNow
from cardloom_protocol.errors import CallError
from cardloom_protocol.frames import ErrorResponse
from cardloom_protocol.ids import CardId

CAP_S = 60.0
STARTING_CAP_S = 120.0


class Client:
    """One client of a server in the same process: calls, and the events that came, in order."""

    def __init__(self, app: App, caller: Caller) -> None:
        owner = caller.kind is CallerKind.OWNER
        self.closed: tuple[CloseCode, str] | None = None
        self.events: list[tuple[str, Any]] = []
        self.welcome: dict[str, Any] = {}
        self._connection = ClientConnection("cardloom" if owner else "nscard")
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._news = asyncio.Condition()
        self.line = app.line(caller, spawn=self._spawn, close=self._close)
        self._pump = asyncio.create_task(self._read())

    @property
    def connection_id(self) -> str:
        return self.line.caller.connection_id

    async def call(self, method: str, /, **params: Any) -> Any:
        """The result of a call; CallError when it is refused."""
        request_id, text = self._connection.call(method, params)
        answer = self._answers[request_id] = asyncio.get_running_loop().create_future()
        if text is not None:
            self.line.receive(text)
        async with asyncio.timeout(CAP_S):
            return await answer

    async def refused(self, method: str, /, **params: Any) -> CallError:
        """The refusal of a call that must be refused."""
        with pytest.raises(CallError) as refusal:
            await self.call(method, **params)
        return refusal.value

    async def event(self, name: str, fits: Callable[[Any], bool] = lambda _: True) -> Any:
        """The data of the first event of a name that fits, taken out of `events`; waits for it."""

        def find() -> int | None:
            return next((i for i, (n, data) in enumerate(self.events) if n == name and fits(data)), None)

        async with asyncio.timeout(CAP_S), self._news:
            await self._news.wait_for(lambda: find() is not None)
        index = find()
        assert index is not None
        return self.events.pop(index)[1]

    async def close(self) -> None:
        self.line.end()
        self._pump.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self._pump, *self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _close(self, code: CloseCode, reason: str) -> None:
        self.closed = self.closed or (code, reason)

    async def _read(self) -> None:
        while (text := await self.line.outbox.next()) is not None:
            for event in self._connection.receive_text(text):
                match event:
                    case ResponseReceived(request_id, response):
                        answer = self._answers.pop(request_id)
                        if answer.done():
                            continue
                        if isinstance(response, ErrorResponse):
                            answer.set_exception(response.to_error())
                        else:
                            answer.set_result(response.value)
                    case EventReceived(received):
                        async with self._news:
                            self.events.append((received.name, received.value))
                            self._news.notify_all()
                    case SendNow(waiting):
                        self.line.receive(waiting)


class Clients:
    """Makes clients of one server and ends them with the test."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._made: list[Client] = []

    async def page(self, page_id: str | None = None) -> Client:
        """A page that has said hello."""
        client = self._add(Client(self.app, Caller(CallerKind.OWNER, new_connection_id())))
        named = {} if page_id is None else {"pageId": page_id}
        client.welcome = await client.call("client.hello", client="page", protocol=1, **named)
        return client

    def card(self, card_id: str) -> Client:
        """A card's own connection, before its handshake."""
        card = self.app.graph.card(card_id)
        caller = Caller(CallerKind.CARD, new_connection_id(), card_id=CardId(card_id), workspace_id=card.workspace_id)
        return self._add(Client(self.app, caller))

    async def close(self) -> None:
        for client in self._made:
            await client.close()

    def _add(self, client: Client) -> Client:
        self._made.append(client)
        return client


class ServerProcess:
    """A real server in its own process and group, of a person whose home has nothing in it."""

    def __init__(self, home: Path, folder: Path, port: int) -> None:
        person = home.with_name(f"{home.name}-person")
        person.mkdir(exist_ok=True)
        environment = {**os.environ, "CARDLOOM_HOME": str(home), "CARDLOOM_PORT": str(port), "HOME": str(person)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardloom", "up", str(folder)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.home = home
        self.said: list[str] = []

    def wait_until_open(self) -> str:
        """The printed address, once the server listens; one that does not come to that is ended."""
        assert self.process.stdout is not None
        too_late = threading.Event()

        def lose_patience() -> None:
            too_late.set()
            self.process.kill()

        patience = threading.Timer(STARTING_CAP_S, lose_patience)
        patience.start()
        try:
            for line in self.process.stdout:
                self.said.append(line.rstrip())
                if "#code=" in line:
                    return line.split()[-1]
        finally:
            patience.cancel()
        why = f"was not open after {STARTING_CAP_S:g} s" if too_late.is_set() else "ended"
        raise AssertionError(f"the server {why}: {self.said}")

    @property
    def port(self) -> int:
        return int(json.loads((self.home / "server.json").read_text())["port"])

    @property
    def key(self) -> str:
        return (self.home / "owner.key").read_text().strip()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@dataclass(frozen=True)
class Listening:
    """A server with a socket, in this process."""

    app: App
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    @property
    def key_header(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.app.owner_key}"}


@pytest.fixture
async def listening(app: App) -> AsyncIterator[Listening]:
    """`app` behind a real socket on a free loopback port."""
    listening_socket = bind(next(_ports))
    app.address.port = listening_socket.getsockname()[1]
    server = Server(app)
    serving = asyncio.create_task(server.serve(sockets=[listening_socket]))
    await server.up.wait()
    yield Listening(app, app.address.port)
    server.should_exit = True
    await serving


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a server on a fresh data folder."""
    return Settings(tmp_path / "data")


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steady clock of the servers of a test stands: what comes one after the other comes at once.

    For tests of how much is too much within a while, which a slow machine would take longer for than that.
    """
    monkeypatch.setattr(SystemClock, "steady_ms", lambda _: 1000)


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    """A whole server without a socket."""
    async with running(settings) as app:
        yield app


@pytest.fixture
async def clients(app: App) -> AsyncIterator[Clients]:
    """Makes pages and cards of `app`."""
    made = Clients(app)
    yield made
    await made.close()


@pytest.fixture
def clients_of() -> Callable[[App], AbstractAsyncContextManager[Clients]]:
    """Makes pages and cards of any server: `async with clients_of(app) as clients`."""

    @asynccontextmanager
    async def make(app: App) -> AsyncIterator[Clients]:
        made = Clients(app)
        try:
            yield made
        finally:
            await made.close()

    return make


@pytest.fixture
async def page(clients: Clients) -> Client:
    """One page of `app`."""
    return await clients.page()


@pytest.fixture
async def workspace_id(page: Client, tmp_path: Path) -> str:
    """A workspace over an empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    made = await page.call("workspace.create", name="Project", path=str(folder))
    return str(made["id"])


def _ports_of(worker: str) -> Iterator[int]:
    """A process of the test run has ports of its own, and none that systems lend to connections on their way out.

    So a server that is started again at its port finds that free.
    """
    first = 20_000 + int(worker.removeprefix("gw")) % 6 * 2_000
    own = range(first, first + 2_000)
    begin = os.getpid() % len(own)
    return itertools.cycle([*own[begin:], *own[:begin]])


_ports = _ports_of(os.environ.get("PYTEST_XDIST_WORKER", "gw0"))


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Starts real servers and kills them with the test."""
    started: list[ServerProcess] = []

    def start(home: Path | None = None, folder: Path | None = None, port: int | None = None) -> ServerProcess:
        project = folder or tmp_path / "project"
        if folder is None:
            project.mkdir(exist_ok=True)
        server = ServerProcess(home or tmp_path / "data", project, port or next(_ports))
        started.append(server)
        return server

    yield start
    for server in started:
        server.kill()
