"""One agent at its terminal: lives of its program one after another, and the one status made of all they tell.

Everything that can move the status goes through `take` as a signal, in the order it arrived; the pure machine decides.
Spec: harnesses, status machine and start-up chores; decisions 22-24, 45.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId
from cardloom_protocol.themes import Scheme

from ....core.clock import Clock
from ....core.programs import Audience, MakeAudience, Picture, Readers
from ....core.supervised import Supervised
from ....host.console import Console
from ....host.marks import Mark
from ....host.opening_screens import warm_up
from ....host.pty import Launch as Command
from ....host.pty import Size
from ..clock_jumps import kept_up
from ..facts import HookContext
from ..harnesses.shape import Harness, KeyWrite, StartDialog
from ..keys import types_text
from ..signals import (
    Exited,
    InterruptSent,
    Keyed,
    LogRead,
    Printed,
    PromptSent,
    ResumeMissed,
    Signal,
    Spawned,
    SpawnFailed,
    Tick,
    told,
)
from ..state import IN_TURN, AgentState, Published
from ..status import initial, step, wake_at_ms
from ..timing import first_turn_is_due
from .ear import Ear
from .log_watch import LogWatch

_log = logging.getLogger(__name__)

LOG_POLL_AFTER_MS: Final = 15_000
INTERRUPT_WAIT_MS: Final = 2_500
_INTERRUPTS_MOST: Final = 3
_LOOK_AGAIN_S: Final = 0.25
"""Time alone may make something hold, silence for one."""


class SeatEvents(Protocol):
    """What a seat tells the service; none of it may wait."""

    def moved(self, seat: Seat, published: tuple[Published, ...]) -> None:
        """Something that is shown changed; `published` are the changes of status in it, in order."""
        ...

    def session_missed(self, seat: Seat) -> None:
        """The session to continue is not there, and its program was ended: start a fresh one."""
        ...


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that begins one life: the command, and what the launch knows of session and first prompt."""

    command: Command
    session_id: str | None = None
    resumed: bool = False
    prompt_given: bool = False
    reviewed: bool = False


class Seat:
    """One agent. `dangerous` is how its running program was started, `keys_at_ms` when it was last sent any keys."""

    def __init__(
        self,
        card_id: CardId,
        harness: Harness,
        events: SeatEvents,
        clock: Clock,
        make_audience: MakeAudience,
        readers: Readers,
    ) -> None:
        self.card_id = card_id
        self.harness = harness
        self.state: AgentState = initial(harness.rules)
        self.generation = 0
        self.exit_code: int | None = None
        self.folder: str | None = None
        self.dangerous = False
        self._reviewed = False
        self.typed_at_ms: int | None = None
        self.keys_at_ms: int | None = None
        self._events = events
        self._clock = clock
        self._audience: Audience = make_audience(card_id, self.picture)
        self._readers = readers
        self._size = Size()
        self._scheme: Scheme = "dark"
        self._console: Console | None = None
        self._left = False
        self._ear = Ear(harness)
        self._timer: asyncio.TimerHandle | None = None
        self._ended_at_ms = 0
        self._ahead_ms: int | None = None
        self._beside = Supervised(_log, "an agent's work")
        self._log = LogWatch(
            harness.read_log,
            self._beside,
            lambda view: self.take(LogRead(view)),
            self._reads_log,
            lambda: self.state.interrupt_since_ms is not None,
        )
        self._news = asyncio.Event()

    # State

    @property
    def alive(self) -> bool:
        """Whether its program runs now."""
        return self._console is not None and self.state.alive

    @property
    def status(self) -> AgentStatus:
        return self.state.shown

    @property
    def life(self) -> int:
        """Which process life this is; what belongs to an older one is not this program's."""
        return self.state.life

    @property
    def pid(self) -> int | None:
        return None if self._console is None else self._console.pid

    @property
    def size(self) -> Size:
        return self._size

    @property
    def bracketed_paste(self) -> bool:
        return self._console is not None and self._console.bracketed_paste

    @property
    def shows_something(self) -> bool:
        """Whether there is anything to see on the screen of this life of its program."""
        return self._console is not None and bool(self._console.text().strip())

    @property
    def begins_first_turn(self) -> bool:
        """Whether it was just started with a prompt: another one has to wait for the end of that turn."""
        return first_turn_is_due(self.state, self._clock.now_ms())

    @property
    def quiet_ms(self) -> int:
        """For how long it printed nothing."""
        return self._clock.now_ms() - self.state.printed_at_ms

    # Life

    async def begin(self, beginning: Beginning) -> None:
        """Start the program. UNAVAILABLE with the reason; the status then says so too."""
        await asyncio.to_thread(warm_up)
        if self._left:
            raise CallError(ErrorCode.UNAVAILABLE, "this agent's card or workspace was closed meanwhile")
        old, self.folder, self.exit_code = self._console, beginning.command.cwd, None
        self._reviewed = beginning.reviewed
        life = _Life(self)
        console = Console(life, self._size, "", self._scheme, answer_first=self._ear.answer)
        try:
            console.start(beginning.command)
        except CallError as error:
            console.close()
            self.take(SpawnFailed(error.message))
            raise
        self._console = console
        if old is not None:
            old.close()
        self._ear.begin(self._clock.now_ms(), resumed=beginning.resumed)
        self.generation += 1
        self.take(Spawned(beginning.session_id, with_prompt=beginning.prompt_given))
        life.number = self.state.life
        self._audience.repaint_all()

    async def end(self) -> None:
        """End the program and keep its last picture."""
        if self._console is not None:
            await self._console.kill()

    async def leave(self) -> None:
        """End everything: the card is gone, or the server ends."""
        self._left = True
        await self.end()
        if self._timer is not None:
            self._timer.cancel()
        self._beside.cancel()
        if self._console is not None:
            self._console.close()
            self._console = None

    # What it is told

    def take(self, signal: Signal) -> None:
        """Let one signal move the status, and tell what moved."""
        now_ms = self._clock.now_ms()
        before, self._ahead_ms = kept_up(self.state, self._ahead_ms, now_ms, self._clock.steady_ms())
        self.state, published = step(before, signal, now_ms)
        self._news.set()
        self._arm()
        if published and self.state.shown not in IN_TURN:
            self._ended_at_ms = self._clock.now_ms()
        if published:
            self._ear.moved()
        self._log.follow(self.state.log_path)
        if published or before.visible != self.state.visible:
            self._events.moved(self, published)

    def hook(self, event: str, payload: dict[str, Any], life: int, arrived_at_ms: int) -> str:
        """Take what a hook posted and give the JSON that answers it; what an older life asks is answered, no more."""
        result = self.harness.read_hook(event, payload, HookContext(dangerous=self.dangerous, reviewed=self._reviewed))
        for signal in told(result, life, arrived_at_ms):
            self.take(signal)
        return result.reply

    async def until(self, holds: Callable[[], bool], wait_ms: int) -> bool:
        """Wait for something to hold of this seat; False when it did not in time."""
        loop = asyncio.get_running_loop()
        ends_at_s = loop.time() + wait_ms / 1000
        while not holds():
            left_s = ends_at_s - loop.time()
            if left_s <= 0:
                return False
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left_s, _LOOK_AGAIN_S)):
                    await self._news.wait()
        return True

    def fresh_start_failed(self, reason: str) -> None:
        """The launch that should follow a missing session failed: now everybody learns that nothing runs."""
        self.take(SpawnFailed(reason))

    # Viewers

    def attach(self, viewer_id: ConnectionId) -> Picture:
        return self._audience.attach(viewer_id)

    def detach(self, viewer_id: ConnectionId) -> None:
        self._audience.detach(viewer_id)

    def acknowledge(self, viewer_id: ConnectionId, offset: int) -> None:
        self._audience.acknowledge(viewer_id, offset)

    def picture(self) -> Picture:
        console, size = self._console, self._size
        if console is None:
            return Picture(self.generation, 0, size.cols, size.rows, "")
        return Picture(self.generation, console.offset, size.cols, size.rows, console.repaint())

    def resize(self, cols: int, rows: int) -> None:
        size = Size.clamped(cols, rows)
        if size != self._size:
            self._size = size
            if self._console is not None:
                self._console.resize(size)
            self._events.moved(self, ())

    def set_scheme(self, scheme: Scheme) -> None:
        self._scheme = scheme
        if self._console is not None:
            self._console.set_scheme(scheme)

    def text(self, lines: int | None) -> str:
        return self._live().text(lines)

    # Keys

    def type_keys(self, text: str) -> None:
        """Pass on a person's keys. UNAVAILABLE when nothing runs."""
        self.write(text)
        if types_text(text):
            self.typed_at_ms = self._clock.now_ms()
        if "\r" in text:
            self.typed_at_ms = None
        self.take(Keyed(text.encode("utf-8", "replace")))

    def write(self, text: str) -> None:
        """Send keys without taking them for the person's. UNAVAILABLE; BUSY."""
        self._live().write(text)
        self.keys_at_ms = self._clock.now_ms()

    async def press(self, writes: Sequence[KeyWrite]) -> bool:
        """Send keys one after another; False when the program was replaced meanwhile. UNAVAILABLE."""
        life = self.state.life
        for write in writes:
            if write.pause_ms:
                await asyncio.sleep(write.pause_ms / 1000)
            if self.state.life != life or not self.alive:
                return False
            self.write(write.data.decode("utf-8", "replace"))
        return True

    async def interrupt(self) -> None:
        """Press the interrupt keys. UNAVAILABLE.

        Where it takes several, a busy program may miss one: a turn that goes on gets them again.
        """
        self._live()
        turn_at_ms = self.state.turn_at_ms
        for _ in range(_INTERRUPTS_MOST):
            await self.press(self.harness.interrupt)
            self.take(InterruptSent())
            if len(self.harness.interrupt) == 1 or await self.until(
                lambda: self.status is not AgentStatus.WORKING or self.state.turn_at_ms != turn_at_ms, INTERRUPT_WAIT_MS
            ):
                return

    def prompt_sent(self) -> None:
        self.take(PromptSent())

    # What the console tells

    def printed(self, text: str) -> None:
        console = self._console
        if console is None:
            return
        self._audience.add(text, console.offset, self.generation)
        self._readers.add(text.encode())
        for heard in self._ear.hear(text, self.state.life, self._clock.now_ms()):
            if isinstance(heard, StartDialog):
                self._beside.start(self.press(heard.keys))
                continue
            self.take(heard)
            if isinstance(heard, ResumeMissed):
                self._beside.start(self.end())
        self.take(Printed())

    def exited(self, life: int, exit_code: int) -> None:
        self._audience.flush()
        self._readers.flush()  # what it printed reaches its readers before they learn of its end
        self.exit_code = exit_code
        relaunch = self.state.relaunching
        self.take(Exited(life, exit_code))
        if relaunch:
            self._events.session_missed(self)

    # Time and the log

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at_ms = wake_at_ms(self.state)
        if at_ms is not None:
            delay_s = max(at_ms - self._clock.now_ms(), 0) / 1000
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.take(Tick())

    def _reads_log(self) -> bool:
        lately = self._clock.now_ms() - self._ended_at_ms < LOG_POLL_AFTER_MS
        return self.state.alive and (self.state.shown in IN_TURN or lately)

    def _live(self) -> Console:
        if self._console is None or not self.alive:
            raise CallError(ErrorCode.UNAVAILABLE, "this agent does not run; start it first")
        return self._console


class _Life:
    """One life's ear: what an older program still says is nobody's."""

    def __init__(self, seat: Seat) -> None:
        self.number = 0
        self._seat = seat

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        self._seat.printed(text)

    def exited(self, exit_code: int) -> None:
        self._seat.exited(self.number, exit_code)
