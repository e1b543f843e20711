"""What real agents' programs told, printed and logged goes through our code and gives the statuses they had.

The recordings are of runs against a scripted model: a plain answer, a command approved, a command refused, Escape in a
long answer, thinking, two commands at once, the end.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.facts import HookContext
from cardloom.features.agents.harnesses import claude_code, codex_cli, gemini_cli, kilo_code, opencode, pi, qwen_code
from cardloom.features.agents.harnesses.payloads import iso_ms
from cardloom.features.agents.harnesses.shape import Harness
from cardloom.features.agents.signals import (
    Exited,
    Keyed,
    LogRead,
    LogView,
    ProgramSaid,
    PromptSent,
    Signal,
    Spawned,
    Tick,
    TitleSaid,
    told,
)
from cardloom.features.agents.spoken import ProgramAsks, Spoken, TitleText, scan
from cardloom.features.agents.state import AgentState, Published
from cardloom.features.agents.status import initial, step, wake_at_ms

SAMPLES = Path(__file__).parent / "samples"
LOG_LAG_MS = 300
"""How long after a line is written our look at the log sees it."""


@dataclass
class Replay:
    harness: Harness
    state: AgentState
    published: list[Published] = field(default_factory=list)

    def send(self, signal: Signal, at_ms: int) -> None:
        while (wake_ms := wake_at_ms(self.state)) is not None and wake_ms <= at_ms:
            self._step(Tick(), wake_ms)
        self._step(signal, at_ms)

    def _step(self, signal: Signal, at_ms: int) -> None:
        self.state, published = step(self.state, signal, at_ms)
        self.published += published

    def words(self) -> list[str]:
        told = [f"{one.status.value}({one.evidence.source.value})" for one in self.published]
        self.published.clear()
        return told


def replay_of(harness: Harness) -> Replay:
    return Replay(harness, initial(harness.rules))


def lines(name: str) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


def moments(name: str, harness: Harness, *, with_log: bool) -> Iterator[tuple[int, str, Any]]:
    """Marks, hooks and views of the log in the order of their times."""
    moments: list[tuple[int, str, Any]] = []
    for line in lines(f"{name}.hooks.jsonl"):
        at_ms = round(line["t"] * 1000)
        moments.append((at_ms, "mark", line["mark"]) if "mark" in line else (at_ms, "hook", line))
    if with_log and harness.read_log is not None:
        view = LogView()
        for written in (SAMPLES / f"{name}.log.jsonl").read_text(encoding="utf-8").splitlines():
            view = harness.read_log(view, written)
            at_ms = iso_ms(json.loads(written).get("timestamp")) or moments[-1][0]
            moments.append((at_ms + LOG_LAG_MS, "log", view))
    return iter(sorted(moments, key=lambda moment: moment[0]))


def press(replay: Replay, mark: str, at_ms: int) -> None:
    match mark:
        case "start":
            replay.send(Spawned(), at_ms)
        case "approve":
            replay.send(Keyed(b"\r"), at_ms)
        case "deny":
            replay.send(Keyed(b"\x1b"), at_ms)
            if replay.harness.id == "kilo-code":
                replay.send(Keyed(b"\r"), at_ms + 250)
        case "esc":
            replay.send(Keyed(b"\x1b"), at_ms)
        case "end":
            replay.send(Exited(replay.state.life, 0), at_ms)
        case _ if mark.startswith("prompt"):
            replay.send(PromptSent(), at_ms)


def replayed(name: str, harness: Harness, *, with_log: bool = False) -> tuple[dict[str, list[str]], AgentState]:
    """The statuses after each prompt of a recording, by the prompt, and the state in the end."""
    replay = replay_of(harness)
    told_after: dict[str, list[str]] = {}
    prompt = "start"
    for at_ms, kind, what in moments(name, harness, with_log=with_log):
        if kind == "mark":
            if what.startswith("prompt") or what == "end":
                told_after[prompt] = told_after.get(prompt, []) + replay.words()
                prompt = what.removeprefix("prompt ")
            press(replay, what, at_ms)
        elif kind == "log":
            replay.send(LogRead(what), at_ms)
        else:
            hooked = {"properties": what["payload"]} if harness.id in ("opencode", "kilo-code") else what["payload"]
            for signal in told(harness.read_hook(what["event"], hooked, HookContext()), replay.state.life, at_ms):
                replay.send(signal, at_ms)
    told_after[prompt] = replay.words()
    return told_after, replay.state


ANSWERED = ["working(hook)", "finished(hook)"]
APPROVED = ["working(hook)", "needs-input(hook)", "working(keys)", "finished(hook)"]
REFUSED = ["working(hook)", "needs-input(hook)", "idle(keys)"]
EXITED = {"exit": [], "end": ["exited(process)"]}
USUAL = {"start": [], "text": ANSWERED, "tool": APPROVED, "deny": REFUSED, "think": ANSWERED, **EXITED}
BOTH_ASKED = ["working(hook)", "needs-input(hook)", "needs-input(hook)", "working(hook)", "finished(hook)"]
PLUGIN = {
    **USUAL,
    "tool": ["working(hook)", "needs-input(hook)", "working(hook)", "finished(hook)"],
    "deny": ["working(hook)", "needs-input(hook)", "idle(hook)"],
    "slow": ["working(hook)", "idle(hook)"],
    "two": BOTH_ASKED,
}
"""The plugin tells of each answer, so that no key is taken for one."""

RUNS: Sequence[tuple[str, Harness, dict[str, list[str]]]] = (
    ("opencode", opencode.HARNESS, PLUGIN),
    ("kilo", kilo_code.HARNESS, PLUGIN),
    ("qwen", qwen_code.HARNESS, {**USUAL, "slow": ["working(hook)", "idle(hook)"], "two": ANSWERED}),
    ("gemini", gemini_cli.HARNESS, {**USUAL, "slow": ["working(hook)", "idle(hook)"], "two": ANSWERED}),
    (
        "pi",
        pi.HARNESS,
        {
            **USUAL,
            "deny": APPROVED,
            "slow": ["working(hook)", "idle(hook)"],
            "two": [*APPROVED[:3], *APPROVED[1:]],
        },
    ),
)


@pytest.mark.parametrize(
    ("name", "harness", "expected"), RUNS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_a_program_told_gives_its_statuses(name: str, harness: Harness, expected: dict[str, list[str]]) -> None:
    assert replayed(name, harness)[0] == expected


@pytest.mark.parametrize("name", ["claude", "claude197", "codex"])
def test_an_interruption_that_no_hook_tells_is_read_from_the_log(name: str) -> None:
    harness = codex_cli.HARNESS if name == "codex" else claude_code.HARNESS
    told_after, state = replayed(name, harness, with_log=True)
    assert told_after == {**USUAL, "slow": ["working(hook)", "idle(transcript)"], "two": ANSWERED}
    assert state.reply is not None
    assert state.reply.text == "The tool finished; all done. (scripted final text)"
    assert state.session_id is not None
    assert state.log_path is not None


def test_a_turn_with_a_sub_agent_in_the_background_ends_once() -> None:
    told_after, state = replayed("sub-claude", claude_code.HARNESS)
    assert told_after == {"start": [], "p:[[sub]] e": ANSWERED, "p:[[text]] f": ANSWERED, **EXITED}
    assert state.subagents == ()


def test_compaction_is_no_turn() -> None:
    told_after, _ = replayed("c-claude", claude_code.HARNESS)
    assert told_after == {"start": [], "write": APPROVED, "p:/compact": [], **EXITED}


@pytest.mark.parametrize(("name", "harness"), [("qwen", qwen_code.HARNESS), ("gemini", gemini_cli.HARNESS)])
def test_a_reply_is_read_from_the_log(name: str, harness: Harness) -> None:
    assert harness.read_log is not None
    view = LogView()
    for line in (SAMPLES / f"{name}.log.jsonl").read_text(encoding="utf-8").splitlines():
        view = harness.read_log(view, line)
    assert (view.reply, view.phase) == ("The tool finished; all done. (scripted final text)", "answered")


def spoken(name: str, piece_chars: int = 4096) -> Iterator[Spoken]:
    text = gzip.decompress((SAMPLES / f"{name}.pty.gz").read_bytes()).decode(errors="replace")
    carry = ""
    for start in range(0, len(text), piece_chars):
        carry, said = scan(carry, text[start : start + piece_chars])
        yield from said


P_ANSWERED = ["working(program status)", "finished(program status)"]
P_APPROVED = [
    "working(program status)",
    "needs-input(program status)",
    "working(program status)",
    "finished(program status)",
]
P_BROKEN_OFF = ["working(program status)", "idle(program status)"]


@pytest.mark.parametrize(
    ("name", "at_start", "refused"),
    [
        ("claude", 1, ["working(program status)", "needs-input(program status)", "idle(program status)"]),
        ("codex", 3, [*P_APPROVED[:3], "idle(program status)"]),
    ],
)
def test_program_status_alone_gives_the_statuses(name: str, at_start: int, refused: list[str]) -> None:
    """No hook runs here: only Enter before each turn, and the records as printed, two seconds apart."""
    replay = replay_of(claude_code.HARNESS if name == "claude" else codex_cli.HARNESS)
    replay.send(Spawned(), 0)
    records = [one for one in spoken(name) if isinstance(one, ProgramSaid)]
    before = "idle"
    for number, record in enumerate(records):
        if number >= at_start and record.state == "working" and before in ("idle", "done"):
            replay.send(Keyed(b"\r"), number * 2_000 + 1_000)
        replay.send(record, number * 2_000 + 2_000)
        before = record.state
    assert replay.words() == [*P_ANSWERED, *P_APPROVED, *refused, *P_BROKEN_OFF, *P_ANSWERED, *P_ANSWERED]


def test_a_program_asks_once_whether_its_status_is_understood() -> None:
    assert [one for one in spoken("claude") if isinstance(one, ProgramAsks)] == [ProgramAsks()]


def test_a_question_told_by_program_status_has_its_exact_action() -> None:
    blocked = [one for one in spoken("claude") if isinstance(one, ProgramSaid) and one.state == "blocked"]
    assert [one.message for one in blocked] == [
        "approve Bash: echo hi > out.txt && cat out.txt",
        "approve Bash: echo no > no.txt",
    ]
    assert {one.kind for one in blocked} == {"permission"}


def titles(name: str, harness: Harness) -> list[TitleSaid]:
    assert harness.read_title is not None
    said: list[TitleSaid] = []
    for one in spoken(name):
        if isinstance(one, TitleText):
            title = harness.read_title(one.text)
            said += [title] if not said or said[-1] != title else []
    return said


def test_titles_give_the_sessions_name_and_states() -> None:
    claude = titles("claude197", claude_code.HARNESS)
    assert claude[:3] == [TitleSaid("ready"), TitleSaid("working"), TitleSaid("working", "Scripted session title")]
    codex = titles("codex", codex_cli.HARNESS)
    assert TitleSaid("working", "[[text]] hello") in codex
    assert TitleSaid("asking") in codex
    assert TitleSaid("working") in titles("qwen", qwen_code.HARNESS)
