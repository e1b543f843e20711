"""Tokens and money as cards read them: sums in which "not reported" survives, and the shapes of the three answers.

None means "not reported" and is never 0; a sum is None only when nothing in it was reported. Money is summed exactly,
in picodollars (1e-12 $), and rounded up to micro-dollars once, when it is told. Spec: cards, usage; harnesses,
pricing; decision 25. Statuses are those of `AgentStatus`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from .counts import MOST_TOOLS, plus
from .ids import CardId
from .jstext import JsonValue

Period = Literal["today", "7d", "30d"]
RequestTimes = Literal["start-end", "end", "none"]
Wire = dict[str, JsonValue]

PICO_PER_MICRO: Final = 1_000_000
MOST_REQUESTS: Final = 2000
"""Requests of a timeline: the newest are kept."""
TOOL_CHARS: Final = 64
SUBAGENT_ID_CHARS: Final = 128
SUBAGENT_NAME_CHARS: Final = 64


def micro_usd(pico_usd: int | None) -> int | None:
    """Picodollars as whole micro-dollars, rounded up; None stays None."""
    return None if pico_usd is None else -(-pico_usd // PICO_PER_MICRO)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts of one request or a sum. `input` is what no cache gave; `output` contains `reasoning`.

    `cache_write_1h` is the part of `cache_write` that is kept for an hour.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cache_write_1h: int | None = None
    reasoning: int | None = None

    @property
    def total(self) -> int | None:
        """Input, output, cache reads and cache writes together."""
        return plus(plus(self.input, self.output), plus(self.cache_read, self.cache_write))

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            plus(self.input, other.input),
            plus(self.output, other.output),
            plus(self.cache_read, other.cache_read),
            plus(self.cache_write, other.cache_write),
            plus(self.cache_write_1h, other.cache_write_1h),
            plus(self.reasoning, other.reasoning),
        )

    def to_wire(self) -> Wire:
        """The four counts that every answer has."""
        return {
            "inputTokens": self.input,
            "outputTokens": self.output,
            "cacheReadTokens": self.cache_read,
            "cacheWriteTokens": self.cache_write,
        }


@dataclass(frozen=True, slots=True)
class Work:
    """A sum over requests. `cost_pico` is of those with a price, None when none has one; `unpriced` counts the rest."""

    requests: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost_pico: int | None = None
    unpriced: int = 0

    @classmethod
    def of(cls, tokens: Tokens, cost_pico: int | None) -> Work:
        """The work of one request."""
        return cls(1, tokens, cost_pico, 0 if cost_pico is not None else 1)

    def __add__(self, other: Work) -> Work:
        return Work(
            self.requests + other.requests,
            self.tokens + other.tokens,
            plus(self.cost_pico, other.cost_pico),
            self.unpriced + other.unpriced,
        )

    @property
    def cost_micro_usd(self) -> int | None:
        return micro_usd(self.cost_pico)

    @property
    def cost_partial(self) -> bool:
        """Whether some requests are priced and some are not."""
        return self.cost_pico is not None and self.unpriced > 0

    def to_wire(self) -> Wire:
        """Requests, every token field and the cost."""
        return {
            "requests": self.requests,
            **self.tokens.to_wire(),
            "reasoningTokens": self.tokens.reasoning,
            "totalTokens": self.tokens.total,
            "costMicroUsd": self.cost_micro_usd,
        }


def total_work(parts: Iterable[Work]) -> Work:
    """The sum of many."""
    total = Work()
    for part in parts:
        total += part
    return total


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One agent's line of a summary."""

    agent_id: CardId | None
    name: str
    harness: str
    work: Work

    def to_wire(self) -> Wire:
        return {
            "agentId": self.agent_id,
            "name": self.name,
            "harness": self.harness,
            **self.work.tokens.to_wire(),
            "costMicroUsd": self.work.cost_micro_usd,
        }


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """What `usage.summary` answers: local days, the end not included, one row an agent.

    The total is summed exactly and rounded up once, so it can be less than the rounded rows together. `skipped` counts
    log content that could not be read; it makes the summary partial, as an unpriced request does.
    """

    period: Period
    from_ms: int
    to_ms: int
    rows: tuple[SummaryRow, ...]
    skipped: int = 0

    @property
    def total(self) -> Work:
        return total_work(row.work for row in self.rows)

    def to_wire(self) -> Wire:
        total = self.total
        return {
            "period": self.period,
            "from": self.from_ms,
            "to": self.to_ms,
            "rows": [row.to_wire() for row in self.rows],
            "totalCostMicroUsd": total.cost_micro_usd or 0,
            "partial": total.unpriced > 0 or self.skipped > 0,
        }


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """What `agents.usage` answers. `work` is None for a harness whose logs are not read; times are still told then.

    `subagents` is None where the harness cannot tell sub-agents apart; the totals always contain them.
    """

    agent_id: CardId
    harness: str
    since_ms: int
    until_ms: int
    status: str
    work: Work | None
    prompts: int
    working_ms: int
    elapsed_ms: int | None
    first_prompt_at_ms: int | None
    last_finished_at_ms: int | None
    timing_complete: bool
    scanned_at_ms: int | None
    model: str | None = None
    provider: str | None = None
    subagents: Work | None = None
    main_only: Work | None = None
    subagent_count: int = 0

    def to_wire(self) -> Wire:
        work = self.work
        wire: Wire = {
            "agentId": self.agent_id,
            "harness": self.harness,
            "since": self.since_ms,
            "until": self.until_ms,
            "status": self.status,
            "usageReadable": work is not None,
            "prompts": self.prompts,
            **(work.to_wire() if work is not None else dict.fromkeys(Work().to_wire())),
            "costPartial": work is not None and work.cost_partial,
            "workingMs": self.working_ms,
            "elapsedMs": self.elapsed_ms,
            "firstPromptAt": self.first_prompt_at_ms,
            "lastFinishedAt": self.last_finished_at_ms,
            "timingComplete": self.timing_complete,
            "scannedAt": self.scanned_at_ms,
        }
        if self.model is not None:
            wire["model"] = self.model
        if self.provider is not None:
            wire["provider"] = self.provider
        if self.subagents is not None and self.main_only is not None:
            wire["subagents"] = {"count": self.subagent_count, **self.subagents.to_wire()}
            wire["mainOnly"] = self.main_only.to_wire()
        return wire


@dataclass(frozen=True, slots=True)
class Subagent:
    """Who made a request inside an agent. `name` is its kind, where the harness tells it."""

    id: str
    name: str | None = None

    def to_wire(self) -> Wire:
        wire: Wire = {"id": self.id[:SUBAGENT_ID_CHARS]}
        if self.name is not None:
            wire["name"] = self.name[:SUBAGENT_NAME_CHARS]
        return wire


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """One request of a timeline."""

    started_at_ms: int | None
    ended_at_ms: int
    tokens: Tokens
    model: str | None = None
    tools: tuple[str, ...] = ()
    subagent: Subagent | None = None

    def to_wire(self) -> Wire:
        wire: Wire = {"startedAt": self.started_at_ms, "endedAt": self.ended_at_ms, **self.tokens.to_wire()}
        if self.model is not None:
            wire["model"] = self.model
        if self.tools:
            wire["tools"] = [tool[:TOOL_CHARS] for tool in self.tools[:MOST_TOOLS]]
        if self.subagent is not None:
            wire["subagent"] = self.subagent.to_wire()
        return wire


@dataclass(frozen=True, slots=True)
class StatusSegment:
    """A span with one status; the end is not included."""

    status: str
    from_ms: int
    to_ms: int

    def to_wire(self) -> Wire:
        return {"status": self.status, "from": self.from_ms, "to": self.to_ms}


@dataclass(frozen=True, slots=True)
class TimelineTurn:
    """From a prompt to its end; `end_ms` is None while it runs. A turn without any request is not counted."""

    start_ms: int
    end_ms: int | None
    counted: bool
    ended_as: str | None = None

    def to_wire(self) -> Wire:
        wire: Wire = {"start": self.start_ms, "end": self.end_ms, "counted": self.counted}
        if self.ended_as is not None:
            wire["endedAs"] = self.ended_as
        return wire


@dataclass(frozen=True, slots=True)
class AgentTimeline:
    """What `agents.timeline` answers. `requests` are all of the window, None for a harness whose logs are not read."""

    agent_id: CardId
    harness: str
    since_ms: int
    until_ms: int
    requests: tuple[TimelineRequest, ...] | None
    statuses: tuple[StatusSegment, ...]
    turns: tuple[TimelineTurn, ...]
    scanned_at_ms: int | None
    most_requests: int = MOST_REQUESTS

    def to_wire(self) -> Wire:
        ordered = sorted(self.requests or (), key=lambda request: request.ended_at_ms)
        kept = ordered[-self.most_requests :]
        return {
            "agentId": self.agent_id,
            "harness": self.harness,
            "since": self.since_ms,
            "until": self.until_ms,
            "usageReadable": self.requests is not None,
            "requestTimes": request_times(None if self.requests is None else kept),
            "requests": [request.to_wire() for request in kept],
            "truncated": len(kept) < len(ordered),
            "statuses": [segment.to_wire() for segment in self.statuses],
            "turns": [turn.to_wire() for turn in self.turns],
            "scannedAt": self.scanned_at_ms,
        }


def request_times(requests: Iterable[TimelineRequest] | None) -> RequestTimes:
    """Whether all requests have a beginning; `end` when some lack it or there are none, `none` without a log."""
    if requests is None:
        return "none"
    known = [request.started_at_ms is not None for request in requests]
    return "start-end" if known and all(known) else "end"
