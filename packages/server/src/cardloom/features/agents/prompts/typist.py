"""Types prompts into an agent's program, one after another, and sees that a turn begins.

Spec: harnesses, prompt delivery into a TUI.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode

from ....core.clock import Clock
from ..seats.seat import Seat
from ..signals import Source
from .model import ENTER_AFTER_MS, Unsure, typed

READY_QUIET_MS: Final = 1_500
READY_UNMARKED_MS: Final = 6_000
"""How long a program is silent that takes input although it never asked for pasted text to be marked."""
SHOW_WAIT_MS: Final = 90_000
"""How long a program may show nothing at all: a large one on a busy machine takes more than a minute."""
READY_WAIT_MS: Final = 30_000
KEYS_SETTLE_MS: Final = 700
"""What is typed right behind an Escape is read together with it, or by the dialog that it closes."""
DRAFT_MS: Final = 30_000
BEGUN_WAIT_MS: Final = 5_000
_BEGUN: Final = (AgentStatus.WORKING, AgentStatus.NEEDS_INPUT, AgentStatus.FINISHED)


class Typist:
    """The hands at one agent's keyboard. Whoever types waits for who types before."""

    def __init__(self, seat: Seat, clock: Clock) -> None:
        self.seat = seat
        self._clock = clock
        self._turn = asyncio.Lock()
        self._begun_generation = 0

    async def insert(self, text: str) -> None:
        """Put a text into the input box and leave it there. UNAVAILABLE; BUSY while somebody writes there."""
        async with self._turn:
            await self._ready()
            self._refuse_draft()
            await self._clear_what_came_back()
            self.seat.write(typed(text, bracketed_paste=self.seat.bracketed_paste))

    async def submit(self, text: str) -> None:
        """Submit a prompt.

        BUSY: a draft stands in the input box; UNAVAILABLE: it was not delivered, and why; as `Unsure`, perhaps it was.
        """
        async with self._turn:
            await self._ready()
            self._refuse_draft()
            await self._clear_what_came_back()
            seat, life, was_working = self.seat, self.seat.state.life, self.seat.status is AgentStatus.WORKING
            seat.write(typed(text, bracketed_paste=seat.bracketed_paste))
            await asyncio.sleep(ENTER_AFTER_MS / 1000)
            self._press_enter(life)
            if was_working or not seat.harness.rules.hooks:
                return  # it waits inside the program, or nothing but output could tell
            if await self._begins(life):
                return
            self._press_enter_again(life)
            if not await self._begins(life):
                raise Unsure(
                    ErrorCode.UNAVAILABLE, "the prompt was typed, but the agent began no turn; look at its terminal"
                )

    def _press_enter(self, life: int) -> None:
        if self.seat.state.life != life or not self.seat.alive:
            raise CallError(ErrorCode.UNAVAILABLE, "the agent's program ended while the prompt was typed")
        self.seat.prompt_sent()
        self.seat.write("\r")

    def _press_enter_again(self, life: int) -> None:
        try:
            self._press_enter(life)
        except CallError as error:
            raise Unsure(error.code, error.message) from error

    async def _ready(self) -> None:
        """Wait until a program that just started takes input, and until keys that were sent before have been read."""
        seat = self.seat
        if self._begun_generation != seat.generation and seat.status is AgentStatus.IDLE:
            await self._wait(lambda: seat.shows_something, SHOW_WAIT_MS)
            await self._wait(self._takes_input, READY_WAIT_MS)
            if not seat.alive:
                raise CallError(ErrorCode.UNAVAILABLE, "this agent does not run; start it first")
        self._begun_generation = seat.generation
        if not self._keys_are_read():
            await seat.until(self._keys_are_read, KEYS_SETTLE_MS)

    async def _wait(self, holds: Callable[[], bool], wait_ms: int) -> None:
        if not holds():
            await self.seat.until(lambda: holds() or self._is_gone(), wait_ms)

    def _keys_are_read(self) -> bool:
        keys_at_ms = self.seat.keys_at_ms
        return keys_at_ms is None or self._clock.now_ms() - keys_at_ms >= KEYS_SETTLE_MS

    def _is_gone(self) -> bool:
        """Whether nothing runs and nothing takes the place of what ran."""
        return not self.seat.alive and not self.seat.state.relaunching

    def _takes_input(self) -> bool:
        """Quiet alone does not tell: OpenCode switches its screen, and draws on it and reads keys seconds later."""
        seat = self.seat
        needed_ms = READY_QUIET_MS if seat.bracketed_paste else READY_UNMARKED_MS
        return seat.alive and seat.quiet_ms >= needed_ms and seat.shows_something

    def _refuse_draft(self) -> None:
        typed_at_ms = self.seat.typed_at_ms
        if typed_at_ms is not None and 0 <= self._clock.now_ms() - typed_at_ms < DRAFT_MS:
            raise CallError(ErrorCode.BUSY, "somebody is writing in this agent's input box")

    async def _clear_what_came_back(self) -> None:
        """Empty the input box of a program that puts an interrupted prompt back into it."""
        evidence = self.seat.state.evidence
        interrupted = evidence is not None and evidence.source is not Source.PROCESS
        if interrupted and self.seat.status is AgentStatus.IDLE:
            await self.seat.press(self.seat.harness.clear_line)

    async def _begins(self, life: int) -> bool:
        """Whether the turn begins in time: the status or what it rests on moved since Enter."""
        seat, state = self.seat, self.seat.state

        def begun() -> bool:
            now = seat.state
            moved = now.status is not state.status or now.evidence != state.evidence
            return now.life != life or (moved and now.status in _BEGUN)

        return await seat.until(begun, BEGUN_WAIT_MS)
