"""The rows of the status machine's conformance table, with a clock of their own. Spec: harnesses, conformance."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest

from cardloom.features.agents.facts import (
    Asked,
    Fact,
    Question,
    Resumed,
    SessionSeen,
    Subagent,
    SubagentsAre,
    TurnEnded,
    TurnStarted,
)
from cardloom.features.agents.signals import (
    Exited,
    InterruptSent,
    Keyed,
    LogPhase,
    LogRead,
    LogView,
    Printed,
    PromptSent,
    ResumeMissed,
    Signal,
    Spawned,
    Tick,
    Told,
)
from cardloom.features.agents.state import AgentState, Published, Rules
from cardloom.features.agents.status import initial, step, wake_at_ms
from cardloom_protocol.agents import AgentInfo, AgentStatus, advance
from cardloom_protocol.ids import CardId

BASE_MS = 1_000_000_000
PLAIN = Rules()


@dataclass
class Player:
    """Plays signals to one agent at given seconds, ticking whenever the agent asks for it."""

    state: AgentState
    published: list[Published] = field(default_factory=list)
    lives: list[int] = field(default_factory=list)

    def send(self, at_s: float, signal: Signal) -> None:
        self.wait(at_s)
        self.state, published = step(self.state, signal, ms(at_s))
        self.published += published
        if isinstance(signal, Spawned):
            self.lives.append(self.state.life)

    def wait(self, until_s: float) -> None:
        while (at_ms := wake_at_ms(self.state)) is not None and at_ms <= ms(until_s):
            before = self.state
            self.state, published = step(self.state, Tick(), at_ms)
            self.published += published
            assert self.state != before, "a timer that ran out changed nothing"

    def told(self, fact: Fact, at_s: float | None = None, life: int | None = None) -> Signal:
        at_ms = ms(at_s) if at_s is not None else BASE_MS * 10
        return Told(fact, self.state.life if life is None else life, at_ms)


Act: TypeAlias = Callable[[Player, float], None]


def ms(seconds: float) -> int:
    return BASE_MS + round(seconds * 1000)


def tell(fact: Fact, reported_s: float | None = None, life: int | None = None) -> Act:
    def act(player: Player, at_s: float) -> None:
        player.send(at_s, player.told(fact, at_s if reported_s is None else reported_s, life))

    return act


def send(signal: Signal) -> Act:
    return lambda player, at_s: player.send(at_s, signal)


def keys(data: str) -> Act:
    return send(Keyed(data.encode()))


def asks(detail: str = "run x", *, kind: str = "permission", subagent: str | None = None) -> Act:
    words = f"{subagent}: {detail}" if subagent else detail
    question = Question("permission" if kind == "permission" else "question", words, detail, subagent=subagent)
    return tell(Asked(question))


def late_notice() -> Act:
    return tell(Asked(Question("permission", "", ""), sure=False))


def log(
    phase: LogPhase,
    at_s: float | None = None,
    *,
    turn_s: float | None = None,
    assistant_s: float | None = None,
    queued: int = 0,
    error: str | None = None,
) -> Act:
    def at(seconds: float | None) -> int | None:
        return None if seconds is None else ms(seconds)

    return send(LogRead(LogView(phase, at(at_s), at(turn_s), at(assistant_s), queued, error)))


def subagents(*ids: str) -> Act:
    return tell(SubagentsAre(tuple(Subagent(one, "explorer") for one in ids)))


def exits(process: int = -1) -> Act:
    return lambda player, at_s: player.send(at_s, Exited(player.lives[process]))


def prints() -> Act:
    return send(Printed())


W = tell(TurnStarted())
WR = tell(Resumed())
F = tell(TurnEnded())
SPAWN = send(Spawned())
ESC, ENTER, UP = keys("\x1b"), keys("\r"), keys("\x1b[A")


def quiet(player: Player, at_s: float) -> None:
    """Silence until that second."""
    player.wait(at_s)


Q: Act = quiet


@dataclass(frozen=True)
class Row:
    number: int
    title: str
    acts: Sequence[tuple[float, Act]]
    expected: str
    rules: Rules = PLAIN
    end_s: float | None = None
    spawned: bool = True
    check: Callable[[AgentState], bool] = lambda state: True

    @property
    def name(self) -> str:
        return f"{self.number}: {self.title}"


def row(
    number: int,
    title: str,
    acts: Sequence[tuple[float, Act]],
    expected: str,
    *,
    rules: Rules = PLAIN,
    end_s: float | None = None,
    spawned: bool = True,
    check: Callable[[AgentState], bool] = lambda state: True,
) -> Row:
    return Row(number, title, acts, expected, rules, end_s, spawned, check)


def play(given: Row) -> Player:
    player = Player(initial(given.rules))
    if given.spawned:
        player.send(0, Spawned())
    last_s = 0.0
    for at_s, act in given.acts:
        assert at_s >= last_s
        act(player, at_s)
        last_s = at_s
    player.wait(given.end_s if given.end_s is not None else last_s + 2)
    return player


_WORD = re.compile(r"(?P<status>[a-z-]+)(?:\((?P<source>[a-z ]+)\))?(?:@(?P<at>[\d.]+))?(?P<error>!)?(?P<quiet>~)?")


def assert_published(published: Sequence[Published], expected: str) -> None:
    """`status(source)@second!~`: the source and the second only where they matter, `!` for errors, `~` for quiet."""
    words = [found for word in expected.split(", ") if word and (found := _WORD.fullmatch(word))]
    told = [
        f"{one.status}({one.evidence.source})@{(one.at_ms - BASE_MS) / 1000:g}{'!' * one.error}{'~' * one.quiet}"
        for one in published
    ]
    assert [one.status.value for one in published] == [word["status"] for word in words], told
    for one, word in zip(published, words, strict=True):
        assert word["source"] in (None, one.evidence.source.value), told
        assert word["at"] is None or ms(float(word["at"])) == one.at_ms, told
        assert bool(word["error"]) == one.error, told
        assert bool(word["quiet"]) == one.quiet, told


def question_is(detail: str | None) -> Callable[[AgentState], bool]:
    return lambda state: (state.question.detail if state.question else None) == detail


BG = subagents("bg")
NONE = subagents()

# fmt: off
LIFE = (
    row(1, "a first process tells nothing", [(0, SPAWN)], "", spawned=False),
    row(2, "a second process resets", [(1, W), (2, asks()), (4, exits()), (5, SPAWN)],
        "working, needs-input, exited, idle(process)"),
    row(3, "nothing moves a dead agent", [(1, W), (2, exits()), (3, asks()), (4, ENTER)], "working, exited"),
    row(4, "a hook of an older life is dropped", [(1, W), (2, exits()), (3, SPAWN), (4, tell(TurnStarted(), life=1))],
        "working, exited, idle"),
    row(5, "the end of an older process is ignored", [(1, W), (2, exits()), (3, SPAWN), (4, W), (5, exits(0))],
        "working, exited, idle, working"),
    row(6, "a question of an older life is no status", [(1, W), (2, exits()), (3, SPAWN),
        (4, tell(Asked(Question("permission", "run x", "run x")), life=1))], "working, exited, idle"),
    row(7, "a missing session starts afresh unseen", [(1, tell(SessionSeen("gone"))), (2, send(ResumeMissed(True))),
        (3, exits()), (4, SPAWN), (5, W)], "working",
        check=lambda state: state.life == 1 and state.session_id is None and state.alive),
    row(8, "a missing session without another launch exits", [(2, send(ResumeMissed(False))), (3, exits())], "exited"),
)

HOOKS = (
    row(9, "a turn", [(1, W), (2, F)], "working, finished(hook)"),
    row(10, "a second end is dropped", [(1, W), (2, F), (3, F)], "working, finished"),
    row(11, "a second beginning is dropped", [(1, W), (2, W)], "working"),
)

PERMISSIONS = (
    row(12, "Enter answers", [(1, W), (2, asks()), (9, ENTER), (10, WR), (11, F)],
        "working, needs-input@2.5, working(keys)@9, finished"),
    row(13, "a digit answers", [(1, W), (2, asks()), (4, keys("1"))], "working, needs-input, working(keys)"),
    row(14, "Escape dismisses", [(1, W), (2, asks()), (4, ESC)], "working, needs-input, idle(keys)@4", end_s=20),
    row(15, "a refusing digit, then silence", [(1, W), (2, asks()), (4, keys("3")), (8, Q)],
        "working, needs-input, working(keys), idle(keys)@7"),
    row(16, "work that is confirmed is not silence", [(1, W), (2, asks()), (4, ENTER), (5, WR), (20, Q)],
        "working, needs-input, working"),
    row(17, "the same question tells nothing, another one quietly", [(1, W), (2, asks("a")), (4, asks("a")),
        (5, asks("b"))], "working, needs-input, needs-input~", check=question_is("b")),
    row(18, "typing and arrows answer nothing", [(1, W), (2, asks()), (4, keys("tell it to stop")), (5, UP)],
        "working, needs-input"),
    row(19, "two questions in a turn", [(1, W), (2, asks("q1")), (3, keys("2")), (4, WR), (5, asks("q2")), (7, ENTER),
        (8, WR), (9, F)], "working, needs-input, working, needs-input, working, finished"),
    row(20, "the echo of a refusal", [(1, W), (2, asks()), (4, ESC), (8, F)], "working, needs-input, idle"),
    row(21, "an end long after a refusal", [(1, W), (2, asks()), (4, ESC), (10, F)],
        "working, needs-input, idle, finished"),
    row(22, "a refusal that echoes as work and end", [(1, W), (2, asks()), (4, ESC), (4.2, W), (4.5, F)],
        "working, needs-input, idle"),
    row(23, "a new prompt right after a refusal", [(1, W), (2, asks()), (4, ESC), (5, ENTER), (5.1, W), (6, F)],
        "working, needs-input, idle, working, finished"),
    row(24, "the same question again after a refusal", [(1, W), (2, asks("a")), (4, ESC), (5, asks("a"))],
        "working, needs-input, idle, needs-input"),
    row(25, "Escape as kitty sends it", [(1, W), (2, asks()), (4, keys("\x1b[27u"))],
        "working, needs-input, idle(keys)"),
    row(26, "a paste answers nothing, Enter after it does", [(1, W), (2, asks()), (4, keys("\x1b[200~1\r")),
        (5, keys("1\r\x1b[201~")), (6, ENTER)], "working, needs-input, working(keys)@6"),
    row(27, "what terminals send by themselves", [(1, W), (2, asks()), (4, keys("\x1b[12;40R\x1b[?62;c")),
        (4.1, keys("\x1b[I\x1b[O")), (4.2, keys("\x1b]11;rgb:00/00/00\x1b\\")), (4.3, keys("\x1b[<0;13;5M")),
        (4.4, keys("\x1b[M !1"))], "working, needs-input"),
    row(28, "what the host writes is no key", [(1, W), (2, asks()), (4, send(PromptSent()))], "working, needs-input"),
    row(30, "a late notice after the turn", [(1, W), (2, log("ended", 0.5)), (3, late_notice())], "working"),
    row(32, "a form to fill in", [(1, W), (2, asks("your name", kind="question"))], "working, needs-input"),
    row(33, "a sub-agent asks", [(1, W), (2, asks("run x", subagent="explorer"))], "working, needs-input",
        check=question_is("explorer: run x")),
    row(34, "answered with the mouse", [(1, W), (2, asks()), (4, log("busy", 3.8, assistant_s=3.8))],
        "working, needs-input, working(transcript)"),
    row(35, "a tool's result answers nothing", [(1, W), (2, asks()), (4, log("busy", 3.8, assistant_s=1.5))],
        "working, needs-input"),
    row(36, "refused with the mouse", [(1, W), (2, asks()), (4, log("interrupted", 3.8))],
        "working, needs-input, idle(transcript)"),
)

INTERRUPTS = (
    row(37, "interrupted as the log says", [(1, W), (2, ESC), (3, log("interrupted", 2.5))],
        "working, idle(transcript)@3"),
    row(38, "interrupted and silent", [(1, W), (2, ESC), (6, Q)], "working, idle(keys)@5"),
    row(39, "Escape that interrupts nothing", [(1, W), (2, ESC), (3, WR), (9, Q), (10, F)], "working, finished"),
    row(40, "interrupted without a key", [(1, W), (3, log("interrupted", 2.5))], "working, idle(transcript)"),
    row(41, "a new prompt after an interruption", [(1, W), (2, ESC), (3, log("interrupted", 2.5)), (4, ENTER),
        (4.1, W), (6, F), (7, log("ended", 5.9))], "working, idle, working, finished"),
    row(42, "the host interrupts a question", [(1, W), (2, asks()), (4, send(InterruptSent()))],
        "working, needs-input, idle"),
    row(44, "an interruption that is told", [(1, W), (2, tell(TurnEnded("interrupted"))), (3, F)], "working, idle"),
)

LATE = (
    row(45, "an end reported before the turn", [(1, W), (2, F), (4, W), (4.2, tell(TurnEnded(), reported_s=3))],
        "working, finished, working"),
    row(46, "an end reported before the question", [(1, W), (2, asks()), (4, tell(TurnEnded(), reported_s=1.8))],
        "working, needs-input"),
)

QUEUED = (
    row(47, "a queued prompt's turn follows at once", [(1, W), (2, log("busy", 1.5, turn_s=1, queued=1)), (3, F),
        (4, log("busy", 3.4, turn_s=3.4)), (8, F)], "working, finished@8"),
    row(48, "no turn follows", [(1, W), (2, log("busy", 1.5, turn_s=1, queued=1)), (3, F), (9, Q)],
        "working, finished@4.5"),
    row(49, "the log ended with one queued", [(1, W), (3, log("ended", 3, queued=1)), (9, Q)],
        "working, finished(transcript)@6"),
    row(50, "queued and taken back", [(1, W), (2, log("busy", 1.5, queued=1)), (3, log("ended", 2.9))],
        "working, finished@3"),
)

LOST = (
    row(51, "a lost end", [(1, W), (3, log("ended", 2.9))], "working, finished(transcript)"),
    row(52, "an answer without an end", [(1, W), (3, log("answered", 3)), (30, Q)], "working, finished(transcript)@13"),
    row(53, "a lost beginning", [(1, W), (2, F), (4, log("busy", 3.5, turn_s=3.5)), (6, log("ended", 5.5))],
        "working, finished, working(transcript), finished(transcript)"),
    row(54, "stale views", [(0.5, W), (1, F), (5, W), (6, log("ended", 0.99)), (7, log("error", 4, error="x"))],
        "working, finished, working"),
    row(55, "a long tool", [(1, W), (2, log("busy", 1.9)), (301, Q)], "working"),
    row(56, "an error in the log", [(1, W), (3, log("error", 2.9, error="rate_limit"))], "working, finished!",
        check=lambda state: state.error == "rate_limit"),
    row(57, "no hook reaches us", [(1, ENTER), (3, log("busy", 2, turn_s=1.2)), (6, log("ended", 5))],
        "working(transcript), finished(transcript)"),
    row(58, "old entries of a continued log", [(1, log("answered", -50, turn_s=-60)), (20, Q)], ""),
    row(59, "a log that begins anew", [(1, W), (2, F), (3, log("unknown")), (4, log("busy", 1.2, turn_s=1.1))],
        "working, finished"),
    row(60, "commands of the program itself", [(1, tell(SessionSeen("a", "a.jsonl"))), (2, ENTER),
        (3, log("unknown")), (4, tell(SessionSeen("b", "b.jsonl")))], "",
        check=lambda state: (state.session_ids, state.log_path) == (("a", "b"), "b.jsonl")),
    row(61, "a slash command that is a turn", [(1, ENTER), (2, log("busy", 1.2, turn_s=1.2)), (4, log("ended", 3))],
        "working, finished"),
)

SUBAGENTS = (
    row(62, "sub-agents inside a turn", [(1, W), (2, subagents("a")), (3, subagents("a", "b")), (4, WR),
        (5, subagents("b")), (6, NONE), (7, F)], "working, finished@7"),
    row(63, "an end waits for a sub-agent", [(1, W), (2, BG), (3, F), (10, NONE), (20, Q)], "working, finished@13"),
    row(64, "the parent's own turn after the sub-agent", [(1, W), (2, BG), (3, F), (9, NONE), (9.2, W), (12.5, F)],
        "working, finished@12.5", end_s=30),
    row(65, "the sub-agent asks while the end waits", [(1, W), (2, BG), (3, F), (4, asks("sub")), (6, keys("1")),
        (7, WR), (8, NONE), (20, Q)], "working, needs-input, working, finished@11"),
    row(66, "an error does not wait", [(1, W), (2, BG), (3, log("error", 2.9, error="x"))], "working, finished@3!"),
    row(67, "an interruption does not wait", [(1, W), (2, BG), (3, F), (4, log("interrupted", 3.9))], "working, idle",
        end_s=70 * 60, check=lambda state: len(state.subagents) == 1),
    row(68, "a sub-agent that is lost", [(1, W), (2, subagents("lost")), (3, F)], "working, finished@3603",
        end_s=4000, check=lambda state: state.subagents == ()),
    row(69, "a sub-agent that starts after the end", [(1, W), (2, F), (4, subagents("new")), (5, F), (6, NONE)],
        "working, finished, working, finished@9", end_s=20),
    row(70, "an older sub-agent told of again", [(1, W), (2, BG), (3, NONE), (4, F), (5, BG)], "working, finished"),
    row(71, "a new prompt while the end waits", [(1, W), (2, BG), (3, F), (5, ENTER), (6, NONE), (15, Q)], "working",
        check=lambda state: state.hold is None),
)

COMMAND = (
    row(89, "output and silence", [(1, prints()), (2, prints()), (9, ENTER)], "working(output), finished(output)@4.5",
        rules=Rules(output="always", hooks=False)),
)

ROWS = (*LIFE, *HOOKS, *PERMISSIONS, *INTERRUPTS, *LATE, *QUEUED, *LOST, *SUBAGENTS, *COMMAND)
# fmt: on


@pytest.mark.parametrize("given", ROWS, ids=lambda given: given.name)
def test_a_row_of_the_table_gives_its_statuses(given: Row) -> None:
    player = play(given)
    assert_published(player.published, given.expected)
    assert given.check(player.state)


@pytest.mark.parametrize("given", ROWS, ids=lambda given: given.name)
def test_turns_begin_and_end_by_turns_and_the_record_agrees(given: Row) -> None:
    info = AgentInfo(CardId("c"), "agent", "command", "ai", AgentStatus.IDLE)
    phases: list[str] = []
    for one in play(given).published:
        ended = info.last_turn
        info, phase = advance(info, one.status, one.at_ms)
        phases += [phase] if phase else []
        assert (info.turn_started_at_ms is not None) == (one.status is AgentStatus.WORKING)
        told_of_end = phase == "end" and one.status in (AgentStatus.FINISHED, AgentStatus.NEEDS_INPUT)
        assert (info.last_turn != ended) == told_of_end
    assert phases == ["start", "end"] * (len(phases) // 2) + ["start"] * (len(phases) % 2)
