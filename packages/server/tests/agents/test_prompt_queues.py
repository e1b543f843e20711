"""Changes of one queue that meet while the disk writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cardloom.features.agents.prompts.model import QueuedPrompt, Sender
from cardloom.features.agents.prompts.queues import Queues
from cardloom.features.agents.prompts.store import PromptStore
from cardloom_protocol.ids import CardId

AGENT = CardId("a")


class _SlowStore(PromptStore):
    """A disk whose writes end when the test lets them."""

    def __init__(self) -> None:
        self.may_write = asyncio.Event()
        self.may_write.set()
        self.writes = asyncio.Event()

    async def save(self, agent_id: CardId, queue: Sequence[QueuedPrompt]) -> None:
        self.writes.set()
        await self.may_write.wait()


def _prompt(prompt_id: str) -> QueuedPrompt:
    return QueuedPrompt(prompt_id, AGENT, prompt_id, Sender(), 0)


async def test_a_doubt_that_comes_while_the_disk_writes_another_change_is_kept() -> None:
    store = _SlowStore()
    queues = Queues(store, lambda _: None)
    await queues.change(AGENT, lambda _: [_prompt("first")])
    await queues.begin(AGENT, "first")
    store.may_write.clear()
    store.writes.clear()
    longer = asyncio.create_task(queues.change(AGENT, lambda queue: [_prompt("second"), *queue]))
    await store.writes.wait()
    queues.doubt(AGENT, "first", "nobody knows")
    store.may_write.set()
    await longer
    assert [(one.id, one.state, one.problem) for one in queues.of(AGENT)] == [
        ("second", "waiting", None),
        ("first", "unsure", "nobody knows"),
    ]
    await queues.begin(AGENT, "first")
    assert queues.find(AGENT, "first").state == "typing", "a doubt is over once a person sends the prompt again"
    queues.doubt(AGENT, "first", None)
    await queues.cancel(AGENT, "first")
    assert [one.id for one in queues.of(AGENT)] == ["second"]
