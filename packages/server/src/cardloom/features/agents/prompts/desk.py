"""Every prompt passes this desk, whoever sends it: sent now, queued until the turn ends, put in the input box, refused.

A queue gives one prompt a finished turn: not after an error or an interrupt, and not while the agent asks something.
What a card queued is checked again before it goes out, and dropped when the card could not send it any more.
Spec: agents, prompts; harnesses, the queue; decisions 6, 20, 36.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from ....core.call import Cause
from ....core.clock import Clock
from ....core.supervised import Supervised
from ..seats.seat import Seat
from ..state import Published
from .admission import Admission, check_asks_nothing, check_room
from .hands import Hands
from .hooks import Hooks
from .model import Delivered, PromptState, QueuedPrompt, Sender, Unsure, WhenBusy, cleaned_prompt
from .queues import Queues
from .store import PromptStore
from .typist import DRAFT_MS, READY_WAIT_MS

_log = logging.getLogger(__name__)

_BUSY: Final = (AgentStatus.WORKING, AgentStatus.NEEDS_INPUT)
_REFUSALS: Final = (
    ErrorCode.USER_CANCELLED,
    ErrorCode.NOT_VISIBLE,
    ErrorCode.QUOTA_EXCEEDED,
    ErrorCode.BUDGET_PAUSED,
    ErrorCode.PERMISSION_DENIED,
)
"""Why a prompt does not wait for another try."""


class PromptDesk:
    """The way to all agents. `seat_of` gives an agent's seat, or raises NOT_FOUND or UNAVAILABLE."""

    def __init__(self, store: PromptStore, clock: Clock, seat_of: Callable[[str], Seat], hooks: Hooks) -> None:
        self.queues = Queues(store, hooks.queue_changed)
        self._clock = clock
        self._seat_of = seat_of
        self._hooks = hooks
        self._admission = Admission(hooks)
        self._hands = Hands(clock)
        self._draining: set[CardId] = set()
        self._beside = Supervised(_log, "the way of a prompt")

    async def load(self) -> None:
        """Read the queues that an earlier server left."""
        await self.queues.load(self._hooks.is_dangerous)

    async def close(self) -> None:
        await self._beside.end()

    async def card_removed(self, card_id: CardId) -> None:
        """A card is gone: its prompts go nowhere any more. Those that wait for it stay, should it come back."""
        self._hands.forget(card_id)
        await self.recheck()

    # Sending

    async def submit(
        self, agent_id: str, text: str, sender: Sender, *, submit: bool = True, when_busy: WhenBusy = "queue"
    ) -> Delivered:
        """Send a prompt.

        Errors: NOT_FOUND, UNAVAILABLE (does not run; not delivered), BUSY, QUOTA_EXCEEDED (the queue), BUDGET_PAUSED,
        NOT_VISIBLE, USER_CANCELLED, INVALID_PARAMS (no text).
        """
        seat = self._seat_of(agent_id)
        try:
            return await self._submit(seat, cleaned_prompt(text), sender, submit=submit, when_busy=when_busy)
        except CallError as error:
            await self._hooks.record(sender, seat.card_id, text, error)
            raise

    async def accept(self, agent_id: str, text: str, sender: Sender) -> None:
        """Accept a prompt, which is on disk when this returns, and send it as soon as that can be.

        One that is not delivered waits with the reason. What a card sends to a dangerous agent is shown to the owner
        first, and is nowhere before it is approved. NOT_FOUND; UNAVAILABLE: the agent does not run; INVALID_PARAMS;
        QUOTA_EXCEEDED; BUDGET_PAUSED.
        """
        seat, cleaned = self._seat_of(agent_id), cleaned_prompt(text)
        self._admission.check_now(seat, sender)
        if self._admission.is_asked_for(seat, sender):
            if self._must_wait(seat):
                check_room(self.queues.of(seat.card_id), sender)
            self._beside.start(self._submit_approved(seat, cleaned, sender))
            return
        prompt = await self._put_last(seat, cleaned, sender, room=self._must_wait(seat))
        self._beside.start(self._send_accepted(seat, prompt.id))

    async def given(self, agent_id: str, text: str) -> None:
        """Tell of a first prompt that the owner's start took along: it needs no typing, but it is a prompt."""
        seat, owner = self._seat_of(agent_id), Sender()
        self._hooks.went_out(owner, seat.card_id, self._clock.now_ms())
        await self._hooks.record(owner, seat.card_id, text, None)

    async def _submit_approved(self, seat: Seat, text: str, sender: Sender) -> None:
        try:
            await self._submit(seat, text, sender, submit=True, when_busy="queue")
        except CallError as error:
            await self._hooks.record(sender, seat.card_id, text, error)
            if error.code not in _REFUSALS:
                state: PromptState = "unsure" if isinstance(error, Unsure) else "waiting"
                prompt = replace(self._new(seat, text, sender), problem=error.message, state=state)
                await self.queues.change(seat.card_id, lambda queue: [prompt, *queue])

    async def _send_accepted(self, seat: Seat, prompt_id: str) -> None:
        await self._until_relaunched(seat)
        async with self._hands.lock(seat):
            await self._drop_refused(seat.card_id)
            prompt = next((one for one in self.queues.of(seat.card_id) if one.id == prompt_id), None)
            if prompt is not None and prompt.state == "waiting" and not self._must_wait(seat):
                await self._try(seat, prompt)
        self.look_again(seat)

    async def _until_relaunched(self, seat: Seat) -> None:
        if seat.state.relaunching:  # nobody is to see that its session was gone
            await seat.until(lambda: not seat.state.relaunching, READY_WAIT_MS)

    async def _submit(self, seat: Seat, text: str, sender: Sender, *, submit: bool, when_busy: WhenBusy) -> Delivered:
        await self._until_relaunched(seat)
        self._admission.check_now(seat, sender)
        if self._admission.is_asked_for(seat, sender):
            await self._hooks.ask_owner(sender, seat.card_id, text)
        if not submit:
            check_asks_nothing(seat)
            async with self._hands.lock(seat):
                await self._hands.insert(seat, text)
            await self._record(sender, seat.card_id, text)
            return "inserted"
        if self._must_wait(seat) and when_busy != "send":
            return await self._line_up(seat, text, sender, when_busy)
        async with self._hands.lock(seat):
            if self._must_wait(seat) and when_busy != "send":
                return await self._line_up(seat, text, sender, when_busy)
            check_asks_nothing(seat)
            try:
                typed_at_ms = await self._hands.type(seat, text)
            except CallError as error:
                if error.code is ErrorCode.BUSY and when_busy == "queue":
                    return await self._enqueue(seat, text, sender)
                raise
        self._hooks.went_out(sender, seat.card_id, typed_at_ms)
        await self._record(sender, seat.card_id, text)
        return "sent"

    async def _line_up(self, seat: Seat, text: str, sender: Sender, when_busy: WhenBusy) -> Delivered:
        if when_busy == "fail":
            raise CallError(ErrorCode.BUSY, "this agent works")
        return await self._enqueue(seat, text, sender)

    async def _record(self, sender: Sender, agent_id: CardId, text: str) -> Cause | None:
        if sender.recorded:
            return sender.cause
        return await self._hooks.record(sender, agent_id, text, None)

    def _must_wait(self, seat: Seat) -> bool:
        waits = self._may_drain(seat) and self._next(seat) is not None
        busy = seat.status in _BUSY or seat.begins_first_turn
        return busy or self._hands.are_typing(seat) or waits

    async def _enqueue(self, seat: Seat, text: str, sender: Sender) -> Delivered:
        await self._put_last(seat, text, sender, room=True)
        self.look_again(seat)
        return "queued"

    async def _put_last(self, seat: Seat, text: str, sender: Sender, *, room: bool) -> QueuedPrompt:
        """Put a prompt at the end of the queue; with `room` only as far as cards' prompts may wait."""
        if room:
            check_room(self.queues.of(seat.card_id), sender)
        cause = await self._record(sender, seat.card_id, text)
        prompt = self._new(seat, text, replace(sender, cause=cause))

        def longer(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            if room:
                check_room(queue, sender)
            return [*queue, prompt]

        await self.queues.change(seat.card_id, longer)
        return prompt

    # The queue

    def waiting(self, agent_id: CardId) -> Sequence[QueuedPrompt]:
        """The prompts that wait for an agent, the next one first."""
        return self.queues.of(agent_id)

    async def send_now(self, agent_id: str, prompt_id: str) -> Delivered:
        """Send a waiting prompt without waiting. NOT_FOUND; the errors of `submit`; then it waits on."""
        seat = self._seat_of(agent_id)
        self.queues.find(seat.card_id, prompt_id)
        async with self._hands.lock(seat):
            prompt = self.queues.find(seat.card_id, prompt_id)
            self._admission.check_waiting(prompt)
            check_asks_nothing(seat)
            await self._send(seat, prompt)
        return "sent"

    async def _send(self, seat: Seat, prompt: QueuedPrompt) -> None:
        """Type a waiting prompt and take it out of the queue; whoever calls holds the hand of the seat.

        From before its first key until it is out, the disk says that it may have been delivered.
        """
        agent_id, problem = seat.card_id, None
        await self.queues.begin(agent_id, prompt.id)
        try:
            try:
                typed_at_ms = await self._hands.type(seat, prompt.text)
            except Unsure as error:
                problem = error.message
                raise
            except CallError as error:
                await self.queues.keep(agent_id, prompt.id, error.message)
                raise
            await self.queues.take(agent_id, prompt.id)
        finally:
            self.queues.doubt(agent_id, prompt.id, problem)
        self._hooks.went_out(prompt.sender, agent_id, typed_at_ms)

    def recheck_soon(self) -> None:
        """Something changed on which waiting prompts may depend."""
        if self.queues.agents():
            self._beside.start(self.recheck())

    async def recheck(self) -> None:
        """Drop what its sender could not send any more: an arrow, a card or a permission went."""
        for agent_id in self.queues.agents():
            await self._drop_refused(agent_id)

    # Draining

    def moved(self, seat: Seat, published: Sequence[Published]) -> None:
        """A status changed: a finished turn lets the next prompt go out."""
        if published:
            self.look_again(seat)

    def look_again(self, seat: Seat) -> None:
        if self.queues.of(seat.card_id) and self._may_drain(seat) and seat.card_id not in self._draining:
            self._draining.add(seat.card_id)
            self._beside.start(self._drain(seat))

    def look_everywhere_again(self) -> None:
        """Something changed for which prompts of cards may have waited, such as a budget."""
        for agent_id in self.queues.agents():
            with suppress(CallError):
                self.look_again(self._seat_of(agent_id))

    def _next(self, seat: Seat) -> QueuedPrompt | None:
        """The prompt that goes out next. Nobody waits behind prompts of cards that a budget holds back."""
        return next((one for one in self.queues.of(seat.card_id) if self._admission.held_back(one) is None), None)

    def _may_drain(self, seat: Seat) -> bool:
        """Whether a turn ended as it should: not by an error, and not by somebody who wanted it to stop."""
        return seat.alive and seat.status is AgentStatus.FINISHED and seat.state.error is None

    async def _drain(self, seat: Seat) -> None:
        try:
            async with self._hands.lock(seat):
                await self._drop_refused(seat.card_id)
                await self._tell_held_back(seat)
                prompt = self._next(seat)
                if prompt is not None and prompt.state == "waiting" and self._may_drain(seat):
                    await self._try(seat, prompt)
        finally:
            self._draining.discard(seat.card_id)

    async def _try(self, seat: Seat, prompt: QueuedPrompt) -> None:
        """Send a waiting prompt; one that cannot go out now waits on and shows why."""
        if self._admission.held_back(prompt) is not None:
            await self._tell_held_back(seat)
            return
        try:
            await self._send(seat, prompt)
        except CallError as error:
            if error.code is ErrorCode.BUSY:
                self._beside.start(self._look_again_later(seat))

    async def _look_again_later(self, seat: Seat) -> None:
        await asyncio.sleep(DRAFT_MS / 1000)
        self.look_again(seat)

    async def _tell_held_back(self, seat: Seat) -> None:
        """Let every prompt that a budget holds back show why."""

        def told(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            whys = [(one, self._admission.held_back(one)) for one in queue]
            return [one if why is None else replace(one, problem=why.message) for one, why in whys]

        await self.queues.change(seat.card_id, told)

    async def _drop_refused(self, agent_id: CardId) -> None:
        refused: list[tuple[QueuedPrompt, CallError]] = []

        def allowed(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            refused.extend((one, why) for one in queue if (why := self._admission.refusal(one)) is not None)
            gone = [one.id for one, _ in refused]
            return [one for one in queue if one.id not in gone]

        await self.queues.change(agent_id, allowed)
        for one, why in refused:
            await self._hooks.record(one.sender, agent_id, one.text, why)

    # Inside

    def _new(self, seat: Seat, text: str, sender: Sender) -> QueuedPrompt:
        """A prompt that begins to wait; for a dangerous agent the owner was asked before it came here."""
        approved = self._hooks.is_dangerous(seat.card_id)
        now_ms = self._clock.now_ms()
        return QueuedPrompt(secrets.token_hex(8), seat.card_id, text, sender, now_ms, approved=approved)
