"""Counts of which some are not reported, and the bounds of one request. Who only reads logs needs no more than this."""

from __future__ import annotations

from typing import Final

MOST_TOOLS: Final = 32
LONGEST_REQUEST_MS: Final = 30 * 60_000
"""A request that seems to have begun longer before its end has an unknown beginning."""


def plus(left: int | None, right: int | None) -> int | None:
    """Add two counts; what was not reported adds nothing, and two of those stay not reported."""
    if left is None:
        return right
    return left if right is None else left + right


def most(left: int | None, right: int | None) -> int | None:
    """The larger of two counts; not reported is smaller than 0."""
    if left is None:
        return right
    return left if right is None else max(left, right)
