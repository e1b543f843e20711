"""The terminals of all workspaces: which card has which shell, who learns what of it, and what cards may ask.

A shell starts when it is first attached or needed while its workspace is open, and ends with its card, its workspace's
closing or the server. Spec: agents, terminals; decisions 19, 39-41, 45; ports, built-in cards.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import AgentInfo, advance
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId, WorkspaceId
from cardloom_protocol.jstext import JsonValue, utf16_length
from cardloom_protocol.limits import limit
from cardloom_protocol.themes import Scheme

from ...core.bus import Bus, connection_topic
from ...core.call import Cause
from ...core.clock import Clock
from ...core.delivery import Delivery
from ...core.directory import Directory
from ...core.graph import Graph
from ...core.programs import FindProgram, Picture, ShownProgram
from ...core.records import Card, Change, JsonObject, PutCard
from ...core.subscriptions import Subscriptions
from ...core.supervised import Supervised
from ...host.shells import find_shell
from .output import OutputFeed
from .quiet import DEFAULT_TIMES, Times
from .runs import Run, RunResult, Sender
from .terminal import Terminal
from .viewers import Viewers

_log = logging.getLogger(__name__)

KIND: Final = "terminal"
_EXITS_WAITING: Final = 256
_READY_S: Final = 10.0

PatchRuntime: TypeAlias = Callable[[CardId, JsonObject | None], None]
Emit: TypeAlias = Callable[[CardId, str, JsonValue, Cause | None], Awaitable[int]]
RecordCommand: TypeAlias = Callable[["CommandRecord"], Awaitable[Cause | None]]
CountCall: TypeAlias = Callable[[CardId, str], None]
CheckFolder: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CommandRecord:
    """A command for the journal: who sent it (None: the owner) where and because of what; `error` where refused."""

    sender: CardId | None
    to: CardId
    command: str
    cause: Cause | None
    error: CallError | None = None


async def _no_emit(_card_id: CardId, _output: str, _value: JsonValue, _cause: Cause | None) -> int:
    return 0


async def _no_record(record: CommandRecord) -> Cause | None:
    return record.cause


def _no_count(_card_id: CardId, _method: str) -> None:
    return None


@dataclass(slots=True)
class Hooks:
    """What other features do for terminals; `app` fills them in.

    `check_folder` raises FS_ERROR for a folder that cannot be used. `emit` sends a value out of a card's port,
    `record` writes a command into the journal and gives the cause of what follows from it, `count` counts a value at
    the `command` port as a call of `terminals.run` (RATE_LIMITED).
    """

    patch_runtime: PatchRuntime
    check_folder: CheckFolder
    emit: Emit = _no_emit
    record: RecordCommand = _no_record
    count: CountCall = _no_count


class TerminalService:
    """All terminals by card id. `programs` finds what runs in cards of other kinds, which is viewed the same way."""

    def __init__(
        self,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        directory: Directory,
        subscriptions: Subscriptions,
        hooks: Hooks,
        *,
        times: Times = DEFAULT_TIMES,
    ) -> None:
        self.hooks = hooks
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._directory = directory
        self._subscriptions = subscriptions
        self._times = times
        self.programs: dict[str, FindProgram] = {}
        self._terminals: dict[CardId, Terminal] = {}
        self._viewed: dict[ConnectionId, set[CardId]] = {}
        self._exits: dict[CardId, deque[tuple[str, int | None, Sender]]] = {}
        self._beside = Supervised(_log, "a terminal's work")
        self._scheme: Scheme = "dark"
        bus.listen_detach(self.connection_gone)
        bus.listen("preferences.changed", lambda event: self.set_scheme(event.data.get("scheme", "dark")))

    # The canvas's life

    async def card_comes(self, card: Card) -> None:
        """List a shell as an agent; it starts when it is needed."""
        self._put(card, self._terminal(card))

    async def card_goes(self, card: Card) -> None:
        """End the shell of a card that is gone, or whose workspace closes."""
        self._directory.remove(card.id)
        terminal = self._terminals.pop(card.id, None)
        if terminal is not None:
            await terminal.end()
            self.hooks.patch_runtime(card.id, None)

    def canvas_changed(self, _workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """Follow a terminal card's renaming."""
        for change in changes:
            if isinstance(change, PutCard) and change.fields is not None and "name" in change.fields:
                terminal = self._terminals.get(change.card.id)
                if terminal is not None:
                    self._put(change.card, terminal)

    async def close(self) -> None:
        """End all shells."""
        terminals = list(self._terminals.values())
        await asyncio.gather(*(terminal.end() for terminal in terminals))
        await self._beside.settle()

    def set_scheme(self, scheme: str) -> None:
        """Answer the programs' queries for colours as the chosen theme has them."""
        self._scheme = "light" if scheme == "light" else "dark"
        for terminal in self._terminals.values():
            terminal.set_scheme(self._scheme)

    # Viewers

    async def attach(self, card_id: str, viewer_id: ConnectionId) -> Picture:
        """Show a program to a viewer, starting a shell that never ran. NOT_FOUND; UNAVAILABLE; FS_ERROR."""
        program = self._shown(card_id)
        if isinstance(program, Terminal):
            await self._start_if_new(program)
        if not self._bus.followers(connection_topic(viewer_id)):
            return program.picture()  # a single question: nothing can follow
        self._viewed.setdefault(viewer_id, set()).add(program.card_id)
        return program.attach(viewer_id)

    def detach(self, card_id: str, viewer_id: ConnectionId) -> None:
        """Stop showing a program to a viewer. NOT_FOUND."""
        self._shown(card_id).detach(viewer_id)
        self._viewed.get(viewer_id, set()).discard(CardId(card_id))

    def connection_gone(self, viewer_id: ConnectionId) -> None:
        """Forget a viewer whose connection ended."""
        for card_id in self._viewed.pop(viewer_id, ()):
            with contextlib.suppress(CallError):  # its card is gone, or its workspace closed
                self._shown(card_id).detach(viewer_id)

    def acknowledge(self, card_id: str, viewer_id: ConnectionId, offset: int) -> None:
        self._shown(card_id).acknowledge(viewer_id, offset)

    def type_keys(self, card_id: str, text: str) -> None:
        """Pass on a person's keys. NOT_FOUND; UNAVAILABLE; BUSY."""
        self._shown(card_id).type_keys(text)

    def resize(self, card_id: str, cols: int, rows: int) -> None:
        self._shown(card_id).resize(cols, rows)

    async def start(self, card_id: str) -> Card:
        """Start a shell that ended or never ran, and give its card. NOT_FOUND; UNAVAILABLE; FS_ERROR."""
        terminal = self._of(card_id)
        await self._start(terminal)
        return self._graph.card(card_id)

    # What cards and clients ask

    def read_screen(self, agent_id: str, lines: int | None) -> str:
        """The text on a program's screen. NOT_FOUND; UNAVAILABLE when nothing runs."""
        return self._shown(agent_id).text(lines)

    async def run(self, agent_id: str, command: str, sender: Sender, timeout_ms: int) -> RunResult:
        """Run a command and wait for its end. NOT_FOUND; BUSY; UNAVAILABLE; INVALID_PARAMS."""
        loop = asyncio.get_running_loop()
        ends_at_s = loop.time() + timeout_ms / 1000
        terminal = self._of(agent_id)
        try:
            run = await self._reserve(terminal, command, sender, timeout_ms / 1000)
        except CallError as error:
            await self._record(terminal, command, sender, error)
            raise
        try:
            run.sender = await self._record(terminal, command, sender)
        except BaseException:
            terminal.release(run)
            raise
        terminal.send(run)
        return await terminal.finish(run, max(ends_at_s - loop.time(), 0))

    async def write(self, agent_id: str, text: str, sender: Sender, *, submit: bool) -> None:
        """Type text. NOT_FOUND; UNAVAILABLE; BUSY."""
        terminal = self._of(agent_id)
        await self._start_if_new(terminal)
        if submit:
            sender = await self._record(terminal, text, sender)
        terminal.type_text(text, submit=submit, sender=sender)

    async def receive(self, delivery: Delivery) -> None:
        """Run a command that came to the `command` port; accepted once its keys are on their way."""
        command = str(delivery.data)
        if utf16_length(command) > limit("terminalWriteChars"):
            raise CallError(ErrorCode.TOO_LARGE, f"a command may have {limit('terminalWriteChars')} characters")
        if delivery.from_card is not None:
            self.hooks.count(delivery.from_card, "terminals.run")
        terminal = self._of(delivery.to.id)
        terminal.send(await self._reserve(terminal, command, Sender(delivery.from_card, delivery.cause), _READY_S))

    # What terminals tell

    def changed(self, card_id: CardId) -> None:
        terminal, card = self._terminals.get(card_id), self._graph.find_card(card_id)
        if terminal is not None and card is not None:
            self.hooks.patch_runtime(card_id, terminal.runtime())
            self._put(card, terminal)

    def command_ended(self, card_id: CardId, command: str, exit_code: int | None, sender: Sender) -> None:
        waiting = self._exits.get(card_id)
        if waiting is not None:
            if len(waiting) >= _EXITS_WAITING:
                _log.warning("terminal %s: an exit event was dropped, its readers are too slow", card_id)
                waiting.popleft()
            waiting.append((command, exit_code, sender))
            return
        self._exits[card_id] = deque([(command, exit_code, sender)])
        self._beside.start(self._emit_exits(card_id))

    async def _emit_exits(self, card_id: CardId) -> None:
        """Send a terminal's exit events one after another."""
        waiting = self._exits[card_id]
        try:
            while waiting:
                command, exit_code, sender = waiting.popleft()
                data: dict[str, Any] = {"type": "exit", "data": {"command": command, "exitCode": exit_code}}
                try:
                    await self.hooks.emit(card_id, "exit", data, sender.cause)
                except CallError as error:
                    _log.warning("terminal %s: its exit event did not go out: %s", card_id, error)
        finally:
            del self._exits[card_id]

    # Inside

    async def _reserve(self, terminal: Terminal, command: str, sender: Sender, timeout_s: float) -> Run:
        await self._start_if_new(terminal)
        return await terminal.reserve(command, sender, timeout_s)

    async def _start_if_new(self, terminal: Terminal) -> None:
        if not terminal.started:
            await self._start(terminal)

    async def _start(self, terminal: Terminal) -> None:
        card = self._graph.card(terminal.card_id)
        workspace = self._graph.workspace(card.workspace_id)
        folder = card.content.get("cwd") or workspace.path
        await asyncio.to_thread(self.hooks.check_folder, folder)
        await terminal.start(folder)

    async def _record(self, terminal: Terminal, command: str, sender: Sender, error: CallError | None = None) -> Sender:
        """Journal a command and give its sender with the cause that its consequences carry on."""
        record = CommandRecord(sender.card_id, terminal.card_id, command, sender.cause, error)
        return replace(sender, cause=await self.hooks.record(record))

    def _shown(self, card_id: str) -> ShownProgram:
        """What runs in a card of any kind that has a terminal. NOT_FOUND; UNAVAILABLE."""
        find = self.programs.get(self._graph.card(card_id).kind)
        return self._of(card_id) if find is None else find(CardId(card_id))

    def _of(self, card_id: str) -> Terminal:
        """NOT_FOUND when the card is no terminal; UNAVAILABLE when its workspace is closed."""
        card = self._graph.card(card_id)
        if card.kind != KIND:
            raise CallError(ErrorCode.NOT_FOUND, f"{card.name!r} is no terminal")
        if not self._graph.is_open(card.workspace_id):
            raise CallError(ErrorCode.UNAVAILABLE, "this terminal's workspace is closed")
        return self._terminal(card)

    def _terminal(self, card: Card) -> Terminal:
        terminal = self._terminals.get(card.id)
        if terminal is None:
            terminal = Terminal(
                card.id,
                find_shell(str(card.content.get("shell") or card.type)),
                self,
                OutputFeed(self._bus, self._clock, self._subscriptions, card.id),
                self._make_viewers,
                times=self._times,
            )
            terminal.set_scheme(self._scheme)
            self._terminals[card.id] = terminal
        return terminal

    def _make_viewers(self, card_id: CardId, picture: Callable[[], Picture]) -> Viewers:
        return Viewers(self._bus, card_id, picture)

    def _put(self, card: Card, terminal: Terminal) -> None:
        """Tell the directory of a terminal's name and status."""
        known = self._directory.find(card.id)
        if known is None:
            info = AgentInfo(card.id, card.name, terminal.shell.id, "shell", terminal.status)
        else:
            info = advance(replace(known, name=card.name), terminal.status, self._clock.now_ms())[0]
        self._directory.put(card.workspace_id, card.id, info)
