"""One request to a model as a log tells it, and how several sightings of the same request become one.

A sighting is what one log says; the merged record has the same type. Merging takes sightings in any order and any
grouping to the same result, so that reading a log in pieces ends like reading it at once. Shapes of the wire are loaded
when they are asked for: a process that only reads needs none. Spec: harnesses, usage readers; decision 26.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from cardloom_protocol.counts import LONGEST_REQUEST_MS, MOST_TOOLS, most

if TYPE_CHECKING:
    from cardloom_protocol.usage import TimelineRequest, Tokens

Call = tuple[str, str]
"""A tool call: its id and the tool's name. The id tells copies of one call apart from two calls."""

MOST_OFFSETS: Final = 32
Counts = Sequence[int | None]
"""A count of each of many requests, None where it is not reported."""
PLAIN_SPEEDS: Final = (None, "", "standard")
"""What a request says of its speed that costs nothing more."""


class Rates(NamedTuple):
    """Picodollars a token, for prompts of no more than `longest_prompt` tokens."""

    input: int
    cache_read: int
    cache_write: int
    cache_write_1h: int
    output: int
    longest_prompt: int

    def cost_pico(self, fresh: int, output: int, read: int, written: int, hour: int) -> int | None:
        """What these counts cost; None when the prompt is longer."""
        return self.costs_pico([fresh], [output], [read], [written], [hour])[0]

    def costs_pico(
        self, fresh: Counts, output: Counts, read: Counts, written: Counts, hour: Counts
    ) -> list[int | None]:
        """What requests cost, by a column for each count; None for a longer prompt, and where one is not reported."""
        for_fresh, for_read, for_written, for_hour, for_output, longest = self
        costs: list[int | None] = []
        for new, out, old, kept, kept_1h in zip(fresh, output, read, written, hour, strict=True):
            old, kept, kept_1h = old or 0, kept or 0, kept_1h or 0
            if new is None or out is None or new + old + kept > longest:
                costs.append(None)
                continue
            cost = new * for_fresh + old * for_read + kept_1h * for_hour + out * for_output
            costs.append(cost + (kept - kept_1h) * for_written if kept > kept_1h else cost)
        return costs


class UsageRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One request. Times are epoch milliseconds, tokens as `Tokens` has them, money is in picodollars.

    `at_ms` places it in a window; `started_ms` is the recorded beginning and `inferred_ms` a guess; `side` says that a
    sub-agent's chain holds it; `copied` that this log repeats another one; `offsets` are where its lines begin.
    """

    key: str
    session: str
    at_ms: int
    ended_ms: int
    provider: str | None = None
    model: str | None = None
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cache_write_1h: int | None = None
    reasoning: int | None = None
    started_ms: int | None = None
    inferred_ms: int | None = None
    calls: tuple[Call, ...] = ()
    subagent: str | None = None
    subagent_name: str | None = None
    side: bool = False
    copied: bool = False
    cwd: str | None = None
    web_searches: int | None = None
    speed: str | None = None
    geo: str | None = None
    recorded_pico: int | None = None
    offsets: tuple[int, ...] = ()

    @property
    def tokens(self) -> Tokens:
        from cardloom_protocol.usage import Tokens

        return Tokens(self.input, self.output, self.cache_read, self.cache_write, self.cache_write_1h, self.reasoning)

    @property
    def begun_ms(self) -> int | None:
        """When it began, if that is known and believable."""
        start = self.started_ms if self.started_ms is not None else self.inferred_ms
        if start is None or start > self.ended_ms or self.ended_ms - start > LONGEST_REQUEST_MS:
            return None
        return start

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.calls)

    def as_timeline_request(self) -> TimelineRequest:
        """The record as a timeline shows it."""
        from cardloom_protocol.usage import Subagent, TimelineRequest

        who = None if self.subagent is None else Subagent(self.subagent, self.subagent_name)
        return TimelineRequest(self.begun_ms, self.ended_ms, self.tokens, self.model, self.tools, who)


class Seen(NamedTuple):
    """A sighting as the index has it: the record, the log's beginning, path and id, whether it is counted, its row."""

    record: UsageRecord
    log_began_ms: int
    path: str
    log: int = 0
    counted: int = 0
    row: int = 0


class Skip(msgspec.Struct, frozen=True, array_like=True):
    """Something of a log that was not counted: why, how often, and where for the first time (a byte, None if none)."""

    reason: str
    count: int
    offset: int | None = None


def merge(left: UsageRecord, right: UsageRecord) -> UsageRecord:
    """Two sightings of one request in one log.

    A sighting in the main chain wins over those in side chains. Of equals every count takes the larger value, for the
    early lines of a message hold placeholders.
    """
    if left.side != right.side:
        return right if left.side else left
    first, last = (left, right) if _order(left) <= _order(right) else (right, left)
    return UsageRecord(
        first.key,
        first.session,
        min(left.at_ms, right.at_ms),
        max(left.ended_ms, right.ended_ms),
        first.provider or last.provider,
        first.model or last.model,
        most(left.input, right.input),
        most(left.output, right.output),
        most(left.cache_read, right.cache_read),
        most(left.cache_write, right.cache_write),
        most(left.cache_write_1h, right.cache_write_1h),
        most(left.reasoning, right.reasoning),
        least(left.started_ms, right.started_ms),
        least(left.inferred_ms, right.inferred_ms),
        joined_calls(first.calls, last.calls),
        first.subagent or last.subagent,
        first.subagent_name or last.subagent_name,
        left.side,
        left.copied and right.copied,
        first.cwd or last.cwd,
        most(left.web_searches, right.web_searches),
        first.speed or last.speed,
        first.geo or last.geo,
        most(left.recorded_pico, right.recorded_pico),
        tuple(sorted({*left.offsets, *right.offsets})[:MOST_OFFSETS]),
    )


def merge_next(earlier: UsageRecord, later: UsageRecord) -> UsageRecord:
    """What `merge` gives for lines that follow each other, sooner when the later one only adds to the first."""
    if (
        earlier.side != later.side
        or earlier.started_ms != later.started_ms
        or (earlier.input, earlier.output, earlier.cache_read, earlier.cache_write, earlier.reasoning)
        != (later.input, later.output, later.cache_read, later.cache_write, later.reasoning)
        or earlier.at_ms > later.at_ms
        or least(earlier.inferred_ms, later.inferred_ms) != earlier.inferred_ms
        or earlier.session != later.session
        or earlier.copied != later.copied
    ):
        return merge(earlier, later)
    return msgspec.structs.replace(
        earlier,
        ended_ms=max(earlier.ended_ms, later.ended_ms),
        calls=joined_calls(earlier.calls, later.calls),
        offsets=(*earlier.offsets, *later.offsets)[:MOST_OFFSETS],
    )


def merge_logs(sightings: Sequence[Seen]) -> tuple[UsageRecord, Seen]:
    """The sightings of one request in several logs as one record, and that of the log which owns it.

    The owner gives session, folder and lines: it has the most tokens, is no copy, and is the log that begins earliest.
    Where the others add nothing, the owner's record itself is given.
    """
    seen, *others = sorted(sightings, key=_claim)
    owner = merged = seen.record
    for other in others:
        if not _adds_nothing(other.record, owner):
            merged = merge(merged, other.record)
    if merged is owner:
        return owner, seen
    return msgspec.structs.replace(
        merged,
        session=owner.session,
        cwd=owner.cwd,
        offsets=owner.offsets,
        subagent=owner.subagent,
        subagent_name=owner.subagent_name,
    ), seen


def joined_calls(first: tuple[Call, ...], then: tuple[Call, ...]) -> tuple[Call, ...]:
    """Tool calls in their order, each once."""
    if not then or not first:
        return first or then[:MOST_TOOLS]
    known = {call_id for call_id, _ in first}
    return (*first, *(call for call in then if call[0] not in known))[:MOST_TOOLS]


def _adds_nothing(other: UsageRecord, owner: UsageRecord) -> bool:
    """Whether a sighting tells what the owner's does, but for what the owner alone decides."""
    return owner == msgspec.structs.replace(
        other,
        session=owner.session,
        cwd=owner.cwd,
        offsets=owner.offsets,
        subagent=owner.subagent,
        subagent_name=owner.subagent_name,
        copied=owner.copied and other.copied,
    )


def _claim(seen: Seen) -> tuple[bool, int, bool, int, str]:
    record = seen.record
    total = (record.input or 0) + (record.output or 0) + (record.cache_read or 0) + (record.cache_write or 0)
    return (record.side, -total, record.copied, seen.log_began_ms, seen.path)


def _order(record: UsageRecord) -> tuple[int, int]:
    return (record.offsets[0] if record.offsets else 0, record.at_ms)


def least(left: int | None, right: int | None) -> int | None:
    """The smaller of two numbers of which one may be unknown."""
    if left is None:
        return right
    return left if right is None else min(left, right)


def recorded_pico(dollars: object) -> int | None:
    """A cost that a harness wrote as a number of dollars, without the noise of binary fractions.

    The shortest text of the number is taken and rounded half up at the 13th decimal. None for what is no amount.
    """
    if isinstance(dollars, bool) or not isinstance(dollars, int | float):
        return None
    amount = Decimal(repr(dollars))
    if not amount.is_finite() or amount < 0 or amount > 10**6:
        return None
    return int((amount * 10**12).to_integral_value(rounding="ROUND_HALF_UP"))
