"""The permission table, manifest lists and the view of a card: what holds for every input."""

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.permissions import PERMISSIONS, closure, parse_list

IDS = st.sampled_from(list(PERMISSIONS))


@given(st.sets(IDS))
def test_the_closure_holds_its_ids_and_is_its_own_closure(ids: set[str]) -> None:
    held = closure(ids)
    assert ids <= held
    assert closure(held) == held


@given(st.lists(IDS.filter(lambda permission_id: permission_id != "network")))
def test_the_result_is_in_canonical_order_whatever_the_order_of_the_entries(ids: list[str]) -> None:
    permissions, issues = parse_list(list(ids))
    assert [one.id for one in permissions] == [known for known in PERMISSIONS if known in ids]
    assert not issues
