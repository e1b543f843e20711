"""What most requests cost a token, in a file kept with the code that is read sooner than the price table is loaded.

The file was made by `tools/plain_rates.py` from one version of the table and holds only what that says of plain
requests: names of vendors' models, and from which day on which whole picodollars hold. It counts only beside that
version of the table; what it does not hold is asked of the table. Spec: harnesses, pricing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from .records import Rates

VENDORS: Final = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "google",
    "gemini": "google",
    "xai": "x-ai",
    "x-ai": "x-ai",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "moonshotai": "moonshotai",
}
"""Providers as the harnesses name them, with their names in the table: vendors of models, no resellers."""
PLAIN_RATES: Final = Path(__file__).with_name("plain_rates.json")
DAY_MS: Final = 86_400_000

_TAG: Final = re.compile(r"\[[^\]]*\]$")
_DATE: Final = re.compile(r"-(20\d{2}-\d{2}-\d{2}|20\d{6}|latest)$")

Periods: TypeAlias = Sequence[tuple[int, Rates]]
"""Rates, each with the first day since 1970 on which they hold. The first one holds from 0 on."""


class PlainRates(msgspec.Struct, frozen=True):
    """The file: the version of the table, and periods by vendor and name."""

    version: str = ""
    vendors: Mapping[str, Mapping[str, Periods]] = {}

    def rates(self, provider: str, model: str, at_ms: int) -> Rates | None:
        """Picodollars a token for a plain request on a day; None when the table has to be asked."""
        names = self.vendors.get(VENDORS.get(provider, ""))
        if names is None:
            return None
        name = named(provider, model)
        periods = names.get(name) or names.get(undated(name))
        if periods is None:
            return None
        return periods[max(bisect_right(periods, at_ms // DAY_MS, key=_first_day) - 1, 0)][1]


@lru_cache(maxsize=256)
def named(provider: str, model: str) -> str:
    """A model's name as the table may have it."""
    return _TAG.sub("", model.lower()).removeprefix(f"{provider}/").removeprefix("models/")


@lru_cache(maxsize=256)
def undated(name: str) -> str:
    """The name without the date of a snapshot."""
    return _DATE.sub("", name)


def kept_rates(version: str) -> PlainRates:
    """The file, empty when it was made from another version of the table."""
    kept = msgspec.json.decode(PLAIN_RATES.read_bytes(), type=PlainRates)
    return kept if kept.version == version else PlainRates()


def _first_day(period: tuple[int, Rates]) -> int:
    return period[0]
