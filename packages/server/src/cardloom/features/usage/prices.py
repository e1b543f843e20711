"""The cost of a request: what the harness wrote down, else what the price table says.

The table takes a while to load and is loaded when something is asked of it that the plain rates do not hold. Spec:
harnesses, pricing.
"""

from __future__ import annotations

from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING

from .plain_rates import PlainRates, kept_rates
from .records import PLAIN_SPEEDS, Rates, UsageRecord

if TYPE_CHECKING:
    from .price_table import Bill, PriceTable

_TABLE = "genai-prices"


class Prices:
    """Costs by one version of the price table."""

    @property
    def version(self) -> str:
        """The table by name and version, as it is shown beside amounts."""
        return f"{_TABLE} {metadata.version(_TABLE)}"

    def cost_pico(self, record: UsageRecord) -> int | None:
        """Picodollars; None when neither harness nor table is certain. A recorded 0 counts only if the table agrees."""
        return record.recorded_pico or self._plain_cost(record) or self._table.cost_pico(record)

    def rates(self, provider: str | None, model: str | None, at_ms: int) -> Rates | None:
        """What each kind of token costs on a day; None when that has to be asked for each request."""
        rates = self._plain.rates(provider, model, at_ms) if provider and model else None
        return rates or self._table.rates(provider, model, None, at_ms)

    def bill(self, record: UsageRecord) -> Bill | None:
        """The cost by the table, part by part."""
        return self._table.bill(record)

    def _plain_cost(self, record: UsageRecord) -> int | None:
        if record.speed not in PLAIN_SPEEDS or record.geo or record.web_searches:
            return None
        if record.input is None or record.output is None or not record.provider or not record.model:
            return None
        rates = self._plain.rates(record.provider, record.model, record.at_ms)
        if rates is None:
            return None
        read, written, hour = record.cache_read or 0, record.cache_write or 0, record.cache_write_1h or 0
        return rates.cost_pico(record.input, record.output, read, written, hour)

    @cached_property
    def _plain(self) -> PlainRates:
        return kept_rates(self.version)

    @cached_property
    def _table(self) -> PriceTable:
        from .price_table import PriceTable

        return PriceTable()
