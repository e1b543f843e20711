"""Local days: where they begin and end, days of 23 and 25 hours included. Spec: harnesses, windows."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from cardloom_protocol.usage import Period

_DAYS: Final[dict[Period, int]] = {"today": 1, "7d": 7, "30d": 30}

DAY_MS: Final = 24 * 3_600_000

Window = tuple[int, int]
"""From and to in epoch milliseconds; the end is not included."""


def window_of(period: Period, now_ms: int, zone: tzinfo | None = None) -> Window:
    """The last so many local days, today being one of them and reckoned to its end. Without a zone: the machine's."""
    today = local_day(now_ms, zone)
    first = today - timedelta(days=_DAYS[period] - 1)
    return midnight_ms(first, zone), midnight_ms(today + timedelta(days=1), zone)


def local_day(at_ms: int, zone: tzinfo | None = None) -> date:
    """The day a moment belongs to; midnight belongs to the day that begins."""
    return datetime.fromtimestamp(at_ms / 1000, zone).date()


def midnight_ms(day: date, zone: tzinfo | None = None) -> int:
    """When a local day begins. Where the clock jumps over midnight, it is the moment of the jump."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return round(midnight.timestamp() * 1000)


def day_of(at_ms: int, zone: tzinfo | None = None) -> Window:
    """The local day that a moment belongs to."""
    day = local_day(at_ms, zone)
    return midnight_ms(day, zone), midnight_ms(day + timedelta(days=1), zone)


def days_between(from_ms: int, to_ms: int, zone: tzinfo | None = None) -> list[Window]:
    """The local days that a window touches, each cut to it."""
    days: list[Window] = []
    day = local_day(from_ms, zone)
    start = from_ms
    while start < to_ms:
        day += timedelta(days=1)
        end = min(midnight_ms(day, zone), to_ms)
        days.append((start, end))
        start = end
    return days
