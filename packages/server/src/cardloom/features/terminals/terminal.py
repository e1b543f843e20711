"""The terminal of one card: lives of its shell one after another, each with a generation number, and their viewers.

The shell belongs to the server and not to any page. One command is sent at a time, only at an untouched prompt.
Spec: harnesses, shell integration and screen mirror; decisions 39, 45.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId
from cardloom_protocol.themes import Scheme

from ...core.programs import Picture
from ...host.console import Console
from ...host.marks import Mark
from ...host.opening_screens import warm_up
from ...host.pty import Size
from ...host.shells import Shell, launch, new_nonce
from .model import (
    Ended,
    Phase,
    Ready,
    Started,
    Tracker,
    keys_for_command,
    keys_for_text,
    shown_status,
    without_answers,
)
from .output import OutputFeed
from .quiet import DEFAULT_TIMES, Times, Watch
from .runs import Run, RunResult, Sender
from .viewers import Viewers

_INTERRUPT: Final = "\x03"


class TerminalEvents(Protocol):
    """What a terminal tells the service; none of it may wait."""

    def changed(self, card_id: CardId) -> None:
        """Status, process or size changed."""
        ...

    def command_ended(self, card_id: CardId, command: str, exit_code: int | None, sender: Sender) -> None: ...


class Terminal:
    """One terminal. `folder` gives where its shell starts, or raises why it cannot."""

    def __init__(
        self,
        card_id: CardId,
        shell: Shell,
        events: TerminalEvents,
        output: OutputFeed,
        make_viewers: Callable[[CardId, Callable[[], Picture]], Viewers],
        *,
        times: Times = DEFAULT_TIMES,
    ) -> None:
        self.card_id = card_id
        self.shell = shell
        self.generation = 0
        self.exit_code: int | None = None
        self.folder: str | None = None
        self._events = events
        self._output = output
        self._viewers = make_viewers(card_id, self.picture)
        self._times = times
        self._size = Size()
        self._scheme: Scheme = "dark"
        self._tracker = Tracker()
        self._console: Console | None = None
        self._run: Run | None = None
        self._typed_by: Sender | None = None
        self._worked = False
        self._printed_at_s = 0.0
        self._line_begun = False
        self._starting = asyncio.Lock()
        self._ready = asyncio.Event()
        self._news = asyncio.Event()
        self._watch = Watch(self._look)

    # State

    @property
    def started(self) -> bool:
        """Whether its shell was ever started."""
        return self.generation > 0

    @property
    def alive(self) -> bool:
        """Whether its shell runs now."""
        return self._console is not None and self._tracker.phase is not Phase.ENDED

    @property
    def status(self) -> AgentStatus:
        if not self.started:
            return AgentStatus.IDLE
        if self._tracker.phase is Phase.UNMARKED and self._run is not None:
            return AgentStatus.WORKING
        return shown_status(self._tracker.phase, worked=self._worked)

    def runtime(self) -> dict[str, Any] | None:
        """What the card shows of it; None before the first start."""
        if not self.started:
            return None
        starting = self._tracker.phase is Phase.STARTING
        return {
            "status": "starting" if starting else self.status.value,
            "pid": None if self._console is None else self._console.pid,
            "cwd": self.folder,
            "command": self._tracker.command if self._tracker.phase is Phase.RUNNING else None,
            "exitCode": self.exit_code,
            "cols": self._size.cols,
            "rows": self._size.rows,
            "integration": self._tracker.integrated,
            "generation": self.generation,
        }

    # Life

    async def start(self, folder: str) -> None:
        """Start the shell where it does not run. UNAVAILABLE with the reason when it cannot."""
        async with self._starting:
            if self.alive:
                return
            await asyncio.to_thread(warm_up)
            nonce = new_nonce()
            prepared = launch(self.shell, folder, nonce)
            old, fresh = self._console, Console(self, self._size, nonce, self._scheme)
            tracker, self._tracker = self._tracker, Tracker(marks_start=self.shell.marks_start)
            self._console = fresh
            self.generation += 1
            self._ready.clear()
            try:
                fresh.start(prepared)
            except CallError:
                self._console, self._tracker = old, tracker
                self.generation -= 1
                fresh.close()
                raise
            if old is not None:
                old.close()
            self.folder = folder
            self.exit_code = None
            self._worked = False
            self._line_begun = False
            self._arm()
            self._viewers.repaint_all()
            self._events.changed(self.card_id)

    async def end(self) -> None:
        """End the shell and forget the screen."""
        async with self._starting:
            if self._console is not None:
                await self._console.kill()
                self._console.close()
                self._console = None

    # Viewers

    def attach(self, viewer_id: ConnectionId) -> Picture:
        """Take in a viewer."""
        return self._viewers.attach(viewer_id)

    def detach(self, viewer_id: ConnectionId) -> None:
        self._viewers.detach(viewer_id)

    def acknowledge(self, viewer_id: ConnectionId, offset: int) -> None:
        self._viewers.acknowledge(viewer_id, offset)

    def resize(self, cols: int, rows: int) -> None:
        """Set the size, within the limits."""
        size = Size.clamped(cols, rows)
        if size != self._size:
            self._size = size
            if self._console is not None:
                self._console.resize(size)
            self._events.changed(self.card_id)

    def set_scheme(self, scheme: Scheme) -> None:
        self._scheme = scheme
        if self._console is not None:
            self._console.set_scheme(scheme)

    # Keys and commands

    def type_keys(self, text: str) -> None:
        """Pass on what a person typed at the terminal. UNAVAILABLE when nothing runs."""
        keys = without_answers(text)
        if keys:
            self._send(keys, None)

    def type_text(self, text: str, *, submit: bool, sender: Sender) -> None:
        """Type text for a card. UNAVAILABLE when nothing runs."""
        keys = keys_for_text(text, submit=submit, bracketed_paste=self._live().bracketed_paste)
        self._send(keys, sender if submit else None)

    async def reserve(self, command: str, sender: Sender, timeout_s: float) -> Run:
        """Make a command the next one, waiting for a prompt that is on its way.

        BUSY while another runs, somebody types at the prompt, or no prompt comes in time; UNAVAILABLE when the shell
        ended; INVALID_PARAMS for a command that cannot be typed.
        """
        self._check_free()
        try:
            async with asyncio.timeout(timeout_s):
                await self._ready.wait()
        except TimeoutError as error:
            raise CallError(ErrorCode.BUSY, "the shell in this terminal is not ready yet") from error
        if "\n" in command or "\t" in command:
            await self._paste_allowed()
        self._check_free()
        keys = keys_for_command(command, bracketed_paste=self._live().bracketed_paste)
        run = Run(command, sender, keys, asyncio.get_running_loop().create_future())
        self._run = run
        return run

    def send(self, run: Run) -> None:
        """Send a reserved command. The errors of `reserve`, when something came between."""
        try:
            if run.done.done():
                self._live()
            self._check_free(run)
            run.sent = True
            self._send(run.keys, None)
        except CallError:
            self.release(run)
            raise
        if self._tracker.phase is Phase.UNMARKED:
            run.begin_untold()
            self._arm()
            self._events.changed(self.card_id)

    def release(self, run: Run) -> None:
        """Give up a reserved command."""
        if self._run is run:
            self._run = None

    async def _paste_allowed(self) -> None:
        """Give the shell the moment that it may take from its prompt to allowing pastes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._times.quiet_s):
                while not self._live().bracketed_paste:
                    self._news.clear()
                    await self._news.wait()

    def _check_free(self, run: Run | None = None) -> None:
        self._live()
        if self._run is not run or self._tracker.phase is Phase.RUNNING:
            raise CallError(ErrorCode.BUSY, "a command is running in this terminal")
        if self._tracker.draft:
            raise CallError(ErrorCode.BUSY, "somebody is typing in this terminal")

    async def finish(self, run: Run, timeout_s: float) -> RunResult:
        """Wait for a command's end; after the time its output so far is the result and it goes on running."""
        await asyncio.wait([run.done], timeout=timeout_s)
        if run.done.done():
            return run.result(timed_out=False)
        if not run.begun and self._run is run:
            # The shell wants more of it (a quote is open, say): take the line back, or the next one would follow it.
            self._run = None
            self._send(_INTERRUPT, None)
        return run.result(timed_out=True)

    def text(self, lines: int | None) -> str:
        """The text on the screen. UNAVAILABLE when nothing runs."""
        return self._live().text(lines)

    # What the console tells

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        console = self._console
        if console is None:
            return
        self._printed_at_s = asyncio.get_running_loop().time()
        self._line_begun = not text.endswith(("\n", "\r"))
        self._news.set()
        self._viewers.add(text, console.offset, self.generation)
        for piece in pieces:
            if isinstance(piece, bytes):
                self._output.add(piece)
                if self._run is not None and self._run.begun:
                    self._run.capture.feed(piece)
            for fact in self._tracker.take(piece):
                self._learn(fact)

    def exited(self, exit_code: int) -> None:
        self._watch.stop()
        self._viewers.flush()
        self._output.flush()
        was_running = self._tracker.phase is Phase.RUNNING
        run = self._run if self._run is not None and self._run.sent else None
        command, sender = self._tracker.command, self._taken_sender()
        self._tracker.phase = Phase.ENDED
        self.exit_code = exit_code
        self._run = None
        self._ready.set()  # who waits for a prompt learns that there will be none
        if run is not None:
            run.end(exit_code)
        if was_running or run is not None:
            self._events.command_ended(
                self.card_id, run.command if run else command, exit_code, run.sender if run else sender
            )
        self._events.changed(self.card_id)

    def _learn(self, fact: Ready | Started | Ended) -> None:
        match fact:
            case Ready():
                self._watch.stop()
                self._ready.set()
                if self._run is not None and self._run.begun:
                    # Sent ahead of the first prompt: the line editor reads it now, or start-up files did before.
                    self._watch.wait(self._times.marks_wait_s)
            case Started():
                self._watch.stop()
                self._ready.clear()
                if self._run is not None and self._run.sent:
                    self._run.begin_told(self.shell)
                    self._tracker.command = self._run.command
            case Ended(command, exit_code):
                run = self._run if self._run is not None and self._run.begun else None
                if run is not None:
                    self._run = None
                sender = self._taken_sender() if run is None else run.sender
                self._worked = True
                self.exit_code = exit_code
                self._output.flush()  # what a command printed reaches its readers before its exit event
                if run is not None:
                    run.end(exit_code)
                self._events.command_ended(self.card_id, run.command if run else command, exit_code, sender)
        self._events.changed(self.card_id)

    def _send(self, keys: str, sender: Sender | None) -> None:
        console = self._live()
        console.write(keys)
        at_prompt = self._tracker.phase is Phase.PROMPT
        for fact in self._tracker.typed(keys):
            self._learn(fact)
        if self._tracker.phase is Phase.PREPARING:
            self._ready.clear()
        if at_prompt and "\r" in keys:
            self._typed_by = sender

    def _taken_sender(self) -> Sender:
        sender, self._typed_by = self._typed_by, None
        return sender or Sender()

    def _live(self) -> Console:
        if self._console is None or not self.alive:
            raise CallError(ErrorCode.UNAVAILABLE, "nothing runs in this terminal; start it first")
        return self._console

    def picture(self) -> Picture:
        """What there is to see now."""
        console = self._console
        size = self._size
        if console is None:
            return Picture(self.generation, 0, size.cols, size.rows, "")
        return Picture(self.generation, console.offset, size.cols, size.rows, console.repaint())

    # Shells without marks

    def _arm(self) -> None:
        self._watch.wait(self._times.marks_wait_s if self._run is None else self._times.quiet_s)

    def _look(self) -> None:
        """See whether a shell that tells nothing is ready for a command, or done with one."""
        console = self._console
        sent_ahead = self._tracker.phase is Phase.PROMPT and self._run is not None and self._run.begun
        if console is None or not (sent_ahead or self._tracker.phase in (Phase.STARTING, Phase.UNMARKED)):
            return
        quiet_s = self._times.marks_wait_s if sent_ahead else self._times.quiet_s
        now_s = asyncio.get_running_loop().time()
        quiet = now_s - self._printed_at_s >= quiet_s and console.at_rest()
        starting = self._tracker.phase is Phase.STARTING
        if not quiet or (starting and not (console.edits_lines() or self._line_begun)):
            # Something runs, or start-up files take their time: there is no line editor and no prompt yet.
            self._watch.wait(self._times.quiet_s)
        elif starting:
            self._tracker.phase = Phase.UNMARKED
            self._learn(Ready())
        elif self._run is not None and self._run.begun:
            self._learn(Ended(self._run.command, None))
