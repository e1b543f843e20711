"""The rules of budgets without a server: their periods, their steps, and whom they hold back."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from cardloom.features.usage.budgets import Budget, Period, Spent, Unpriced, refusal_of, window_of
from cardloom_protocol.ids import CardId
from cardloom_protocol.usage import Tokens, Work

BERLIN = ZoneInfo("Europe/Berlin")
HOUR_MS = 3_600_000
AGENT, OTHER = CardId("c_agent"), CardId("c_other")


def ms(*moment: int, zone: str = "Europe/Berlin") -> int:
    return round(datetime(*moment, tzinfo=ZoneInfo(zone)).timestamp() * 1000)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("period", "first", "after"),
    [
        ("day", (2026, 3, 29), (2026, 3, 30)),
        ("week", (2026, 3, 23), (2026, 3, 30)),
        ("month", (2026, 3, 1), (2026, 4, 1)),
    ],
)
def test_periods_are_whole_local_days_and_weeks_begin_on_monday(
    period: Period, first: tuple[int, ...], after: tuple[int, ...]
) -> None:
    for hour in (0, 1, 3, 23):
        assert window_of(period, ms(2026, 3, 29, hour), BERLIN) == (ms(*first), ms(*after))


def test_a_week_over_a_changed_clock_is_an_hour_shorter() -> None:
    begin, end = window_of("week", ms(2026, 3, 25), BERLIN) or (0, 0)
    assert end - begin == (7 * 24 - 1) * HOUR_MS


def test_the_last_month_of_a_year_ends_with_it() -> None:
    assert window_of("month", ms(2026, 12, 31, 23), BERLIN) == (ms(2026, 12, 1), ms(2027, 1, 1))
    assert window_of("month", ms(2028, 2, 29), BERLIN) == (ms(2028, 2, 1), ms(2028, 3, 1))


def test_a_period_is_that_of_the_zone() -> None:
    now_ms = ms(2026, 11, 30, 23, zone="UTC")
    assert window_of("day", now_ms, ZoneInfo("Pacific/Auckland")) == (
        ms(2026, 12, 1, zone="Pacific/Auckland"),
        ms(2026, 12, 2, zone="Pacific/Auckland"),
    )
    assert window_of("total", now_ms) is None


def spent(cost_micro: int | None, tokens: int | None, *, unpriced: int = 0, **budget: object) -> Spent:
    rule: Unpriced = "pause" if budget.pop("pause", False) else "ignore"
    whole = Budget("b", "day", rule, **budget)  # type: ignore[arg-type]
    cost_pico = None if cost_micro is None else cost_micro * 1_000_000
    return Spent(whole, 0, Work(1, Tokens(input=tokens), cost_pico, unpriced))


@pytest.mark.parametrize(
    ("one", "percent", "step"),
    [
        (spent(None, None, limit_tokens=100), 0, 0),
        (spent(0, 49, limit_tokens=100), 49, 0),
        (spent(0, 50, limit_tokens=100), 50, 50),
        (spent(799_999, 0, limit_micro_usd=1_000_000), 79, 50),
        (spent(800_000, 0, limit_micro_usd=1_000_000), 80, 80),
        (spent(999_999, 0, limit_micro_usd=1_000_000), 99, 80),
        (spent(1_000_000, 0, limit_micro_usd=1_000_000), 100, 100),
        (spent(10, 300, limit_micro_usd=1_000_000, limit_tokens=100), 300, 100),
        (spent(10, 5, unpriced=1, limit_micro_usd=1_000_000), 0, 0),
        (spent(10, 5, unpriced=1, limit_micro_usd=1_000_000, pause=True), 0, 100),
        (spent(10, 5, unpriced=1, limit_tokens=100, pause=True), 5, 0),
    ],
)
def test_the_higher_of_two_limits_counts_and_is_never_rounded_up(one: Spent, percent: int, step: int) -> None:
    assert (one.percent, one.step, one.paused) == (percent, step, step == 100)


def test_a_budget_holds_back_whom_it_is_for() -> None:
    whole, own = spent(0, 1, limit_tokens=1), spent(0, 1, limit_tokens=1, agent_id=AGENT)
    assert refusal_of([own], AGENT) is own
    assert refusal_of([own], OTHER) is None
    assert refusal_of([own, whole], OTHER) is whole
    assert refusal_of([spent(0, 1, limit_tokens=2)], AGENT) is None
