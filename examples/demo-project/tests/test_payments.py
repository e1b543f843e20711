import pytest

from shop.payments import Declined, Payment, SavedCard, pay, refund


def test_pays_with_a_saved_card() -> None:
    card = SavedCard("tok_1", month=2, year=2031)
    assert pay(5000, card, month=11, year=2030).charged == 5095


def test_an_expired_card_is_declined() -> None:
    with pytest.raises(Declined, match="expired"):
        pay(5000, SavedCard("tok_2", month=5, year=2030), month=6, year=2030)


def test_an_empty_payment_is_declined() -> None:
    with pytest.raises(Declined, match="nothing"):
        pay(0, SavedCard("tok_3", month=1, year=2040), month=1, year=2030)


def test_a_refund_keeps_the_fee() -> None:
    assert refund(Payment(price=5000, fee=95), keep_fee=True) == 5000
