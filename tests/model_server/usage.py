"""Token counts that differ from request to request, so that a sum shows which requests went into it."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Usage:
    """`uncached` and `cache_read` make the prompt; `output` leaves `reasoning` out."""

    uncached: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int

    @property
    def prompt(self) -> int:
        return self.uncached + self.cache_read

    @property
    def written(self) -> int:
        return self.output + self.reasoning

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


def usage_of(number: int, thinks: bool) -> Usage:
    """The counts of the request with that number, from 1."""
    return Usage(
        uncached=1000 + 10 * number,
        cache_read=2048 if number > 1 else 0,
        cache_write=300 + number,
        output=40 + number,
        reasoning=16 if thinks else 0,
    )
