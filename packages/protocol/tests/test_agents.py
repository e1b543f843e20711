"""Agents: the record on the wire, and the turns that status changes make."""

import pytest

from cardloom_protocol.agents import HARNESSES, AgentInfo, AgentStatus, LastTurn, advance, turn_phase
from cardloom_protocol.ids import CardId

S = AgentStatus
IDLE = AgentInfo(CardId("c1"), "Ada", "claude-code", "ai", S.IDLE)


def test_the_wire_record_leaves_out_what_is_unknown() -> None:
    assert IDLE.to_wire(connected=True) == {
        "id": "c1",
        "name": "Ada",
        "harness": "claude-code",
        "kind": "ai",
        "status": "idle",
        "connected": True,
    }


def test_a_whole_turn_is_remembered() -> None:
    working, phase = advance(IDLE, S.WORKING, 1000)
    assert (phase, working.turn_started_at_ms) == ("start", 1000)
    assert working.to_wire(connected=False)["turnStartedAt"] == 1000
    finished, phase = advance(working, S.FINISHED, 4000)
    assert (phase, finished.turn_started_at_ms) == ("end", None)
    assert finished.last_turn == LastTurn(1000, 4000, "finished")
    assert finished.to_wire(connected=False)["lastTurn"] == {
        "startedAt": 1000,
        "endedAt": 4000,
        "endedAs": "finished",
    }


@pytest.mark.parametrize("status", [S.IDLE, S.EXITED])
def test_an_interrupted_turn_ends_without_becoming_the_last_one(status: AgentStatus) -> None:
    done, _ = advance(advance(IDLE, S.WORKING, 1)[0], S.FINISHED, 2)
    stopped, phase = advance(advance(done, S.WORKING, 3)[0], status, 4)
    assert phase == "end"
    assert stopped.last_turn == LastTurn(1, 2, "finished")
    assert stopped.turn_started_at_ms is None


def test_a_question_ends_a_turn_and_its_answer_starts_another() -> None:
    asking, phase = advance(advance(IDLE, S.WORKING, 1)[0], S.NEEDS_INPUT, 2)
    assert phase == "end"
    assert asking.last_turn == LastTurn(1, 2, "needs-input")
    assert advance(asking, S.WORKING, 3)[1] == "start"


def test_only_entering_and_leaving_work_makes_a_turn() -> None:
    for before in S:
        for after in S:
            touches_work = (before is S.WORKING) != (after is S.WORKING)
            assert (turn_phase(before, after) is not None) == touches_work


def test_every_shell_harness_is_named_a_shell() -> None:
    assert all((harness.kind == "shell") == key.startswith("shell-") for key, harness in HARNESSES.items())
    assert len(HARNESSES) == 16
