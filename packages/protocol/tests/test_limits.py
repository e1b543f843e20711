import pytest

from cardloom_protocol.limits import CARD_LIMITS, LIMITS, OWN_LIMITS, Limit, limit


def test_there_are_seventy_nine_card_limits_and_cardlooms_own_do_not_hide_them() -> None:
    assert len(LIMITS) == 79
    assert not LIMITS.keys() & OWN_LIMITS.keys()
    assert {name: row.value for name, row in LIMITS.items()} == CARD_LIMITS


@pytest.mark.parametrize("row", [*LIMITS.values(), *OWN_LIMITS.values()], ids=lambda row: row.name)
def test_every_limit_is_positive_and_says_what_it_counts_and_why(row: Limit) -> None:
    assert row.value > 0
    assert row.unit
    assert row.reason
    assert row.source


def test_a_limit_is_found_in_either_table_and_an_unknown_one_is_named() -> None:
    assert limit("messageBytes") == 1_048_576
    assert limit("cascadeHops") == 32
    with pytest.raises(KeyError, match="noSuchLimit"):
        limit("noSuchLimit")
