"""The waiting prompts of all agents: what is on disk, and nothing else, is what is shown.

Each change is worked out from the queue as it then is, written, and only then seen, so changes made at once add up and
one that the disk refuses never was. A prompt is marked on disk before its first key is typed: whoever finds the mark
after a crash cannot know whether the agent got it, and leaves that to a person. Spec: agents, the queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias
from weakref import WeakValueDictionary

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from .model import QueuedPrompt, cleaned_prompt
from .store import PromptStore

Make: TypeAlias = Callable[[Sequence[QueuedPrompt]], Iterable[QueuedPrompt]]


class Queues:
    """One queue an agent. `changed` is told after every change."""

    def __init__(self, store: PromptStore, changed: Callable[[CardId], None]) -> None:
        self._store = store
        self._changed = changed
        self._queues: dict[CardId, tuple[QueuedPrompt, ...]] = {}
        self._turns: WeakValueDictionary[CardId, asyncio.Lock] = WeakValueDictionary()

    async def load(self, is_dangerous: Callable[[CardId], bool]) -> None:
        """Read what an earlier server left; what waits for a dangerous agent was approved, or it had gone."""
        found = await self._store.load()
        self._queues = {
            agent_id: tuple(replace(one, approved=is_dangerous(agent_id)) for one in queue)
            for agent_id, queue in found.items()
        }

    def of(self, agent_id: CardId) -> tuple[QueuedPrompt, ...]:
        """The prompts that wait for an agent, the next one first."""
        return self._queues.get(agent_id, ())

    def agents(self) -> list[CardId]:
        """The agents for which prompts wait."""
        return [agent_id for agent_id, queue in self._queues.items() if queue]

    def find(self, agent_id: CardId, prompt_id: str) -> QueuedPrompt:
        """A waiting prompt. NOT_FOUND."""
        return _find(self.of(agent_id), prompt_id)

    async def change(self, agent_id: CardId, make: Make) -> None:
        """Replace a queue by what is made of it. What `make` raises; UNAVAILABLE: the disk refuses, nothing changed."""
        async with self._turns.setdefault(agent_id, asyncio.Lock()):
            before = self.of(agent_id)
            after = tuple(make(before))
            if after == before:
                return
            await self._store.save(agent_id, after)
            self._queues[agent_id] = _still_doubted(after, before, self.of(agent_id))
        self._changed(agent_id)

    # What a person does with them

    async def edit(self, agent_id: CardId, prompt_id: str, text: str) -> None:
        """Change a prompt, which then waits as if it were new. NOT_FOUND; BUSY while it is typed; INVALID_PARAMS."""
        cleaned = cleaned_prompt(text)

        def edited(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            prompt = _still(queue, prompt_id)
            fresh = replace(prompt, text=cleaned, problem=None, state="waiting")
            return [fresh if one is prompt else one for one in queue]

        await self.change(agent_id, edited)

    async def move(self, agent_id: CardId, prompt_id: str, index: int) -> None:
        """Move a prompt. NOT_FOUND."""

        def moved(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            prompt = _find(queue, prompt_id)
            others = [one for one in queue if one is not prompt]
            others.insert(index, prompt)
            return others

        await self.change(agent_id, moved)

    async def cancel(self, agent_id: CardId, prompt_id: str) -> None:
        """Take a prompt away. NOT_FOUND; BUSY while it is typed."""

        def without(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            prompt = _still(queue, prompt_id)
            return [one for one in queue if one is not prompt]

        await self.change(agent_id, without)

    # What becomes of one that is sent

    async def begin(self, agent_id: CardId, prompt_id: str) -> None:
        """Mark, on disk, that a prompt is about to be typed. NOT_FOUND."""
        await self._replace(agent_id, prompt_id, lambda one: replace(one, state="typing", problem=None))

    async def keep(self, agent_id: CardId, prompt_id: str, problem: str) -> None:
        """Let a prompt of which nothing was typed wait on, and tell why."""
        await self._replace(agent_id, prompt_id, lambda one: replace(one, state="waiting", problem=problem))

    async def take(self, agent_id: CardId, prompt_id: str) -> None:
        """Take out a prompt that its agent got."""
        await self.change(agent_id, lambda queue: [one for one in queue if one.id != prompt_id])

    def doubt(self, agent_id: CardId, prompt_id: str, problem: str | None) -> None:
        """Leave a prompt that still counts as being typed to a person: nobody knows whether its agent got it.

        The disk has known since it was begun.
        """
        doubted = tuple(
            replace(one, state="unsure", problem=problem) if one.id == prompt_id and one.state == "typing" else one
            for one in self.of(agent_id)
        )
        if doubted != self.of(agent_id):
            self._queues[agent_id] = doubted
            self._changed(agent_id)

    async def _replace(self, agent_id: CardId, prompt_id: str, make: Callable[[QueuedPrompt], QueuedPrompt]) -> None:
        def replaced(queue: Sequence[QueuedPrompt]) -> list[QueuedPrompt]:
            prompt = _find(queue, prompt_id)
            return [make(one) if one is prompt else one for one in queue]

        await self.change(agent_id, replaced)


def _still_doubted(
    after: Sequence[QueuedPrompt], before: Sequence[QueuedPrompt], now: Sequence[QueuedPrompt]
) -> tuple[QueuedPrompt, ...]:
    """A queue that was made of `before`, with the doubts that came since: they wait for no turn."""
    doubted = {one.id: one.problem for was, one in zip(before, now, strict=True) if was.state != one.state}
    return tuple(
        replace(one, state="unsure", problem=doubted[one.id]) if one.id in doubted and one.state == "typing" else one
        for one in after
    )


def _find(queue: Sequence[QueuedPrompt], prompt_id: str) -> QueuedPrompt:
    for one in queue:
        if one.id == prompt_id:
            return one
    raise CallError(ErrorCode.NOT_FOUND, "this prompt waits no more")


def _still(queue: Sequence[QueuedPrompt], prompt_id: str) -> QueuedPrompt:
    prompt = _find(queue, prompt_id)
    if prompt.state == "typing":
        raise CallError(ErrorCode.BUSY, "this prompt is being typed now")
    return prompt
