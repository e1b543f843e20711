"""Who caused what: each request counts for whoever prompted its agent last before it began. Pure.

What a person types into an agent's terminal is no prompt that Cardloom sends, so a turn that none of its prompts
explains was begun by a person. A request before any turn or prompt that Cardloom saw counts for the person at the
terminal too, as does one of a session that no agent of Cardloom used. Spec: agents, prompts; usage by sender.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cardloom_protocol.ids import CardId
from cardloom_protocol.usage import Work

from .records import UsageRecord
from .turns import EARLY_MS, LATE_MS, StatusChange, turns

PERSON: Final = "person"


@dataclass(frozen=True, slots=True)
class Prompted:
    """Somebody prompted an agent: a card, or a person (None). What the agent did from then on was for them."""

    at_ms: int
    sender_id: CardId | None
    name: str | None


@dataclass(frozen=True, slots=True)
class SenderWork:
    """What one sender caused. `name` is its name when it prompted last."""

    sender_id: CardId | None
    name: str
    work: Work


def with_people(
    prompted: Sequence[Prompted], changes: Sequence[StatusChange], worked_ms: Sequence[int], now_ms: int
) -> list[Prompted]:
    """The prompts of an agent in order, and one of a person for every turn that none of them explains.

    A prompt explains the turn after it, also one that was sent while the turn before ran. `worked_ms` are the times of
    the agent's requests: a turn without any is a blink of the status and uses up no prompt.
    """
    found = list(prompted)
    times = [one.at_ms for one in prompted]
    used_ms = ended_ms = 0
    for turn in turns(changes, None, 0, now_ms):
        end_ms = now_ms if turn.end_ms is None else turn.end_ms
        if bisect_right(times, used_ms) == bisect_right(times, turn.start_ms):
            found.append(Prompted(max(turn.start_ms - EARLY_MS, ended_ms), None, None))
        if bisect_left(worked_ms, turn.start_ms - EARLY_MS) < bisect_right(worked_ms, end_ms + LATE_MS):
            used_ms = turn.start_ms
        ended_ms = end_ms
    return sorted(found, key=lambda one: one.at_ms)


def by_sender(
    records: Iterable[tuple[UsageRecord, CardId | None]],
    prompted: Mapping[CardId, Sequence[Prompted]],
    cost_pico: Callable[[UsageRecord], int | None],
) -> list[SenderWork]:
    """The sums by sender. Each record comes with the agent whose session it is; prompts are in order."""
    works: defaultdict[CardId | None, Work] = defaultdict(Work)
    names: dict[CardId | None, str] = {None: PERSON}
    for record, agent_id in records:
        prompts = () if agent_id is None else prompted.get(agent_id, ())
        begun_ms = record.at_ms if record.begun_ms is None else record.begun_ms
        place = bisect_right(prompts, begun_ms, key=lambda one: one.at_ms) - 1
        sender = prompts[place] if place >= 0 else None
        sender_id = None if sender is None else sender.sender_id
        if sender is not None and sender_id is not None:
            names[sender_id] = sender.name or names.get(sender_id, sender_id)
        works[sender_id] += Work.of(record.tokens, cost_pico(record))
    return [SenderWork(sender_id, names[sender_id], work) for sender_id, work in works.items()]
