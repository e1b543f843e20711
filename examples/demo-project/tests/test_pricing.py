import pytest

from shop.pricing import card_fee, to_cents, with_discount


def test_rounds_to_cents() -> None:
    assert to_cents("19.995") == 2000
    assert to_cents("0.004") == 0


def test_a_discount_is_rounded_in_the_customers_favour() -> None:
    assert with_discount(999, 10) == 899


def test_a_senseless_discount_is_refused() -> None:
    with pytest.raises(ValueError, match="101%"):
        with_discount(1000, 101)


def test_the_card_fee_is_rounded_up() -> None:
    assert card_fee(1000) == 39
    assert card_fee(1) == 26
