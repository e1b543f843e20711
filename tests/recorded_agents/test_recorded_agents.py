"""Real programs' runs, played from tape: every scene shows the statuses that it showed when it was recorded.

`make test-agents` takes the programs themselves through the same scenes. As root on a machine without a user of that
name, `CARDLOOM_RECORD=tests/recorded_agents/tapes make test-agents ALL=1` makes these tapes anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from cardloom.features.agents.harnesses.table import HARNESSES

from .player import Player
from .scenes import MANNERS, expected_statuses
from .tape import Entry, Hook, Output, Scene, read_tape

TAPES = sorted((Path(__file__).parent / "tapes").glob("*.jsonl.gz"))
LONG_AFTER_MS = 60_000


def harness_id(tape: Path) -> str:
    return tape.name.rsplit("-", 1)[0]


def played(harness: str, entries: Iterable[Entry]) -> Player:
    player = Player(HARNESSES[harness])
    at_ms = 0
    for entry in entries:
        player.play(entry)
        at_ms = entry.at_ms
    player.run_timers(at_ms + LONG_AFTER_MS)
    return player


@pytest.mark.parametrize("tape", TAPES, ids=harness_id)
def test_a_tape_shows_the_statuses_of_every_scene(tape: Path) -> None:
    player = played(harness_id(tape), read_tape(tape))
    assert player.statuses == expected_statuses(harness_id(tape))
    assert (player.state.reply is not None) == MANNERS[harness_id(tape)].hooked


@pytest.mark.parametrize("tape", TAPES, ids=harness_id)
def test_however_the_output_was_cut_into_pieces_the_statuses_are_the_same(tape: Path) -> None:
    def cut(entries: Iterable[Entry]) -> Iterable[Entry]:
        for entry in entries:
            if isinstance(entry, Output):
                yield from (Output(entry.at_ms, entry.text[n : n + 7]) for n in range(0, len(entry.text), 7))
            else:
                yield entry

    assert played(harness_id(tape), cut(read_tape(tape))).statuses == expected_statuses(harness_id(tape))


SPEAKS_ITSELF: Sequence[str] = ("claude-code", "codex-cli")


@pytest.mark.parametrize("harness", SPEAKS_ITSELF)
def test_without_any_hook_the_program_status_and_the_log_tell_the_same_story(harness: str) -> None:
    tape = next(tape for tape in TAPES if harness_id(tape) == harness)
    entries = [entry for entry in read_tape(tape) if not isinstance(entry, Hook)]
    assert played(harness, entries).statuses == expected_statuses(harness)


@pytest.mark.parametrize("tape", TAPES, ids=harness_id)
def test_a_tape_tells_nothing_of_the_machine_it_was_made_on(tape: Path) -> None:
    told = "".join(map(repr, read_tape(tape)))
    assert not re.findall(r"/(?:tmp(?!/claude-)|root|work|var|Users|opt|usr/local)/[\w./-]+", told)


def test_every_tape_holds_every_scene() -> None:
    for tape in TAPES:
        scenes = [entry.name for entry in read_tape(tape) if isinstance(entry, Scene)]
        assert scenes == [scene for scene in expected_statuses(harness_id(tape)) if scene], tape.name
