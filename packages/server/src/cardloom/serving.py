"""Runs a server on the console: socket, lock, signals, and what is said about them.

Apart from `app`, so that a server can be built and tested without any of it. Spec: decisions 34, 38.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import shlex
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import uvicorn
from starlette.types import ASGIApp

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

from .app import App, running
from .host.lockfile import FolderLock, FolderTaken
from .host.logs import log_into
from .settings import HOST, Settings
from .transport.wire_protocol import AbortableWebSocket

_log = logging.getLogger(__name__)

WhenUp: TypeAlias = Callable[[Callable[[], str]], Awaitable[None]]

_PORTS_TRIED: Final = 50
_GOODBYE_S: Final = 0.05  # for the writers to hand over the last event
_PING_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Voice:
    """How a server speaks on its console: to a person, or with `as_json` to a program, which gets one line of JSON.

    `another_page` is the command that opens one more page.
    """

    as_json: bool = False
    another_page: str = "cardloom open"

    def say(self, text: str) -> None:
        """Tell something in passing."""
        print(text, file=sys.stderr if self.as_json else sys.stdout, flush=True)

    def tell_running(self, app: App) -> None:
        """Say where the server is, with the address of a page."""
        page = app.doorkeeper.new_address()
        if self.as_json:
            told = {"page": page, "url": app.address.url, "pid": os.getpid()}
            print(json.dumps({**told, "dataFolder": str(app.settings.data_folder)}), flush=True)
            return
        self.say(f"Cardloom is running. Open {page}")
        self.say(f"The address opens one page, once. Another one: {self.another_page}. End with Ctrl-C.")

    def complain(self, code: ErrorCode, message: str) -> None:
        """Say why the server does not run."""
        if self.as_json:
            print(json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False), flush=True)
        else:
            print(message, file=sys.stderr, flush=True)


async def serve(settings: Settings, folder: Path | None, voice: Voice, when_up: WhenUp | None = None) -> None:
    """Run a server until it is told to end; `folder` is opened as a workspace. FolderTaken: another one runs.

    `when_up` is run beside the server once it answers; it gets a function that makes a page's address.
    """
    lock = FolderLock(settings.data_folder)
    lock.take()
    try:
        listening = bind(settings.port)
        port = listening.getsockname()[1]
        if port != settings.port:
            voice.say(f"Port {settings.port} is in use; using {port}.")
        async with running(settings.with_port(port)) as app:
            lock.announce(port)
            for notice in app.notices:
                voice.say(notice)
            if folder is not None:
                opened = await app.canvas.workspaces.at(str(folder), folder.name or str(folder))
                if opened.problem is not None:
                    voice.say(f"{opened.problem} Its workspace {opened.name!r} is opened all the same.")
            spare_collector()
            server = Server(app)
            end_on_signals(server)
            voice.tell_running(app)
            beside = None if when_up is None else asyncio.create_task(_beside(server, app, voice, when_up))
            try:
                await server.serve(sockets=[listening])
            finally:
                if beside is not None:
                    beside.cancel()
                    await asyncio.gather(beside, return_exceptions=True)
    finally:
        lock.release()


def spare_collector() -> None:
    """Let the collector of circles leave alone what a start made: it lives until the end, and there is much of it.

    Afterwards it looks less often. A value to fifty cards makes hundreds of objects that go without it.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


async def _beside(server: Server, app: App, voice: Voice, when_up: WhenUp) -> None:
    await server.up.wait()
    try:
        await when_up(app.doorkeeper.new_address)
    except CallError as error:
        voice.say(error.message)
    except Exception:  # noqa: BLE001 - a task root: the server goes on without it
        _log.exception("what was to be done beside the server failed")


def end_on_signals(server: Server) -> None:
    """End in order when told to; told a second time, wait for nobody."""

    def end(*_: object) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        if sys.platform == "win32":
            signal.signal(number, end)
        else:
            loop.add_signal_handler(number, end)


def bind(port: int) -> socket.socket:
    """A listening socket on the loopback interface: at this port, else at the next free one. OSError: none is free."""
    for candidate in range(port, min(port + _PORTS_TRIED, 65536)):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # there it would let two servers share the port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((HOST, candidate))
            listening.listen(128)
        except OSError:
            listening.close()
        else:
            return listening
    raise OSError(f"no port from {port} to {port + _PORTS_TRIED - 1} is free on {HOST}")


def main_up(
    folder: Path | None = None,
    port: int | None = None,
    *,
    data_folder: Path | None = None,
    when_up: WhenUp | None = None,
    as_json: bool = False,
) -> int:
    """Run a server on the console; gives the exit code. See `serve` for `when_up` and `Voice` for `as_json`."""
    voice = Voice(as_json)
    try:
        settings = Settings.from_environment()
        if data_folder is not None:
            settings = replace(settings, data_folder=data_folder.absolute())
            home = shlex.quote(str(settings.data_folder))
            voice = replace(voice, another_page=f"CARDLOOM_HOME={home} {_our_command()} open")
        # Programs started here, `cardloom` in a terminal card among them, are to find this server and no other.
        os.environ["CARDLOOM_HOME"] = str(settings.data_folder)
        log_into(settings.data_folder)
        if port is not None:
            settings = settings.with_port(port)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            place = None if folder is None else _absolute(folder)
            runner.run(serve(settings, place, voice, when_up))
    except KeyboardInterrupt:  # before the signals were ours
        return 130
    except FolderTaken as taken:
        where = ""
        if taken.holder is not None:
            at = "" if taken.holder.port is None else f" at http://{HOST}:{taken.holder.port}"
            where = f" (process {taken.holder.pid}{at})"
        text = f"Cardloom already runs on {taken.folder}{where}. Open a page of it with: cardloom open"
        voice.complain(ErrorCode.UNAVAILABLE, text)
        return 1
    except CallError as error:  # the folder to open is none
        voice.complain(error.code, error.message)
        return 1
    except (OSError, ValueError) as error:
        voice.complain(ErrorCode.UNAVAILABLE, str(error))
        return 1
    return 0


class Server(uvicorn.Server):
    """uvicorn, which says when it is up and tells the clients before it closes their sockets."""

    def __init__(self, app: App) -> None:
        super().__init__(uvicorn_config(app.asgi))
        self._app = app
        self.up = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again and end the process before its programs are ended."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._app.cards.programs.serve_at(self._app.address.url)
        self.up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.say_goodbye()
        self._app.mcp.close()
        await asyncio.sleep(_GOODBYE_S)
        await self._app.sockets.end_all()
        await super().shutdown(sockets)


def uvicorn_config(asgi: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves an application of ours; benchmarks serve a bare one in the same way."""
    return uvicorn.Config(
        asgi,
        http="httptools",
        ws=AbortableWebSocket,
        ws_max_size=limit("socketMessageBytes"),
        ws_per_message_deflate=False,
        ws_ping_interval=_PING_S,
        ws_ping_timeout=_PING_S,
        lifespan="off",
        proxy_headers=False,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=2,
    )


def _absolute(folder: Path) -> Path:
    """The folder wherever the server will stand. OSError says that the present folder is gone."""
    try:
        return folder.absolute()
    except FileNotFoundError as error:
        raise OSError("the folder that this was started in does not exist any more") from error


def _our_command() -> str:
    """How this program was started, for a shell that may not have it on its PATH."""
    program = Path(os.path.abspath(sys.argv[0]))
    return f"{shlex.quote(sys.executable)} -m cardloom" if program.suffix == ".py" else shlex.quote(str(program))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
