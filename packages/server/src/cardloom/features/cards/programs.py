"""Python cards at work: one supervised process an instance while its workspace is open.

A program that ends by itself is started again after growing waits; one that the owner stopped, that another program
replaced, or that ended well is left alone. Nothing it started outlives it. Spec: decisions 31, 44.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit
from cardloom_protocol.permissions import closure
from cardloom_sdk import supervised
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.card_run import EXIT_OVER, EXIT_REPLACED, TOKEN_VARIABLE, URL_VARIABLE

from ...core.clock import Clock
from ...core.graph import Graph
from ...core.records import Card
from ...core.tokens import CardTokens
from ...host.environment import cleaned
from ...host.processes import Command, Program
from .logs import CardLogs, LineSplitter
from .model import Package, Runtime

_log = logging.getLogger(__name__)

WORKSPACE_VARIABLE: Final = "CARDLOOM_WORKSPACE"
_LAST_LINES: Final = 5
_NOT_ALLOWED: Final = "You have not allowed it to start. Restart asks again."


@dataclass(frozen=True, slots=True)
class Patience:
    """How long programs are waited for; tests make the times small."""

    connect_ms: int = limit("programConnectMs")
    restart_first_ms: int = limit("programRestartFirstMs")
    restart_last_ms: int = limit("programRestartLastMs")
    steady_ms: int = limit("programSteadyMs")
    stop_ms: int = limit("programStopMs")


@dataclass(frozen=True, slots=True)
class Trade:
    """What the supervision takes from its surroundings.

    `ask` tells whether a package may run here, `granted` what it may do, `show` puts a runtime on the canvas, `package`
    gives a card's package as it is on disk now.
    """

    ask: Callable[[Card, Package], Awaitable[bool]]
    granted: Callable[[Card, Package], frozenset[str]]
    package: Callable[[Card], Awaitable[Package | None]]
    show: Callable[[CardId, Runtime], None]


@dataclass(slots=True)
class _Life:
    """The supervision of one card."""

    task: asyncio.Task[None]
    restarts: int = 0
    program: Program | None = None
    last_error: str = ""
    connected: bool = field(default=False)


class Programs:
    """The programs of all cards in open workspaces. They wait for `serve_at`: before, there is nowhere to connect."""

    def __init__(
        self,
        graph: Graph,
        tokens: CardTokens,
        logs: CardLogs,
        clock: Clock,
        trade: Trade,
        *,
        patience: Patience = Patience(),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._graph = graph
        self._tokens = tokens
        self._logs = logs
        self._clock = clock
        self._trade = trade
        self._patience = patience
        self._environment = environment
        self._lives: dict[CardId, _Life] = {}
        self._url = ""
        self._serving = asyncio.Event()

    def serve_at(self, url: str) -> None:
        """The server listens: programs may start and connect there."""
        self._url = url
        self._serving.set()

    def start(self, card: Card) -> None:
        """Supervise a card's program from now on; nothing happens when that is done already."""
        life = self._lives.get(card.id)
        if life is None or life.task.done():
            task = asyncio.create_task(self._supervised(card.id))
            self._lives[card.id] = _Life(task)

    async def stop(self, card_id: CardId) -> None:
        """End a card's program with all it started, and its supervision."""
        life = self._lives.pop(card_id, None)
        if life is None:
            return
        life.task.cancel()
        await asyncio.gather(life.task, return_exceptions=True)

    async def stop_all(self) -> None:
        """End every program: the server ends."""
        await asyncio.gather(*(self.stop(card_id) for card_id in list(self._lives)))

    def connected(self, card_id: CardId) -> None:
        """A card's program did its handshake."""
        life = self._lives.get(card_id)
        if life is not None:
            life.connected = True
            self._trade.show(card_id, Runtime("running", life.restarts))

    def restarts(self, card_id: CardId) -> int:
        """How often a card's program was started again by itself."""
        life = self._lives.get(card_id)
        return 0 if life is None else life.restarts

    def supervises(self, card_id: CardId) -> bool:
        """Whether a card's program is started again by itself."""
        life = self._lives.get(card_id)
        return life is not None and not life.task.done()

    def runs(self, card_id: CardId) -> bool:
        """Whether a card's program is alive."""
        life = self._lives.get(card_id)
        return life is not None and life.program is not None

    def pid(self, card_id: CardId) -> int | None:
        """The process of a card's program."""
        life = self._lives.get(card_id)
        return None if life is None or life.program is None else life.program.pid

    async def _supervised(self, card_id: CardId) -> None:
        try:
            await self._supervise(card_id)
        except Exception:  # noqa: BLE001 - a task root: the card shows that it failed
            _log.exception("the supervision of card %s failed", card_id)
            self._trade.show(card_id, Runtime("failed", self.restarts(card_id), "Cardloom's log says what went wrong."))

    async def _supervise(self, card_id: CardId) -> None:
        """Run a card's program until it is over."""
        await self._serving.wait()
        life = self._lives[card_id]
        waits = BackOff(self._patience.restart_first_ms, self._patience.restart_last_ms)
        while (card := self._graph.find_card(card_id)) is not None:
            package = await self._trade.package(card)
            if package is None or package.folder is None:
                self._show_failed(card_id, life, "Its package is not installed here.")
                return
            self._trade.show(card_id, Runtime("waiting", life.restarts))
            if not await self._trade.ask(card, package):
                self._trade.show(card_id, Runtime("waiting", life.restarts, _NOT_ALLOWED))
                return
            self._trade.show(card_id, Runtime("starting", life.restarts))
            began_ms = self._clock.steady_ms()
            code = await self._run_once(card, package, life)
            if code == EXIT_OVER:
                self._trade.show(card_id, Runtime("stopped", life.restarts))
                return
            if code == EXIT_REPLACED:
                self._trade.show(card_id, Runtime("external", life.restarts))
                return
            if self._clock.steady_ms() - began_ms >= self._patience.steady_ms:
                waits.reset()
            wait_ms = waits.next_ms()
            error = f"{_ended(code)}{f': {life.last_error}' if life.last_error else ''}"
            self._logs.write(
                card_id, "error", f"The program ended ({_ended(code)}); starting it again in {wait_ms / 1000:.1f} s."
            )
            self._show_failed(card_id, life, error)
            await asyncio.sleep(wait_ms / 1000)
            life.restarts += 1

    async def _run_once(self, card: Card, package: Package, life: _Life) -> int | None:
        """Start the program and wait for its end; gives its exit code, None when it could not be started."""
        life.last_error, life.connected = "", False
        out, err = LineSplitter(), LineSplitter()

        def heard(data: bytes, errors: bool) -> None:
            for line in (err if errors else out).feed(data):
                self._print(card.id, life, line, errors=errors)

        token = self._tokens.issue(card.id)
        try:
            life.program = await Program.start(self._command(card, package, token), heard)
        except OSError as error:
            life.last_error = f"it could not be started: {error.strerror or error}"
            self._logs.write(card.id, "error", life.last_error)
            return None
        late = asyncio.get_running_loop().call_later(self._patience.connect_ms / 1000, self._tell_late, card.id, life)
        try:
            code = await life.program.wait()
        except asyncio.CancelledError:
            await asyncio.shield(life.program.stop(self._patience.stop_ms))
            raise
        finally:
            late.cancel()
            life.program = None
            self._tokens.revoke(card.id)
            for line in out.rest():
                self._print(card.id, life, line, errors=False)
            for line in err.rest():
                self._print(card.id, life, line, errors=True)
        return code

    def _tell_late(self, card_id: CardId, life: _Life) -> None:
        """Say of a program that runs and has not connected what it printed last; it goes on trying."""
        if not life.connected:
            reason = f"It runs and has not connected for {self._patience.connect_ms / 1000:g} s."
            last = [line["text"] for line in self._logs.lines(card_id, _LAST_LINES)]
            self._trade.show(card_id, Runtime("starting", life.restarts, "\n".join((reason, *last))))

    def _print(self, card_id: CardId, life: _Life, line: str, *, errors: bool) -> None:
        if errors and line.strip():
            life.last_error = line.strip()
        self._logs.write(card_id, "error" if errors else "info", line)

    def _command(self, card: Card, package: Package, token: str) -> Command:
        folder = Path(package.folder or "")
        environment = cleaned(self._environment)
        environment |= {
            URL_VARIABLE: self._url,
            TOKEN_VARIABLE: token,
            "PYTHONUNBUFFERED": "1",
            "PYTHONUTF8": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if "fs.read" in closure(self._trade.granted(card, package)):
            environment[WORKSPACE_VARIABLE] = self._graph.workspace(card.workspace_id).path
        program = folder / package.manifest["python"]
        return Command((sys.executable, supervised.__file__, str(program)), folder, environment)

    def _show_failed(self, card_id: CardId, life: _Life, error: str) -> None:
        self._trade.show(card_id, Runtime("failed", life.restarts, error))


def _ended(code: int | None) -> str:
    """How a program ended, in words."""
    if code is None:
        return "not started"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
