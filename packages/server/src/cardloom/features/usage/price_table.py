"""What a request costs, from the price table that comes with `genai-prices`; nothing is fetched.

A request is priced only when it is certain who answered and which model: the vendor itself, and a name that the table
has, give or take a date. Every kind of token has its own rate; one that was used and has none leaves the whole request
unpriced. Rates of long prompts hold for all of a request. All arithmetic is in whole picodollars. Spec: harnesses,
pricing; decision 25.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from genai_prices import types as table
from genai_prices.data import providers

from .plain_rates import DAY_MS, VENDORS, Periods, named, undated
from .records import PLAIN_SPEEDS, Rates, UsageRecord

_PICO_A_TOKEN: Final = 1_000_000
"""Picodollars a token for each dollar a million tokens."""
_PICO_A_SEARCH: Final = 1_000_000_000
_US_ONLY: Final = (Decimal(11), Decimal(10))
"""What requests that have to stay in the United States cost more at Anthropic."""

_FIRST_DAY: Final = date(1970, 1, 1)
_ENDLESS: Final = 1 << 62
_DATES: Final = ("-20250101", "-2025-01-01", "-latest")
"""Ends of names, to see whether the table takes a dated name for another model."""

Rate = Decimal | table.TieredPrices | None


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of one request, part by part: kind, count, picodollars a unit, picodollars."""

    parts: tuple[tuple[str, int, Decimal, Decimal], ...]
    factor: Decimal = Decimal(1)

    @property
    def pico(self) -> int:
        exact = sum((amount for *_, amount in self.parts), Decimal(0)) * self.factor
        return int(exact.to_integral_value(rounding="ROUND_CEILING"))


class PriceTable:
    """The table, with what was looked up before."""

    def __init__(self) -> None:
        self._providers = {provider.id: provider for provider in providers}
        self._models: dict[tuple[str, str], table.ModelInfo | None] = {}
        self._plain: dict[tuple[str | None, str | None, str | None, int], Rates | None] = {}
        self._rates: dict[tuple[str, str, str | None, int], table.ModelPrice | None] = {}

    def cost_pico(self, record: UsageRecord) -> int | None:
        """The sum of the bill."""
        if record.web_searches or record.geo:
            bill = self.bill(record)
            return None if bill is None else bill.pico
        if record.input is None or record.output is None or not record.provider or not record.model:
            return None
        rates = self.rates(record.provider, record.model, record.speed, record.at_ms)
        if rates is not None:
            read, written, hour = record.cache_read or 0, record.cache_write or 0, record.cache_write_1h or 0
            cost = rates.cost_pico(record.input, record.output, read, written, hour)
            if cost is not None:
                return cost
        bill = self.bill(record)
        return None if bill is None else bill.pico

    def rates(self, provider: str | None, model: str | None, speed: str | None, at_ms: int) -> Rates | None:
        """Whole picodollars a token, for the many requests that are neither long nor special; None when it has none."""
        key = (provider, model, speed, at_ms // DAY_MS)
        if key not in self._plain:
            found = self._model(provider or "", model or "")
            rates = self._rates_of(provider or "", model or "", speed, at_ms)
            fixed = found is not None and not _changes_in_a_day(found)
            self._plain[key] = _plain(rates) if rates is not None and fixed else None
        return self._plain[key]

    def bill(self, record: UsageRecord) -> Bill | None:
        """The cost by the table, part by part; None when provider, model or a rate is not certain."""
        if record.input is None or record.output is None or not record.provider or not record.model:
            return None
        rates = self._rates_of(record.provider, record.model, record.speed, record.at_ms)
        if rates is None:
            return None
        read, written, hour = record.cache_read or 0, record.cache_write or 0, record.cache_write_1h or 0
        prompt = record.input + read + written
        parts = []
        for kind, count, rate, unit in (
            ("input", record.input, rates.input_mtok, _PICO_A_TOKEN),
            ("cache read", read, rates.cache_read_mtok, _PICO_A_TOKEN),
            ("cache write", max(written - hour, 0), rates.cache_write_mtok, _PICO_A_TOKEN),
            ("cache write, 1 h", hour, rates.cache_write_1h_mtok, _PICO_A_TOKEN),
            ("output", record.output, rates.output_mtok, _PICO_A_TOKEN),
            ("web searches", record.web_searches or 0, rates.web_searches_kcount, _PICO_A_SEARCH),
        ):
            if count == 0:
                continue
            price = _at(rate, prompt)
            if price is None:
                return None
            parts.append((kind, count, price * unit, price * unit * count))
        return Bill(tuple(parts), _factor(record))

    def plain(self) -> dict[str, dict[str, Periods]]:
        """The rates of plain requests by vendor and name, where they change on certain days or never."""
        found: dict[str, dict[str, Periods]] = {}
        for vendor in sorted({*VENDORS.values()} & {*self._providers}):
            models = self._providers[vendor].models
            names = sorted({name for model in models for name in _known(model)})
            periods = {name: self._periods(vendor, name) for name in names if self._is_certain(vendor, name, names)}
            found[vendor] = {name: rates for name, rates in periods.items() if rates}
        return found

    def _is_certain(self, vendor: str, name: str, names: Collection[str]) -> bool:
        """Whether this name is a model's, also with any date behind it."""
        model = self._model(vendor, name)
        return (
            model is not None
            and named(vendor, name) == name
            and all(self._model(vendor, name + date) is model for date in _DATES if name + date not in names)
        )

    def _periods(self, vendor: str, name: str) -> Periods:
        """The rates of a model with their first days; none when a day has several, or none that are plain."""
        model = self._model(vendor, name)
        days = [0]
        for price in model.prices if model is not None and isinstance(model.prices, list) else ():
            if isinstance(price.constraint, table.StartDateConstraint):
                days.append((price.constraint.start_date - _FIRST_DAY).days)
            elif price.constraint is not None:
                return ()
        rates = [(day, self.rates(vendor, name, None, day * DAY_MS)) for day in sorted(days)]
        plain = [(day, rate) for day, rate in rates if rate is not None]
        return plain if len(plain) == len(rates) else ()

    def _rates_of(self, provider: str, model: str, speed: str | None, at_ms: int) -> table.ModelPrice | None:
        minute = at_ms // 60_000
        key = (provider, model, speed, minute // 1440)
        if key in self._rates:
            return self._rates[key]
        found = self._model(provider, model)
        if found is None:
            rates = None
        else:
            rates = _dated(found, speed, datetime.fromtimestamp(minute * 60, UTC))
            if _changes_in_a_day(found):
                return rates
        self._rates[key] = rates
        return rates

    def _model(self, provider: str, model: str) -> table.ModelInfo | None:
        vendor = VENDORS.get(provider)
        if vendor is None or vendor not in self._providers:
            return None
        key = (vendor, model)
        if key not in self._models:
            name = named(provider, model)
            found = self._providers[vendor].find_model(name)
            self._models[key] = found if found is not None and _names(found, name) else None
        return self._models[key]


def _names(model: table.ModelInfo, name: str) -> bool:
    """Whether the table has exactly this name, for a prefix that fits would also fit a neighbour."""
    known = _known(model)
    return name in known or undated(name) in known


def _known(model: table.ModelInfo) -> set[str]:
    return {model.id, *_literals(model.match)}


def _literals(clause: object) -> Iterator[str]:
    match clause:
        case table.ClauseEquals():
            yield clause.equals
        case table.ClauseStartsWith():
            yield clause.starts_with
        case table.ClauseOr():
            for part in clause.or_:
                yield from _literals(part)
        case table.ClauseAnd():
            for part in clause.and_:
                yield from _literals(part)


def _dated(model: table.ModelInfo, speed: str | None, at: datetime) -> table.ModelPrice | None:
    if speed in PLAIN_SPEEDS:
        return model.get_prices(at)
    if not any(variant.when == {"speed": speed} for variant in model.price_variants or ()):
        return None
    return model.get_prices(at, {"speed": speed or ""})


def _plain(rates: table.ModelPrice) -> Rates | None:
    longest, whole = _ENDLESS, []
    for rate in (
        rates.input_mtok,
        rates.cache_read_mtok,
        rates.cache_write_mtok,
        rates.cache_write_1h_mtok,
        rates.output_mtok,
    ):
        if isinstance(rate, table.TieredPrices):
            longest = min([longest, *(tier.start for tier in rate.tiers)])
        price = _at(rate, 0)
        if price is None or price * _PICO_A_TOKEN % 1:
            return None
        whole.append(int(price * _PICO_A_TOKEN))
    return Rates(whole[0], whole[1], whole[2], whole[3], whole[4], longest)


def _changes_in_a_day(model: table.ModelInfo) -> bool:
    return isinstance(model.prices, list) and any(
        isinstance(price.constraint, table.TimeOfDateConstraint) for price in model.prices
    )


def _at(rate: Rate, prompt_tokens: int) -> Decimal | None:
    if not isinstance(rate, table.TieredPrices):
        return rate
    price = rate.base
    for tier in rate.tiers:
        if prompt_tokens > tier.start:
            price = tier.price
    return price


def _factor(record: UsageRecord) -> Decimal:
    if record.provider == "anthropic" and record.geo == "us":
        return _US_ONLY[0] / _US_ONLY[1]
    return Decimal(1)
