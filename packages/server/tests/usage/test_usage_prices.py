"""Bills reckoned by hand, in picodollars: a dollar a million tokens is a million of them a token."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cardloom.features.usage.plain_rates import DAY_MS, PLAIN_RATES, Periods, PlainRates, kept_rates
from cardloom.features.usage.price_table import PriceTable
from cardloom.features.usage.prices import Prices
from cardloom.features.usage.records import UsageRecord, recorded_pico
from cardloom_protocol.usage import Tokens, Work, micro_usd

AT_MS = 1_796_000_000_000
BEFORE_JUNE_2025_MS = 1_746_000_000_000
JULY_2025_MS = 1_752_000_000_000
M = 1_000_000


def request(
    model: str, fresh: int | None, output: int | None, read: int = 0, write: int = 0, **fields: Any
) -> UsageRecord:
    provider = fields.pop("provider", "anthropic")
    at_ms = fields.pop("at_ms", AT_MS)
    return UsageRecord(
        "k", "s", at_ms, at_ms, provider, model, fresh, output, read, write, fields.pop("hour", None), **fields
    )


BILLS = {
    "a plain one": (request("claude-sonnet-4-5", 1000, 500), 1000 * 3 * M + 500 * 15 * M),
    "with a date in the name": (request("claude-sonnet-4-5-20250929", 1, 0), 3 * M),
    "with a tag": (request("claude-opus-4-1[1m]", 1, 1), 15 * M + 75 * M),
    "reading the cache": (request("claude-opus-4-1", 0, 0, 1000), 1000 * 3 * M // 2),
    "writing for five minutes": (request("claude-haiku-4-5", 0, 0, 0, 1000), 1000 * 5 * M // 4),
    "writing for an hour": (request("claude-haiku-4-5", 0, 0, 0, 1000, hour=1000), 1000 * 2 * M),
    "writing for both": (request("claude-haiku-4-5", 0, 0, 0, 1000, hour=400), 600 * 5 * M // 4 + 400 * 2 * M),
    "reasoning once": (request("gpt-5", 100, 50, provider="openai", reasoning=30), 100 * 5 * M // 4 + 50 * 10 * M),
    "as long as is short": (
        request("gpt-5.4", 200_000, 1, 72_000, provider="openai"),
        200_000 * 5 * M // 2 + 72_000 * M // 4 + 15 * M,
    ),
    "one token longer": (
        request("gpt-5.4", 200_001, 1, 72_000, provider="openai"),
        200_001 * 5 * M + 72_000 * M // 2 + 45 * M // 2,
    ),
    "before a price fell": (
        request("o3", 10, 10, provider="openai", at_ms=BEFORE_JUNE_2025_MS),
        10 * 10 * M + 10 * 40 * M,
    ),
    "after it fell": (request("o3", 10, 10, provider="openai", at_ms=JULY_2025_MS), 10 * 2 * M + 10 * 8 * M),
    "with searches": (request("claude-haiku-4-5", 0, 1, web_searches=3), 5 * M + 3 * 10_000 * M),
    "kept in one country": (request("claude-haiku-4-5", 10, 0, geo="us"), 11 * M),
    "a fast one": (request("claude-opus-4-8", 10, 10, speed="fast"), 10 * 10 * M + 10 * 50 * M),
    "of gemini": (
        request("gemini-2.5-pro", 100, 10, 1000, provider="google"),
        100 * 5 * M // 4 + 10 * 10 * M + 1000 * M // 8,
    ),
    "recorded by the harness": (request("mine", 10, 10, provider="mine", recorded_pico=77), 77),
}


@pytest.mark.parametrize("name", BILLS)
def test_a_bill_is_what_a_person_reckons(name: str) -> None:
    record, expected = BILLS[name]
    assert Prices().cost_pico(record) == expected


@pytest.mark.parametrize("name", [name for name in BILLS if name != "recorded by the harness"])
def test_the_parts_of_a_bill_are_its_sum(name: str) -> None:
    record, expected = BILLS[name]
    bill = Prices().bill(record)
    assert bill is not None
    assert bill.pico == expected


UNPRICED = {
    "an unknown model": request("claude-of-tomorrow", 1, 1),
    "a neighbour's name": request("claude-sonnet-4-5-mini", 1, 1),
    "a model of another vendor": request("gpt-5", 1, 1),
    "a reseller": request("claude-sonnet-4-5", 1, 1, provider="amazon-bedrock"),
    "nobody known": request("claude-sonnet-4-5", 1, 1, provider=None),
    "a kind without a price": request("gpt-5", 1, 1, 0, 10, provider="openai"),
    "counts that are not told": request("claude-sonnet-4-5", None, 1),
    "a speed without a price": request("claude-haiku-4-5", 1, 1, speed="fast"),
    "a server of one's own": request("scripted-1", 1, 1, provider="scripted", recorded_pico=0),
}


@pytest.mark.parametrize("name", UNPRICED)
def test_what_is_not_certain_has_no_price(name: str) -> None:
    assert Prices().cost_pico(UNPRICED[name]) is None


def test_an_hours_cache_writes_cost_twice_the_input_and_minutes_a_quarter_more() -> None:
    prices = Prices()
    costs = [
        prices.cost_pico(record)
        for record in (
            request("claude-sonnet-4-5", 1000, 0),
            request("claude-sonnet-4-5", 0, 0, 0, 1000),
            request("claude-sonnet-4-5", 0, 0, 0, 1000, hour=1000),
        )
    ]
    assert costs == [3000 * M, 3750 * M, 6000 * M]


@pytest.mark.parametrize(
    ("dollars", "pico"),
    [
        (0.07932750000000001, 79_327_500_000),
        (0.0000000000005, 1),
        (0.1 + 0.2, 300_000_000_000),
        (3, 3_000_000_000_000),
        (0, 0),
        (float("nan"), None),
        (float("inf"), None),
        (-1, None),
        (True, None),
        ("1", None),
        (1e300, None),
    ],
)
def test_a_recorded_cost_loses_the_noise_of_binary_fractions(dollars: object, pico: int | None) -> None:
    assert recorded_pico(dollars) == pico


def test_the_sum_is_exact_and_rounded_up_once() -> None:
    parts = [Work.of(Tokens(1, 1), 400_000), Work.of(Tokens(1, 1), 400_000), Work.of(Tokens(1, 1), 200_001)]
    total = parts[0] + parts[1] + parts[2]
    assert (total.cost_pico, total.cost_micro_usd) == (1_000_001, 2)
    assert [micro_usd(pico) for pico in (0, 1, 1_000_000, None)] == [0, 1, 1, None]


def test_the_version_of_the_prices_is_told() -> None:
    name, version = Prices().version.split(" ")
    assert name == "genai-prices"
    assert version[0].isdigit()


def test_plain_rates_are_those_of_the_table_for_every_name_on_every_day_with_and_without_a_date() -> None:
    table = PriceTable()
    plain = PlainRates(vendors=table.plain())
    assert len(plain.vendors["anthropic"]) > 50
    for vendor, names in plain.vendors.items():
        for name, periods in names.items():
            days = {0, AT_MS // DAY_MS, *(day + step for day, _ in periods for step in (-1, 0, 1) if day)}
            for model in (name, f"{name}-20250929", f"{vendor}/{name}[1m]", name.upper()):
                for day in days:
                    expected = table.rates(vendor, model, None, day * DAY_MS + 1)
                    assert plain.rates(vendor, model, day * DAY_MS + 1) == expected, (vendor, model, day)
    assert any(len(periods) > 1 for periods in plain.vendors["anthropic"].values())


def test_what_plain_rates_do_not_hold_is_asked_of_the_table() -> None:
    plain = kept_rates(Prices().version)
    for provider, model in (("anthropic", "claude-of-tomorrow"), ("nobody", "claude-opus-4-1"), ("openai", "gpt-5")):
        assert plain.rates(provider, model, AT_MS) is None
    assert Prices().rates("anthropic", "claude-of-tomorrow", AT_MS) is None


def test_kept_rates_count_only_beside_the_version_they_were_made_from() -> None:
    made_from = json.loads(PLAIN_RATES.read_bytes())["version"]
    assert kept_rates(made_from).rates("anthropic", "claude-opus-4-1", AT_MS) is not None
    assert kept_rates("genai-prices 0").rates("anthropic", "claude-opus-4-1", AT_MS) is None
    if made_from == Prices().version:
        assert kept_rates(made_from).vendors == msgspec.convert(PriceTable().plain(), dict[str, dict[str, Periods]])
