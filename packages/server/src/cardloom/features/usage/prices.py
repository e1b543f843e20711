"""The cost of a request: what the harness wrote down, else what the price table says.

The table takes a while to load and is loaded when it is first asked. Spec: harnesses, pricing.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from .records import Rates, UsageRecord

if TYPE_CHECKING:
    from .price_table import Bill, PriceTable


class Prices:
    """Costs by one version of the price table."""

    def __init__(self) -> None:
        self._table: PriceTable | None = None

    @property
    def version(self) -> str:
        """The table by name and version, as it is shown beside amounts."""
        return f"genai-prices {metadata.version('genai-prices')}"

    def cost_pico(self, record: UsageRecord) -> int | None:
        """Picodollars; None when neither harness nor table is certain. A recorded 0 counts only if the table agrees."""
        if record.recorded_pico:
            return record.recorded_pico
        return (self._table or self._loaded()).cost_pico(record)

    def rates(self, provider: str | None, model: str | None, at_ms: int) -> Rates | None:
        """What each kind of token costs on a day; None when that has to be asked for each request."""
        return (self._table or self._loaded()).rates(provider, model, None, at_ms)

    def bill(self, record: UsageRecord) -> Bill | None:
        """The cost by the table, part by part."""
        return self._loaded().bill(record)

    def _loaded(self) -> PriceTable:
        if self._table is None:
            from .price_table import PriceTable

            self._table = PriceTable()
        return self._table
