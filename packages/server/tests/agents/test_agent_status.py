"""Promises of the status machine beyond its table: evidence, watchdog, storms of signals, clocks that go back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardloom.features.agents.clock_jumps import kept_up, shifted
from cardloom.features.agents.facts import (
    Answered,
    Asked,
    EndsAs,
    Fact,
    HookResult,
    Question,
    Replied,
    Resumed,
    SessionSeen,
    Subagent,
    SubagentsAre,
    SubagentStarted,
    SubagentStopped,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from cardloom.features.agents.signals import (
    AnswerMissed,
    AnswerSent,
    Exited,
    InterruptSent,
    Keyed,
    LogPhase,
    LogRead,
    LogView,
    Printed,
    ProgramSaid,
    PromptSent,
    ResumeMissed,
    Signal,
    Source,
    Spawned,
    SpawnFailed,
    Tick,
    TitleSaid,
    TitleState,
    Told,
)
from cardloom.features.agents.signals import told as hook_told
from cardloom.features.agents.state import AgentState, Published, Reply, Rules
from cardloom.features.agents.status import initial, step, wake_at_ms
from cardloom_protocol.agents import AgentStatus

HOUR_MS = 3_600_000
ASK = Question("permission", "run x", "run x")


def run(state: AgentState, *signals: tuple[int, Signal], until_ms: int = 0) -> tuple[AgentState, list[Published]]:
    """Send signals at their times, ticking between them, and on to `until_ms`."""
    told: list[Published] = []
    for at_ms, signal in (*signals, (until_ms, Tick())):
        while (wake_ms := wake_at_ms(state)) is not None and wake_ms <= at_ms:
            before = state
            state, due = step(state, Tick(), wake_ms)
            assert state != before, "a timer that ran out changed nothing"
            told += due
        state, moved = step(state, signal, at_ms)
        told += moved
    return state, told


def started(rules: Rules | None = None) -> AgentState:
    return step(initial(rules or Rules()), Spawned(), 1_000)[0]


def fact(at_ms: int, told: Fact, source: Source = Source.HOOK) -> tuple[int, Signal]:
    return at_ms, Told(told, 1, at_ms, source)


def words(published: list[Published]) -> list[str]:
    return [f"{one.status.value}({one.evidence.source.value})" for one in published]


def test_a_status_carries_what_it_rests_on() -> None:
    state, told = run(started(), fact(2_000, TurnStarted()))
    assert state.evidence is not None
    assert (told[0].evidence, state.evidence.source, state.evidence.at_ms) == (state.evidence, Source.HOOK, 2_000)
    assert state.evidence.note == "a turn began"


def test_a_turn_without_a_sign_of_life_does_not_stay_at_work() -> None:
    state, told = run(started(), fact(2_000, TurnStarted()), (5_000, Printed()), until_ms=125_000)
    assert words(told) == ["working(hook)", "finished(output)"]
    assert (told[-1].error, state.presumed) == (True, True)
    state, told = run(state, fact(130_000, Resumed()), fact(131_000, TurnEnded()))
    assert words(told) == ["working(hook)", "finished(hook)"]
    assert state.error is None


def test_a_program_that_prints_or_says_that_it_works_is_left_alone() -> None:
    spinner = [(at_ms, Printed()) for at_ms in range(3_000, HOUR_MS, 60_000)]
    assert words(run(started(), fact(2_000, TurnStarted()), *spinner, until_ms=HOUR_MS)[1]) == ["working(hook)"]
    said = (2_100, ProgramSaid("working"))
    assert words(run(started(), fact(2_000, TurnStarted()), said, until_ms=HOUR_MS)[1]) == ["working(hook)"]
    assert len(run(started(), fact(2_000, TurnStarted()), said, until_ms=2 * HOUR_MS)[1]) == 2
    silent = started(Rules(silence_ms=None))
    assert words(run(silent, fact(2_000, TurnStarted()), until_ms=HOUR_MS)[1]) == ["working(hook)"]


def test_program_status_ends_a_turn_whose_hook_is_lost() -> None:
    _, told = run(
        started(), fact(2_000, TurnStarted()), (2_100, ProgramSaid("working")), (4_000, ProgramSaid("done")),
        until_ms=9_000,
    )  # fmt: skip
    assert words(told) == ["working(hook)", "finished(program status)"]
    assert told[-1].at_ms == 5_000


def test_the_hook_of_an_end_is_preferred_to_program_status() -> None:
    _, told = run(
        started(), fact(2_000, TurnStarted()), (2_100, ProgramSaid("working")), (4_000, ProgramSaid("done")),
        fact(4_100, TurnEnded()), until_ms=9_000,
    )  # fmt: skip
    assert words(told) == ["working(hook)", "finished(hook)"]


def test_a_notice_of_rest_waits_for_the_end_that_comes_behind_it() -> None:
    begun = fact(2_000, TurnStarted())
    for stop_ms, expected in ((4_800, ["finished(hook)"]), (9_000, ["idle(hook)", "finished(hook)"])):
        _, told = run(started(), begun, fact(4_000, Waiting()), fact(stop_ms, TurnEnded()), until_ms=20_000)
        assert words(told) == ["working(hook)", *expected]
    answered = (3_900, LogRead(LogView("answered", 3_800, 2_100, 3_800)))
    assert words(run(started(), begun, answered, fact(4_000, Waiting()), until_ms=7_000)[1])[-1] == "finished(hook)"
    of_before = (3_900, LogRead(LogView("answered", 1_500, 1_200, 1_500)))
    assert words(run(started(), begun, of_before, fact(4_000, Waiting()), until_ms=7_000)[1])[-1] == "idle(hook)"


def test_a_notice_of_rest_after_an_interrupt_is_no_end_that_may_follow() -> None:
    interrupted = [fact(2_000, TurnStarted()), (3_000, InterruptSent()), fact(3_200, Waiting())]
    _, told = run(started(), *interrupted, fact(12_000, TurnEnded()), until_ms=20_000)
    assert words(told) == ["working(hook)", "idle(hook)"]


def test_a_start_that_a_program_calls_work_is_no_turn() -> None:
    said = [(2_000, ProgramSaid("idle")), (2_100, ProgramSaid("working")), (3_000, ProgramSaid("idle"))]
    assert run(started(), *said, until_ms=9_000)[1] == []


def test_rest_that_is_said_at_a_turns_very_beginning_is_the_start_of_the_program() -> None:
    said = [(2_000, ProgramSaid("working")), fact(2_500, TurnStarted()), (2_600, ProgramSaid("idle"))]
    _, told = run(started(), *said, (2_700, ProgramSaid("working")), until_ms=9_000)
    assert words(told) == ["working(hook)"]


def test_escape_is_believed_when_the_program_says_rest() -> None:
    signals = [fact(2_000, TurnStarted()), (2_100, ProgramSaid("working")), (4_000, Keyed(b"\x1b"))]
    _, told = run(started(), *signals, (4_050, ProgramSaid("idle")), until_ms=4_060)
    assert words(told) == ["working(hook)", "idle(program status)"]


def test_an_error_that_a_program_says_is_remembered_with_its_words() -> None:
    signals = [fact(2_000, TurnStarted()), (2_100, ProgramSaid("working"))]
    state, told = run(started(), *signals, (4_000, ProgramSaid("error", message="no credit")), until_ms=9_000)
    assert (words(told)[-1], state.error) == ("finished(program status)", "no credit")


def test_parts_of_a_program_are_not_the_program() -> None:
    signals = [fact(2_000, TurnStarted()), (2_100, ProgramSaid("working")), (4_000, ProgramSaid("done", id="a"))]
    assert words(run(started(), *signals, until_ms=9_000)[1]) == ["working(hook)"]


def test_a_question_keeps_its_words_when_two_sources_tell_of_it() -> None:
    signals = [fact(2_000, TurnStarted()), (3_000, ProgramSaid("blocked", "permission")), fact(3_100, Asked(ASK))]
    state, told = run(started(), *signals, until_ms=9_000)
    assert words(told) == ["working(hook)", "needs-input(program status)"]
    assert (state.question, told[-1].at_ms) == (ASK, 3_500)


def test_a_title_at_rest_ends_a_turn_whose_end_is_lost() -> None:
    signals = [
        fact(2_000, TurnStarted()),
        (2_100, TitleSaid("working", "fix it")),
        (4_000, TitleSaid("ready", "fix it")),
    ]
    state, told = run(started(), *signals, until_ms=9_000)
    assert (words(told), state.title) == (["working(hook)", "finished(title)"], "fix it")


def test_titles_alone_tell_of_turns_where_no_hook_speaks() -> None:
    def title(at_ms: int, state: TitleState) -> tuple[int, Signal]:
        return at_ms, TitleSaid(state)

    begin = [title(1_500, "ready"), (2_000, PromptSent()), title(2_100, "working"), title(3_000, "asking")]
    _, told = run(started(), *begin, title(5_000, "working"), title(6_000, "ready"), until_ms=6_400)
    assert words(told) == ["working(title)", "needs-input(title)", "working(title)", "finished(title)"]
    assert words(run(started(), *begin, title(5_000, "ready"))[1])[-1] == "idle(title)"
    escaped = [*begin[:3], (4_000, Keyed(b"\x1b")), title(4_100, "ready")]
    assert words(run(started(), *escaped)[1]) == ["working(title)", "idle(title)"]


def test_a_prompt_that_no_hook_follows_leaves_output_to_judge() -> None:
    printing = [(at_ms, Printed()) for at_ms in range(2_000, 20_000, 500)]
    state, told = run(started(), (2_000, PromptSent()), *printing, until_ms=30_000)
    assert words(told) == ["working(output)", "finished(output)"]
    assert state.unheard
    state, told = run(state, fact(31_000, TurnStarted()), until_ms=40_000)
    assert (words(told), state.unheard) == (["working(hook)"], False)


def test_a_program_started_with_a_prompt_may_load_for_a_while_before_its_hooks_speak() -> None:
    """OpenCode on a busy machine drew its first picture and posted its first event after twelve seconds."""
    loading = step(initial(Rules()), Spawned(with_prompt=True), 1_000)[0]
    drawing = [(at_ms, Printed()) for at_ms in range(12_000, 14_000, 500)]
    state, told = run(loading, *drawing, fact(20_000, TurnStarted()), fact(21_000, TurnEnded()))
    assert (words(told), state.unheard) == (["working(hook)", "finished(hook)"], False)
    assert run(loading, *drawing, until_ms=62_000)[0].unheard


def test_a_prompt_whose_turn_is_seen_in_another_way_is_heard() -> None:
    begin: list[tuple[int, Signal]] = [(2_000, PromptSent()), (2_100, TitleSaid("working")), (3_000, Printed())]
    state, told = run(started(), *begin, until_ms=60_000)
    assert (words(told), state.unheard) == (["working(title)"], False)


def test_a_second_question_waits_behind_the_first() -> None:
    one, two = (replace(ASK, about=name, detail=name) for name in ("one", "two"))
    signals = [fact(2_000, TurnStarted()), fact(3_000, Asked(one)), fact(3_010, Asked(two))]
    state, told = run(started(), *signals, until_ms=5_000)
    assert ([one.status.value for one in told], state.question) == (["working", "needs-input"], one)
    state, told = run(state, fact(6_000, Answered("one")), until_ms=6_500)
    assert ([one.status.value for one in told], told[0].quiet, state.question) == (["needs-input"], False, two)
    state, told = run(state, fact(7_000, Answered("two")), until_ms=7_500)
    assert ([one.status.value for one in told], state.question) == (["working"], None)


def test_an_answer_of_the_host_counts_only_while_the_question_is_open() -> None:
    asked = [fact(2_000, TurnStarted()), fact(3_000, Asked(ASK))]
    assert words(run(started(), *asked, (4_000, AnswerSent("approve")))[1])[-1] == "working(keys)"
    assert words(run(started(), *asked, (4_000, AnswerSent("deny")))[1])[-1] == "idle(keys)"
    goes_on = started(Rules(escape="goes-on"))
    assert words(run(goes_on, *asked, (4_000, AnswerSent("deny")))[1])[-1] == "working(keys)"
    assert words(run(started(), asked[0], (4_000, AnswerSent("deny")))[1]) == ["working(hook)"]


def test_an_answer_that_the_dialog_did_not_take_leaves_the_question_open_unless_something_else_told_more() -> None:
    asked = [fact(2_000, TurnStarted()), fact(3_000, Asked(ASK))]
    for choice in ("approve", "deny"):
        state, told = run(started(), *asked, (4_000, AnswerSent(choice)), (7_000, AnswerMissed(ASK)))
        assert (words(told)[-1], state.question) == ("needs-input(keys)", ASK)
    ended = fact(5_000, TurnEnded("done"))
    state, told = run(started(), *asked, (4_000, AnswerSent("approve")), ended, (7_000, AnswerMissed(ASK)))
    assert (words(told)[-1], state.question) == ("finished(hook)", None)


def test_where_answers_are_told_no_key_is_taken_for_one() -> None:
    told_of = started(Rules(escape="nothing", keys_answer=False))
    asked = [fact(2_000, TurnStarted()), fact(3_000, Asked(ASK))]
    keys: list[tuple[int, Signal]] = [(4_000, Keyed(b"\r")), (4_100, Keyed(b"\x1b")), (4_200, AnswerSent("deny"))]
    state, told = run(told_of, *asked, *keys, until_ms=60_000)
    assert (words(told), state.question) == (["working(hook)", "needs-input(hook)"], ASK)
    assert words(run(state, fact(61_000, Answered()))[1]) == ["working(hook)"]


def test_a_prompt_sent_right_after_a_refusal_is_no_echo() -> None:
    asked = [fact(2_000, TurnStarted()), fact(3_000, Asked(ASK)), (4_000, AnswerSent("deny"))]
    _, told = run(started(), *asked, (4_100, PromptSent()), fact(4_200, TurnStarted()))
    assert words(told)[-2:] == ["idle(keys)", "working(hook)"]


def test_a_time_before_the_last_one_counts_as_the_last_one() -> None:
    state, _ = run(started(), fact(100_000, TurnStarted()))
    state, told = step(state, Told(Asked(ASK), 1, 100_000), 99_900)
    assert (told, state.now_ms, wake_at_ms(state)) == ((), 100_000, 100_500)


@pytest.mark.parametrize("by_ms", [-HOUR_MS, 8 * HOUR_MS])
def test_a_clock_that_is_set_moves_every_moment_and_no_length(by_ms: int) -> None:
    begun = [fact(2 * HOUR_MS, TurnStarted()), (2 * HOUR_MS, LogRead(LogView("answered", HOUR_MS)))]
    state, _ = run(started(), *begun, fact(2 * HOUR_MS + 100, Asked(ASK)))
    moved = shifted(state, by_ms)
    wake_ms, moved_wake_ms = wake_at_ms(state), wake_at_ms(moved)
    assert wake_ms is not None
    assert moved_wake_ms == wake_ms + by_ms
    assert moved.rules == state.rules
    assert moved.asks[0].evidence.at_ms == state.asks[0].evidence.at_ms + by_ms
    assert shifted(moved, -by_ms) == state
    _, told = run(moved, until_ms=moved_wake_ms + 100)
    assert words(told) == ["needs-input(hook)"]


def test_a_machine_that_slept_finds_its_turns_as_they_were() -> None:
    state, ahead_ms = kept_up(run(started(), fact(2_000, TurnStarted()))[0], None, 2_000, 500)
    state, ahead_ms = kept_up(state, ahead_ms, 3_100, 1_500)
    assert (state.since_ms, ahead_ms) == (2_000, 1_500)
    state, ahead_ms = kept_up(state, ahead_ms, 8 * HOUR_MS, 2_500)
    assert (state.since_ms, ahead_ms) == (8 * HOUR_MS - 2_000, 8 * HOUR_MS - 2_500)
    assert run(state, until_ms=8 * HOUR_MS + 100_000)[1] == []


def test_a_start_that_fails_says_why() -> None:
    state, told = run(initial(Rules()), (1_000, SpawnFailed("claude was not found")))
    assert (words(told), told[0].detail) == (["exited(process)"], "claude was not found")
    assert state.shown is AgentStatus.EXITED


def test_a_fresh_start_that_fails_after_a_missing_session_is_seen() -> None:
    signals: list[tuple[int, Signal]] = [(2_000, ResumeMissed(True)), (3_000, Exited(1)), (4_000, SpawnFailed("gone"))]
    assert words(run(started(), *signals)[1]) == ["exited(process)"]


FACTS: st.SearchStrategy[Fact] = st.sampled_from(
    [
        TurnStarted(), Resumed(), Resumed("a"), Asked(ASK), Asked(replace(ASK, about="a")), Asked(ASK, sure=False),
        Answered("a"), Answered(), EndsAs("interrupted"), EndsAs("failed", "x"), TurnEnded(), TurnEnded("failed", "x"),
        TurnEnded("interrupted"), TurnEnded("failed", "x", settle_ms=4_000), Waiting(), Replied("r"),
        SubagentStarted(Subagent("s1", "a")), SubagentStopped("s1"), SubagentsAre(()), SessionSeen("a", "/a"),
        SessionSeen("b", "/b", fresh=True),
    ]
)  # fmt: skip
STATES = st.sampled_from(["idle", "working", "done", "blocked", "error", "clear"])
PHASES: st.SearchStrategy[LogPhase] = st.sampled_from(["unknown", "busy", "answered", "ended", "interrupted", "error"])
OTHERS: st.SearchStrategy[Signal] = st.one_of(
    st.builds(ProgramSaid, STATES),
    st.builds(TitleSaid, st.sampled_from(["ready", "working", "asking", None])),
    st.builds(Keyed, st.sampled_from([b"\x1b", b"\r", b"1", b"y", b"\x03", b"hello", b"\x1b[200~", b"\x1b[201~"])),
    st.sampled_from(
        [Printed(), Spawned(), Exited(1), Exited(3), PromptSent(), InterruptSent(), AnswerSent("approve"),
         AnswerSent("deny"), AnswerMissed(ASK), Tick(), ResumeMissed(True), ResumeMissed(False), SpawnFailed("x")]
    ),
)  # fmt: skip


@st.composite
def storms(draw: st.DrawFn) -> list[tuple[int, Signal]]:
    """Signals in the order of their times, of any kind and of any life."""
    at_ms, storm = 2_000, list[tuple[int, Signal]]()
    for _ in range(draw(st.integers(1, 30))):
        at_ms += draw(st.sampled_from([0, 50, 400, 1_000, 3_000, 12_000]))
        if draw(st.booleans()):
            late_ms = draw(st.sampled_from([0, 0, 100, 2_000]))
            storm.append((at_ms, Told(draw(FACTS), draw(st.integers(1, 4)), at_ms - late_ms)))
        elif draw(st.integers(0, 4)) == 0:
            times = st.sampled_from([None, at_ms - 5_000, at_ms - 100, at_ms])
            view = LogView(draw(PHASES), draw(times), draw(times), draw(times), draw(st.integers(0, 2)), "x")
            storm.append((at_ms, LogRead(view)))
        else:
            storm.append((at_ms, draw(OTHERS)))
    return storm


@settings(max_examples=300, deadline=None)
@given(storms(), st.sampled_from([Rules(), Rules(escape="goes-on", answer_letters="y"), Rules(output="always")]))
def test_no_storm_of_signals_leaves_a_false_or_stuck_status(storm: list[tuple[int, Signal]], rules: Rules) -> None:
    state, told = run(started(rules), *storm)
    assert (state.question is not None) == (state.shown is AgentStatus.NEEDS_INPUT)
    for before, one in pairwise(told):
        assert one.status is not before.status or one.status is AgentStatus.NEEDS_INPUT or _restarted(before, one)
    if told:
        assert told[-1].status is state.shown
    calm, _ = run(state, until_ms=storm[-1][0] + 2 * HOUR_MS)
    assert calm.shown is not AgentStatus.WORKING
    assert (wake_at_ms(calm) or 0) <= calm.now_ms + HOUR_MS


def _restarted(before: Published, after: Published) -> bool:
    """Two processes in a row may end, or begin, with nothing between them."""
    return after.evidence.source is Source.PROCESS and before.status in (AgentStatus.EXITED, AgentStatus.IDLE)


@pytest.mark.parametrize("word", ["finished", "idle"])
def test_the_last_reply_stays_after_the_turn(word: str) -> None:
    end = TurnEnded("done" if word == "finished" else "interrupted", reply="All done.")
    state, told = run(started(), fact(2_000, TurnStarted()), fact(3_000, end))
    assert told[-1].status.value == word
    assert state.reply is not None
    assert (state.reply.text, state.reply.at_ms) == ("All done.", 3_000)


@pytest.mark.parametrize("phase", ["busy", "ended", "answered", "error"])
def test_a_log_whose_clock_was_ahead_holds_up_nothing_that_comes_after_it(phase: LogPhase) -> None:
    ahead = 8 * HOUR_MS
    view = LogView(phase, ahead, ahead, ahead, reply="Look.", reply_at_ms=ahead)
    state, told = run(started(), fact(2_000, TurnStarted()), (4_000, LogRead(view)), (4_100, LogRead(view)))
    assert words(told) == ["working(hook)"]
    assert state.reply == Reply("Look.", 4_000)
    state, told = run(state, fact(5_000, TurnEnded(reply="Done.")), fact(6_000, TurnStarted()), until_ms=7_000)
    assert words(told) == ["finished(hook)", "working(hook)"]
    assert state.reply == Reply("Done.", 5_000)


@pytest.mark.parametrize(("said_ms", "taken_ms"), [(-(2**70), -86_399_000), (2**70, 1_000), (900, 900)])
def test_what_a_hook_says_of_its_time_is_believed_within_bounds(said_ms: int, taken_ms: int) -> None:
    (signal,) = hook_told(HookResult((TurnStarted(),), at_ms=said_ms), 1, 1_000)
    assert signal.at_ms == taken_ms
