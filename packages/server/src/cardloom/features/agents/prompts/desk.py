"""Every prompt passes this desk, whoever sends it: sent now, queued until the turn ends, put in the input box, refused.

A queue gives one prompt a finished turn: not after an error or an interrupt, and not while the agent asks something.
What a card queued is checked again before it goes out, and dropped when the card could not send it any more.
Spec: agents, prompts; harnesses, the queue; decisions 6, 20, 36.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit

from ....core.call import Cause
from ....core.clock import Clock
from ..seats.seat import Seat
from ..state import Published
from .model import Delivered, QueuedPrompt, Sender, WhenBusy, cleaned_prompt
from .store import PromptStore
from .typist import DRAFT_MS, READY_WAIT_MS, Typist

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

RecordPrompt: TypeAlias = Callable[[Sender, CardId, str, CallError | None], Awaitable[Cause | None]]
CheckSender: TypeAlias = Callable[[Sender, CardId], None]
AskOwner: TypeAlias = Callable[[Sender, CardId, str], Awaitable[None]]
CheckBudget: TypeAlias = Callable[[CardId], None]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What other features do for prompts.

    `record` writes a prompt, or its refusal, into the journal. `check_sender` raises why a card may not prompt this
    agent now. `ask_owner` shows a dangerous agent's prompt and raises USER_CANCELLED or NOT_VISIBLE. `check_budget`
    raises BUDGET_PAUSED. `queue_changed` is told after every change, `went_out` of every prompt
    that reached its agent, and when it was typed.
    """

    record: RecordPrompt
    check_sender: CheckSender
    ask_owner: AskOwner
    check_budget: CheckBudget
    is_dangerous: Callable[[CardId], bool]
    queue_changed: Callable[[CardId], None]
    went_out: Callable[[Sender, CardId, int], None]


class PromptDesk:
    """The queues of all agents. `seat_of` gives an agent's seat, or raises NOT_FOUND or UNAVAILABLE."""

    def __init__(self, store: PromptStore, clock: Clock, seat_of: Callable[[str], Seat], hooks: Hooks) -> None:
        self._store = store
        self._clock = clock
        self._seat_of = seat_of
        self._hooks = hooks
        self._queues: dict[CardId, list[QueuedPrompt]] = {}
        self._typists: dict[CardId, Typist] = {}
        self._draining: set[CardId] = set()
        self._hands: dict[CardId, asyncio.Lock] = {}
        self._typed: dict[CardId, str] = {}
        self._approved: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self) -> None:
        """Read the queues that an earlier server left."""
        self._queues = await self._store.load()
        waiting = (one for queue in self._queues.values() for one in queue)
        self._approved = {one.id for one in waiting if self._hooks.is_dangerous(one.agent_id)}  # else it were dropped

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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

    def submit_later(self, agent_id: str, text: str, sender: Sender) -> None:
        """Accept a prompt and send it as soon as that can be; one that is not delivered then waits with the reason.

        NOT_FOUND; UNAVAILABLE: the agent does not run; INVALID_PARAMS; QUOTA_EXCEEDED; BUDGET_PAUSED.
        """
        seat, cleaned = self._seat_of(agent_id), cleaned_prompt(text)
        self._check_now(seat, sender)
        if self._must_wait(seat):
            self._check_room(seat, sender)
        self._spawn(self._submit_accepted(seat, cleaned, sender))

    async def _submit_accepted(self, seat: Seat, text: str, sender: Sender) -> None:
        try:
            await self._submit(seat, text, sender, submit=True, when_busy="queue")
        except CallError as error:
            await self._hooks.record(sender, seat.card_id, text, error)
            if error.code not in _REFUSALS:
                prompt = replace(self._new(seat, text, sender), problem=error.message)
                await self._put(seat.card_id, [prompt, *self._now(seat)])

    async def _submit(self, seat: Seat, text: str, sender: Sender, *, submit: bool, when_busy: WhenBusy) -> Delivered:
        if seat.state.relaunching:  # nobody is to see that its session was gone
            await seat.until(lambda: not seat.state.relaunching, READY_WAIT_MS)
        self._check_now(seat, sender)
        if sender.card_id is not None and self._hooks.is_dangerous(seat.card_id):
            await self._hooks.ask_owner(sender, seat.card_id, text)
        if not submit:
            if seat.status is AgentStatus.NEEDS_INPUT:
                raise CallError(ErrorCode.BUSY, "this agent asks something; answer it first")
            async with self._hand(seat):
                await self._typist(seat).insert(text)
            await self._record(sender, seat.card_id, text)
            return "inserted"
        if self._must_wait(seat) and when_busy != "send":
            return await self._line_up(seat, text, sender, when_busy)
        async with self._hand(seat):
            if self._must_wait(seat) and when_busy != "send":
                return await self._line_up(seat, text, sender, when_busy)
            if seat.status is AgentStatus.NEEDS_INPUT:
                raise CallError(ErrorCode.BUSY, "this agent asks something; answer it first")
            try:
                await self._type(seat, "", text, sender)
            except CallError as error:
                if error.code is ErrorCode.BUSY and when_busy == "queue":
                    return await self._enqueue(seat, text, sender)
                raise
        await self._record(sender, seat.card_id, text)
        return "sent"

    async def _line_up(self, seat: Seat, text: str, sender: Sender, when_busy: WhenBusy) -> Delivered:
        if when_busy == "fail":
            raise CallError(ErrorCode.BUSY, "this agent works")
        return await self._enqueue(seat, text, sender)

    async def _type(self, seat: Seat, prompt_id: str, text: str, sender: Sender) -> None:
        """Type a prompt; whoever calls holds the hand of the seat."""
        typed_at_ms = self._clock.now_ms()
        self._typed[seat.card_id] = prompt_id
        try:
            await self._typist(seat).submit(text)
        finally:
            del self._typed[seat.card_id]
        self._hooks.went_out(sender, seat.card_id, typed_at_ms)

    def _check_now(self, seat: Seat, sender: Sender) -> None:
        if not seat.alive:
            raise CallError(ErrorCode.UNAVAILABLE, "this agent does not run; start it first")
        if sender.card_id is not None:
            self._hooks.check_budget(seat.card_id)

    def _check_room(self, seat: Seat, sender: Sender) -> None:
        of_cards = sum(one.sender.card_id is not None for one in self._now(seat))
        most = limit("queuedPrompts")
        if sender.card_id is not None and of_cards >= most:
            raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{most} prompts of cards wait for this agent already")

    async def _record(self, sender: Sender, agent_id: CardId, text: str) -> Cause | None:
        if sender.recorded:
            return sender.cause
        return await self._hooks.record(sender, agent_id, text, None)

    def _must_wait(self, seat: Seat) -> bool:
        waits = bool(self._queues.get(seat.card_id)) and self._may_drain(seat)
        return seat.status in _BUSY or seat.card_id in self._typed or waits

    async def _enqueue(self, seat: Seat, text: str, sender: Sender) -> Delivered:
        self._check_room(seat, sender)
        cause = await self._record(sender, seat.card_id, text)
        prompt = self._new(seat, text, replace(sender, cause=cause))
        try:
            await self._put(seat.card_id, [*self._now(seat), prompt])
        except CallError:
            self._queues[seat.card_id] = [one for one in self._now(seat) if one is not prompt]
            raise
        self.look_again(seat)
        return "queued"

    # The queue

    def waiting(self, agent_id: CardId) -> Sequence[QueuedPrompt]:
        """The prompts that wait for an agent, the next one first."""
        return tuple(self._queues.get(agent_id, ()))

    async def edit(self, agent_id: CardId, prompt_id: str, text: str) -> None:
        """Change a waiting prompt. NOT_FOUND when it waits no more; BUSY while it is typed; INVALID_PARAMS: no text."""
        cleaned, prompt = cleaned_prompt(text), self._find_still(agent_id, prompt_id)
        edited = replace(prompt, text=cleaned, problem=None)
        await self._put(agent_id, [edited if one is prompt else one for one in self._queues[agent_id]])

    async def move(self, agent_id: CardId, prompt_id: str, index: int) -> None:
        """Move a waiting prompt. NOT_FOUND."""
        prompt = self._find(agent_id, prompt_id)
        queue = [one for one in self._queues[agent_id] if one is not prompt]
        queue.insert(index, prompt)
        await self._put(agent_id, queue)

    async def cancel(self, agent_id: CardId, prompt_id: str) -> None:
        """Take a waiting prompt away. NOT_FOUND; BUSY while it is typed."""
        prompt = self._find_still(agent_id, prompt_id)
        await self._put(agent_id, [one for one in self._queues[agent_id] if one is not prompt])

    async def send_now(self, agent_id: str, prompt_id: str) -> Delivered:
        """Send a waiting prompt without waiting. NOT_FOUND; the errors of `submit`; then it waits on."""
        seat = self._seat_of(agent_id)
        self._find(seat.card_id, prompt_id)
        async with self._hand(seat):
            prompt = self._find(seat.card_id, prompt_id)
            self._check(prompt)
            if seat.status is AgentStatus.NEEDS_INPUT:
                raise CallError(ErrorCode.BUSY, "this agent asks something; answer it first")
            await self._send(seat, prompt)
        return "sent"

    async def _send(self, seat: Seat, prompt: QueuedPrompt) -> None:
        """Type a waiting prompt and take it out of the queue; whoever calls holds the hand of the seat."""
        await self._type(seat, prompt.id, prompt.text, prompt.sender)
        await self._put(seat.card_id, [one for one in self._now(seat) if one.id != prompt.id])

    async def forget(self, agent_id: CardId) -> None:
        """Drop the queue of an agent that is gone for good."""
        self._typists.pop(agent_id, None)
        if self._queues.get(agent_id):
            await self._put(agent_id, [])

    def recheck_soon(self) -> None:
        """Something changed on which waiting prompts may depend."""
        if any(self._queues.values()):
            self._spawn(self.recheck())

    async def recheck(self) -> None:
        """Drop what its sender could not send any more: an arrow, a card or a permission went."""
        for agent_id in list(self._queues):
            await self._drop_refused(agent_id)

    # Draining

    def moved(self, seat: Seat, published: Sequence[Published]) -> None:
        """A status changed: a finished turn lets the next prompt go out."""
        if published:
            self.look_again(seat)

    def look_again(self, seat: Seat) -> None:
        if self._queues.get(seat.card_id) and self._may_drain(seat) and seat.card_id not in self._draining:
            self._draining.add(seat.card_id)
            self._spawn(self._drain(seat))

    def _may_drain(self, seat: Seat) -> bool:
        """Whether a turn ended as it should: not by an error, and not by somebody who wanted it to stop."""
        return seat.alive and seat.status is AgentStatus.FINISHED and seat.state.error is None

    async def _drain(self, seat: Seat) -> None:
        try:
            async with self._hand(seat):
                await self._drop_refused(seat.card_id)
                queue = self._now(seat)
                if queue and self._may_drain(seat):
                    await self._try(seat, queue[0])
        finally:
            self._draining.discard(seat.card_id)

    async def _try(self, seat: Seat, prompt: QueuedPrompt) -> None:
        """Send the first prompt; one that cannot go out now waits on and shows why."""
        try:
            if prompt.sender.card_id is not None:
                self._hooks.check_budget(seat.card_id)
            await self._send(seat, prompt)
        except CallError as error:
            kept = [replace(one, problem=error.message) if one.id == prompt.id else one for one in self._now(seat)]
            await self._put(seat.card_id, kept)
            if error.code is ErrorCode.BUSY:
                asyncio.get_running_loop().call_later(DRAFT_MS / 1000, self.look_again, seat)

    async def _drop_refused(self, agent_id: CardId) -> None:
        kept: list[QueuedPrompt] = []
        refused: list[tuple[QueuedPrompt, CallError]] = []
        for one in self._queues.get(agent_id, []):
            try:
                if self._typed.get(agent_id) != one.id:
                    self._check(one)
                kept.append(one)
            except CallError as error:
                refused.append((one, error))
        if refused:
            await self._put(agent_id, kept)
            for one, why in refused:
                await self._hooks.record(one.sender, agent_id, one.text, why)

    def _check(self, prompt: QueuedPrompt) -> None:
        if prompt.sender.card_id is None:
            return
        self._hooks.check_sender(prompt.sender, prompt.agent_id)
        if prompt.id not in self._approved and self._hooks.is_dangerous(prompt.agent_id):
            raise CallError(
                ErrorCode.PERMISSION_DENIED, "the agent was turned to dangerous mode while the prompt waited"
            )

    # Inside

    def _now(self, seat: Seat) -> list[QueuedPrompt]:
        return self._queues.get(seat.card_id, [])

    def _new(self, seat: Seat, text: str, sender: Sender) -> QueuedPrompt:
        prompt = QueuedPrompt(secrets.token_hex(8), seat.card_id, text, sender, self._clock.now_ms())
        if self._hooks.is_dangerous(seat.card_id):
            self._approved.add(prompt.id)  # the owner was asked before it came here
        return prompt

    def _find(self, agent_id: CardId, prompt_id: str) -> QueuedPrompt:
        for one in self._queues.get(agent_id, ()):
            if one.id == prompt_id:
                return one
        raise CallError(ErrorCode.NOT_FOUND, "this prompt waits no more")

    def _find_still(self, agent_id: CardId, prompt_id: str) -> QueuedPrompt:
        prompt = self._find(agent_id, prompt_id)
        if self._typed.get(agent_id) == prompt_id:
            raise CallError(ErrorCode.BUSY, "this prompt is being typed now")
        return prompt

    def _hand(self, seat: Seat) -> asyncio.Lock:
        """Who holds it types to this agent; what was checked before must be checked again under it."""
        return self._hands.setdefault(seat.card_id, asyncio.Lock())

    async def _put(self, agent_id: CardId, queue: list[QueuedPrompt]) -> None:
        gone = {one.id for one in self._queues.get(agent_id, ())} - {one.id for one in queue}
        self._approved -= gone
        self._queues[agent_id] = queue
        await self._store.save(agent_id, queue)
        self._hooks.queue_changed(agent_id)

    def _typist(self, seat: Seat) -> Typist:
        typist = self._typists.get(seat.card_id)
        if typist is None or typist.seat is not seat:
            typist = self._typists[seat.card_id] = Typist(seat, self._clock)
        return typist

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(_supervised(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _supervised(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:  # noqa: BLE001 - a task root: the queue stands, the fault is told
        _log.exception("a waiting prompt could not be sent")
