"""Where a card that another one adds comes to stand: to its right, over nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...core.records import Card

GAP: Final = 40.0


def beside(card: Card, size: tuple[float, float], others: Iterable[Card]) -> tuple[float, float]:
    """The place of a new card of this size, right of `card` and as far down as it takes to cover no other."""
    w, h = size
    x, y = card.x + card.w + GAP, card.y
    column = [one for one in others if one.x < x + w + GAP and x < one.x + one.w + GAP]
    for one in sorted(column, key=lambda one: one.y + one.h):
        if one.y < y + h + GAP and y < one.y + one.h + GAP:
            y = one.y + one.h + GAP
    return x, y


def clamped(wanted: float, least: float, most: float) -> float:
    """A length within its bounds."""
    return max(least, min(most, wanted))
