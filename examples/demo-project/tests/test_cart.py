import pytest

from shop.cart import Cart


@pytest.fixture
def cart() -> Cart:
    return Cart({"mug": 1250, "poster": 899})


def test_a_new_cart_is_empty(cart: Cart) -> None:
    assert cart.is_empty()
    assert cart.total() == 0


def test_the_total_counts_every_piece(cart: Cart) -> None:
    cart.add("mug", 2)
    cart.add("poster")
    assert cart.total() == 3399


def test_a_removed_article_costs_nothing(cart: Cart) -> None:
    cart.add("mug")
    cart.remove("mug")
    cart.remove("poster")
    assert cart.is_empty()


def test_an_unknown_article_is_refused_by_name(cart: Cart) -> None:
    with pytest.raises(KeyError, match="lamp"):
        cart.add("lamp")
