"""The order in which a call is refused, and rates."""

import random
from itertools import pairwise
from typing import Any

import pytest

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import Facts, RateWindow, TokenBucket, check
from cardloom_protocol.method_row import MethodRow

ROW = MethodRow(
    "agents.poke",
    {"type": "object", "properties": {"agentId": {"type": "string"}}, "required": ["agentId"]},
    "agents",
    "Pokes.",
    permissions_any_of=("agents.prompt", "agents.read"),
    visible=True,
    needs_arrow="agentId",
    per_minute=2,
    built=True,
)
GOOD: dict[str, Any] = {
    "params": {"agentId": "c1"},
    "effective": frozenset({"agents.read"}),
    "now_ms": 0,
    "ready": True,
    "visible": True,
    "joined": {"c1"}.__contains__,
}
# In the order of the questions: what spoils the call, and the code it then gets.
SPOILERS: list[tuple[dict[str, Any], ErrorCode]] = [
    ({"ready": False}, ErrorCode.NOT_READY),
    ({}, ErrorCode.METHOD_NOT_FOUND),
    ({"params": {"agentId": 5}}, ErrorCode.INVALID_PARAMS),
    ({"effective": frozenset()}, ErrorCode.PERMISSION_DENIED),
    ({"joined": set().__contains__}, ErrorCode.NOT_CONNECTED),
    ({"visible": False}, ErrorCode.NOT_VISIBLE),
    ({"rate": RateWindow(0)}, ErrorCode.RATE_LIMITED),
]


def refused(row: MethodRow | None, **facts: Any) -> CallError:
    error = check(row, Facts(**{**GOOD, **facts}))
    assert error is not None
    return error


def test_a_good_call_passes() -> None:
    assert check(ROW, Facts(**GOOD)) is None


@pytest.mark.parametrize("first", range(len(SPOILERS)))
def test_of_several_faults_the_first_in_order_is_named(first: int) -> None:
    facts: dict[str, Any] = {}
    for spoiler, _ in reversed(SPOILERS[first:]):
        facts.update(spoiler)
    row = None if first <= 1 else ROW
    assert refused(row, **facts).code is SPOILERS[first][1]


def test_a_refusal_carries_what_a_program_needs() -> None:
    assert refused(ROW, effective=frozenset()).data == {"permission": "agents.prompt"}
    assert refused(ROW, rate=RateWindow(0)).data == {"retryAfterMs": 60_000}
    issues = refused(ROW, params={}).data
    assert isinstance(issues, list)
    assert [issue["path"] for issue in issues if isinstance(issue, dict)] == ["/agentId"]


def test_at_most_ten_issues_are_reported() -> None:
    many = MethodRow("a.b", {"type": "array", "items": {"type": "string"}}, "cards", "Takes texts.", built=True)
    issues = refused(many, params=list(range(50))).data
    assert isinstance(issues, list)
    assert len(issues) == 10


def test_a_row_that_is_not_built_is_no_method() -> None:
    reserved = MethodRow("a.b", {}, "cards", "Waits.")
    assert refused(reserved, params=None).code is ErrorCode.METHOD_NOT_FOUND


def test_the_handshake_passes_before_the_card_is_ready() -> None:
    ready = MethodRow("host.ready", {}, "cards", "Begins.", before_ready=True, built=True)
    assert check(ready, Facts({}, frozenset(), 0, ready=False)) is None


def test_a_caller_without_permissions_of_its_own_is_not_asked_for_one() -> None:
    assert check(ROW, Facts(**{**GOOD, "effective": None})) is None


def test_a_refused_call_does_not_count_against_the_rate() -> None:
    rate = RateWindow(1)
    refused(ROW, rate=rate, visible=False)
    assert check(ROW, Facts(**GOOD, rate=rate)) is None
    assert refused(ROW, rate=rate).code is ErrorCode.RATE_LIMITED


def test_a_gap_counts_from_the_last_accepted_call() -> None:
    rate = RateWindow(min_interval_ms=500)
    assert [rate.take(at_ms) for at_ms in (0, 100, 499, 500, 900)] == [0, 400, 1, 0, 100]


@pytest.mark.parametrize("seed", range(20))
def test_no_window_ever_holds_more_than_allowed_and_the_wait_told_is_exact(seed: int) -> None:
    rng = random.Random(seed)
    rate = RateWindow(3, window_ms=1000, min_interval_ms=50)
    now_ms, accepted = 0, list[int]()
    for _ in range(300):
        now_ms += rng.randrange(200)
        wait_ms = rate.take(now_ms)
        if wait_ms:
            assert rate.wait_ms(now_ms + wait_ms - 1) == 1
            assert rate.wait_ms(now_ms + wait_ms) == 0
            now_ms += wait_ms
            assert rate.take(now_ms) == 0
        accepted.append(now_ms)
        assert sum(at_ms > now_ms - 1000 for at_ms in accepted) <= 3
    assert all(later - sooner >= 50 for sooner, later in pairwise(accepted))


def test_a_method_without_a_rate_has_no_window() -> None:
    assert RateWindow.for_row(MethodRow("a.b", {}, "cards", "Free.")) is None
    window = RateWindow.for_row(ROW)
    assert window is not None
    assert [window.take(0) for _ in range(3)] == [0, 0, 60_000]


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    bucket = TokenBucket(200, 400)
    assert sum(bucket.take(0) == 0 for _ in range(500)) == 400
    assert bucket.take(0) == 5
    assert sum(bucket.take(1000) == 0 for _ in range(500)) == 200
    assert sum(bucket.take(100_000) == 0 for _ in range(500)) == 400
