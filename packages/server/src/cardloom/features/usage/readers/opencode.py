"""OpenCode and Kilo Code: rows of messages in `opencode.db` and `kilo.db`.

An assistant's row is one request; its input is without what the cache gave, its reasoning beside its output. Kilo adds
what a sub-agent's session cost to the message that called it; that is taken off again where the amount is certain, else
the recorded cost does not count. Spec: harnesses, OpenCode and Kilo; decision 25.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from ..records import UsageRecord, recorded_pico
from .lines import MALFORMED, Count, Output, decoded, time_of

OPENCODE: Final = "opencode"
KILO: Final = "kilo-code"
_TYPES_2: Final = ("assistant", "compaction")
_SECONDS_UNTIL: Final = 10**11
"""A time below this is in seconds."""


class _Cache(msgspec.Struct):
    read: Count | None = None
    write: Count | None = None


class _Tokens(msgspec.Struct):
    input: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    cache: _Cache | None = None
    total: Count | None = None


class _Time(msgspec.Struct):
    created: float | None = None
    completed: float | None = None


class _Model(msgspec.Struct):
    id: str | None = None
    providerID: str | None = None


class _Path(msgspec.Struct):
    cwd: str | None = None


class _Message(msgspec.Struct):
    role: str = ""
    modelID: str | None = None
    providerID: str | None = None
    model: _Model | None = None
    cost: float | None = None
    path: _Path | None = None
    time: _Time | None = None
    tokens: _Tokens | None = None


class _TaskMetadata(msgspec.Struct):
    sessionId: str | None = None
    background: bool = False


class _State(msgspec.Struct):
    status: str = ""
    metadata: _TaskMetadata | None = None


class _Part(msgspec.Struct):
    type: str = ""
    tool: str = ""
    callID: str = ""
    state: _State | None = None


_MESSAGES: Final = msgspec.json.Decoder(_Message)
_PARTS: Final = msgspec.json.Decoder(_Part)
_SAID: Final = msgspec.json.Decoder(dict[str, object])


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message: its session, the row's own time and kind, and its JSON. `type` is None before version 2."""

    id: str
    session: str
    updated_ms: int
    data: bytes
    type: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session. `parent` is the session that called it as a sub-agent."""

    id: str
    parent: str | None
    agent: str | None
    folder: str | None


@dataclass(frozen=True, slots=True)
class Task:
    """A tool call that ran a sub-agent's session. `settled` says that it ended in the foreground."""

    message: str
    session: str
    settled: bool


def read_rows(
    messages: Iterable[MessageRow], sessions: Mapping[str, SessionRow], tasks: Iterable[Task] | None = None
) -> Output:
    """The requests among the messages. `tasks` are given where callers' costs contain those of sub-agents."""
    output, costs = Output(), dict[str, tuple[str, int | None]]()
    for row in messages:
        message = decoded(_MESSAGES, row.data)
        if message is None or not row.id:
            output.skip(MALFORMED)
            continue
        if message.role != "assistant" and row.type not in _TYPES_2:
            continue
        costs[row.id] = (row.session, recorded_pico(message.cost))
        record = _record(row, message, sessions)
        if record is not None:
            output.put(record)
    if tasks is not None:
        for key, pico in own_costs(costs, tasks).items():
            if key in output.records:
                output.put(msgspec.structs.replace(output.records[key], recorded_pico=pico))
    return output


def task_of(message: str, data: bytes) -> Task | None:
    """The sub-agent that a part tells of, None for other parts."""
    part = decoded(_PARTS, data)
    if part is None or part.type != "tool" or part.tool != "task" or part.state is None:
        return None
    metadata = part.state.metadata
    if metadata is None or metadata.sessionId is None:
        return None
    return Task(message, metadata.sessionId, part.state.status == "completed" and not metadata.background)


def call_of(data: bytes) -> tuple[str, str] | None:
    """The tool call that a part tells of, None for other parts."""
    part = decoded(_PARTS, data)
    return (part.callID, part.tool) if part is not None and part.type == "tool" else None


def counts_of(data: bytes) -> dict[str, object] | None:
    """What a message says of tokens and cost, as it says it."""
    message = decoded(_SAID, data)
    return None if message is None else {name: message[name] for name in ("tokens", "cost") if name in message}


def own_costs(costs: Mapping[str, tuple[str, int | None]], tasks: Iterable[Task]) -> dict[str, int | None]:
    """What the calling messages cost themselves, None where that is not certain.

    `costs` has session and recorded cost of every message. A session that several messages called, that still runs or
    runs beside its caller, or that cost more than its caller, leaves the caller's cost unknown.
    """
    by_session: Counter[str] = Counter()
    for session, pico in costs.values():
        by_session[session] += pico or 0
    calls = list({(task.message, task.session): task for task in tasks}.values())
    callers = Counter(task.session for task in calls)
    own: dict[str, int | None] = {}
    for task in calls:
        if task.message not in costs:
            continue
        left = own.get(task.message, costs[task.message][1])
        certain = task.settled and callers[task.session] == 1 and left is not None
        rest = None if left is None or not certain else left - by_session[task.session]
        own[task.message] = None if rest is None or rest < 0 else rest
    return own


def root_of(session: str, sessions: Mapping[str, SessionRow]) -> str:
    """The session that a person began."""
    seen = {session}
    while (row := sessions.get(session)) is not None and row.parent and row.parent not in seen:
        session = row.parent
        seen.add(session)
    return session


def _record(row: MessageRow, message: _Message, sessions: Mapping[str, SessionRow]) -> UsageRecord | None:
    tokens = message.tokens
    if tokens is None:
        return None
    cache = tokens.cache or _Cache()
    known = (tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write)
    if not any(known):
        if not tokens.total:
            return None
        tokens, cache = _Tokens(input=tokens.total), _Cache()
    time = message.time or _Time()
    started, ended = _ms(time.created), _ms(time.completed)
    at = ended or started or row.updated_ms
    home = sessions.get(row.session)
    is_side = home is not None and bool(home.parent)
    model = message.model or _Model()
    return UsageRecord(
        row.id,
        root_of(row.session, sessions),
        at,
        at,
        message.providerID or model.providerID,
        message.modelID or model.id,
        tokens.input,
        tokens.output if tokens.reasoning is None else (tokens.output or 0) + tokens.reasoning,
        cache.read,
        cache.write,
        None,
        tokens.reasoning,
        started,
        subagent=row.session if is_side else None,
        subagent_name=home.agent if home is not None and is_side else None,
        cwd=(message.path.cwd if message.path else None) or (home.folder if home else None),
        recorded_pico=recorded_pico(message.cost),
    )


def _ms(time: float | None) -> int | None:
    return time_of(time * 1000 if time is not None and time < _SECONDS_UNTIL else time)
