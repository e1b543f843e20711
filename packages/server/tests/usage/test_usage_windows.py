"""Local days, those of 23 and 25 hours included."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from cardloom.features.usage.store import Scope
from cardloom.features.usage.windows import days_between, local_day, midnight_ms, window_of

from .making_logs import Home, claude_answer

HOUR_MS = 3_600_000
BERLIN = ZoneInfo("Europe/Berlin")


def ms(*moment: int, zone: ZoneInfo = BERLIN) -> int:
    return round(datetime(*moment, tzinfo=zone).timestamp() * 1000)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("day", "hours"), [((2026, 3, 29), 23), ((2026, 10, 25), 25), ((2026, 11, 30), 24)], ids=["23", "25", "24"]
)
def test_a_day_is_as_long_as_it_is(day: tuple[int, int, int], hours: int) -> None:
    begin, end = window_of("today", ms(*day, 12), BERLIN)
    assert (begin, end - begin) == (ms(*day), hours * HOUR_MS)


def test_seven_days_are_today_and_the_six_before() -> None:
    begin, end = window_of("7d", ms(2026, 10, 27, 9), BERLIN)
    assert (begin, end) == (ms(2026, 10, 21), ms(2026, 10, 28))
    assert end - begin == (7 * 24 + 1) * HOUR_MS
    assert window_of("30d", ms(2026, 11, 30), BERLIN)[0] == ms(2026, 11, 1)


def test_midnight_belongs_to_the_day_that_begins(home: Home) -> None:
    midnight = midnight_ms(local_day(ms(2026, 11, 30, 9), BERLIN), BERLIN)
    assert local_day(midnight, BERLIN).day == 30
    assert local_day(midnight - 1, BERLIN).day == 29


def test_a_jump_over_midnight_leaves_no_gap() -> None:
    beirut = ZoneInfo("Asia/Beirut")
    days = days_between(ms(2026, 3, 27, 12, zone=beirut), ms(2026, 3, 31, zone=beirut), beirut)
    assert all(before[1] == after[0] for before, after in pairwise(days))
    assert [end - begin for begin, end in days[1:]] == [24 * HOUR_MS, 23 * HOUR_MS, 24 * HOUR_MS]


def test_days_are_cut_to_their_window() -> None:
    begin, end = ms(2026, 11, 29, 20), ms(2026, 11, 30, 1)
    assert days_between(begin, end, BERLIN) == [(begin, ms(2026, 11, 30)), (ms(2026, 11, 30), end)]
    assert days_between(begin, begin, BERLIN) == []


def test_a_request_is_counted_in_the_window_that_begins_with_it(home: Home) -> None:
    home.claude("S", claude_answer(0))
    at_ms = home.only().at_ms
    assert datetime.fromtimestamp(at_ms / 1000, UTC).year == 2026
    assert home.store.work(Scope(at_ms, at_ms + 1)).requests == 1
    assert home.store.work(Scope(at_ms - 10, at_ms)).requests == 0
