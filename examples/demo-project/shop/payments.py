"""Paying with a new or a saved card, and giving money back."""

from dataclasses import dataclass

from shop.pricing import card_fee


class Declined(Exception):
    """The payment was not made."""


@dataclass(frozen=True)
class SavedCard:
    """A card the customer chose to keep. It is good to the end of its month."""

    token: str
    month: int
    year: int

    def is_good(self, month: int, year: int) -> bool:
        """Whether it can still be charged in a month."""
        return self.month >= month and self.year >= year


@dataclass(frozen=True)
class Payment:
    """A charge that went through: the price, and what the payment cost on top."""

    price: int
    fee: int

    @property
    def charged(self) -> int:
        return self.price + self.fee


def pay(price: int, card: SavedCard, month: int, year: int) -> Payment:
    """Charge a card for a price and the fee."""
    if price <= 0:
        raise Declined("there is nothing to pay")
    if not card.is_good(month, year):
        raise Declined("the card has expired")
    return Payment(price, card_fee(price))


def refund(payment: Payment, *, keep_fee: bool) -> int:
    """What a customer gets back; the shop may keep the fee, which it paid itself."""
    if keep_fee:
        return payment.price - payment.fee
    return payment.charged
