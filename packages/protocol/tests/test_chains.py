"""The cascade guard."""

import random

import pytest

from cardloom_protocol.hosting import Cause, ChainGuard
from cardloom_protocol.ids import ChainId


def test_a_chain_ends_after_its_last_hop() -> None:
    guard = ChainGuard(max_hops=3, max_per_second=100)
    cause, hops = Cause(ChainId("a")), 0
    while guard.admit(cause, 0):
        cause, hops = cause.next(), hops + 1
    assert hops == 3


def test_a_chain_that_multiplies_is_cut_to_its_share_of_the_second() -> None:
    guard = ChainGuard(max_hops=100, max_per_second=10)
    cause = Cause(ChainId("a"))
    assert [guard.admit(cause, 0, 8), guard.admit(cause, 500, 8), guard.admit(cause, 999, 8)] == [8, 2, 0]
    assert guard.admit(cause, 1000, 9) == 8
    assert guard.admit(Cause(ChainId("b")), 1000, 9) == 9


@pytest.mark.parametrize("seed", range(20))
def test_no_second_holds_more_deliveries_of_a_chain_than_allowed(seed: int) -> None:
    rng = random.Random(seed)
    guard = ChainGuard(max_hops=5, max_per_second=20)
    now_ms, admitted = 0, dict[ChainId, list[tuple[int, int]]]()
    for _ in range(500):
        now_ms += rng.randrange(60)
        chain_id, count = ChainId(rng.choice("abc")), rng.randrange(1, 10)
        allowed = guard.admit(Cause(chain_id, rng.randrange(1, 6)), now_ms, count)
        assert 0 <= allowed <= count
        history = admitted.setdefault(chain_id, [])
        history.append((now_ms, allowed))
        spent = sum(number for at_ms, number in history if at_ms > now_ms - 1000)
        assert spent <= 20
        assert allowed == count or spent == 20


def test_chains_that_fell_silent_are_forgotten() -> None:
    guard = ChainGuard()
    for number in range(5000):
        guard.admit(Cause(ChainId(str(number))), number)
    assert len(guard) == 1000
