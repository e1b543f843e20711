"""Plays what reached an agent through its harness and the status machine, live or from a tape: the same code.

The clock is that of the entries; between two of them the machine's timers run out when they are due.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from cardloom.features.agents.facts import HookContext, HookResult
from cardloom.features.agents.harnesses.shape import Harness
from cardloom.features.agents.signals import (
    AnswerSent,
    Exited,
    InterruptSent,
    Keyed,
    LogRead,
    LogView,
    Printed,
    ProgramSaid,
    PromptSent,
    Signal,
    Source,
    Spawned,
    Tick,
    Told,
    told,
)
from cardloom.features.agents.spoken import TitleText, scan
from cardloom.features.agents.state import AgentState, Published
from cardloom.features.agents.status import initial, step, wake_at_ms
from cardloom.host.plain_text import PlainText
from cardloom_protocol.agents import AgentStatus

from .tape import Entry, Gone, Hook, Host, Keys, Log, Output, Scene

OUTPUT_TAIL = 1500


@dataclass
class Player:
    """One agent. `statuses` are the changes that everybody sees, by the scene they came in; the first scene is ""."""

    harness: Harness
    state: AgentState = field(init=False)
    published: list[Published] = field(default_factory=list)
    statuses: dict[str, list[AgentStatus]] = field(default_factory=lambda: {"": []})
    hooked: HookResult | None = None
    _carry: str = ""
    _plain: PlainText = field(default_factory=PlainText)
    _tail: str = ""
    _view: LogView = field(default_factory=LogView)

    def __post_init__(self) -> None:
        self.state = initial(self.harness.rules)

    @property
    def scene(self) -> str:
        return next(reversed(self.statuses))

    def play(self, entry: Entry) -> None:
        """Take one entry, after everything that was due before it."""
        self.run_timers(entry.at_ms)
        if isinstance(entry, Scene):
            self.statuses[entry.name] = []
            return
        for signal in self._signals(entry):
            self._step(signal, entry.at_ms)

    def run_timers(self, until_ms: int) -> None:
        """Let what is due by then happen."""
        while (at_ms := wake_at_ms(self.state)) is not None and at_ms <= until_ms:
            self._step(Tick(), at_ms)

    def _step(self, signal: Signal, at_ms: int) -> None:
        before = self.state.shown
        self.state, published = step(self.state, signal, at_ms)
        self.published += published
        if published:
            self._tail = ""
        for one in published:
            if one.status is not before:
                self.statuses[self.scene].append(one.status)
            before = one.status
        if self.state.shown is not before:
            self.statuses[self.scene].append(self.state.shown)

    def _signals(self, entry: Entry) -> Iterator[Signal]:
        match entry:
            case Output():
                yield from self._printed(entry)
            case Hook():
                self.hooked = self.harness.read_hook(entry.event, entry.payload, HookContext())
                yield from told(self.hooked, self.state.life, entry.at_ms)
            case Log():
                yield from self._logged(entry)
            case Keys():
                yield Keyed(entry.text.encode())
            case Host():
                yield self._did(entry)
            case Gone():
                yield Exited(self.state.life, entry.exit_code)
            case Scene():
                raise AssertionError("a scene is no signal")
            case _:
                assert_never(entry)

    def _printed(self, entry: Output) -> Iterator[Signal]:
        self._carry, said = scan(self._carry, entry.text)
        for one in said:
            if isinstance(one, ProgramSaid):
                yield one
            elif isinstance(one, TitleText) and self.harness.read_title is not None:
                yield self.harness.read_title(one.text)
        yield Printed()
        if self.harness.read_output is not None:
            self._tail = (self._tail + self._plain.feed(entry.text))[-OUTPUT_TAIL:]
            for fact in self.harness.read_output(self._tail):
                yield Told(fact, self.state.life, entry.at_ms, Source.OUTPUT)

    def _logged(self, entry: Log) -> Iterator[Signal]:
        if self.harness.read_log is not None:
            for line in entry.lines:
                self._view = self.harness.read_log(self._view, line)
            yield LogRead(self._view)

    def _did(self, entry: Host) -> Signal:
        match entry.did:
            case "spawn":
                self._view, self._tail = LogView(), ""
                return Spawned()
            case "prompt":
                return PromptSent()
            case "interrupt":
                return InterruptSent()
            case "answer":
                assert entry.choice is not None
                return AnswerSent(entry.choice)
