"""A hostile card reaches nothing and nobody: one test a way out, and for each the proof that the test can fail."""

from __future__ import annotations

import pytest

from .attacking import Attacker
from .ways_out import WAYS, Way
from .weakened import Weakness

EACH_WAY = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)


@EACH_WAY
def test_a_hostile_card_gets_nowhere(attacker: Attacker, way: Way) -> None:
    outcome = attacker.attack(way, Weakness())
    assert outcome.witness == []
    assert not way.leaks(outcome), outcome


@EACH_WAY
def test_without_its_defence_the_same_attack_succeeds(attacker: Attacker, way: Way) -> None:
    outcome = attacker.attack(way, way.open)
    assert way.leaks(outcome), outcome
