"""Prices in cents: no fractions of a cent ever leave this module."""

from decimal import ROUND_HALF_UP, Decimal


def to_cents(amount: str) -> int:
    """The cents of an amount such as "19.995", half a cent rounded up."""
    return int((Decimal(amount) * 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def with_discount(cents: int, percent: int) -> int:
    """A price after a discount, rounded in the customer's favour."""
    if not 0 <= percent <= 100:
        raise ValueError(f"a discount of {percent}% makes no sense")
    return cents * (100 - percent) // 100


def card_fee(cents: int) -> int:
    """What paying by card costs: 1.4% and 25 cents, rounded up."""
    return -(-cents * 14 // 1000) + 25
