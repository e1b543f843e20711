"""The order of versions."""

from itertools import pairwise

import pytest

from cardloom_protocol.versions import is_newer

ASCENDING = [
    "0.1.264",
    "0.1.1000",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
    "2.0.0",
]


@pytest.mark.parametrize(("older", "newer"), list(pairwise(ASCENDING)))
def test_each_version_is_newer_than_the_one_before(older: str, newer: str) -> None:
    assert is_newer(newer, older)
    assert not is_newer(older, newer)


@pytest.mark.parametrize(("one", "other"), [("1.0.0", "1.0.0"), ("1.0.0+a", "1.0.0+b"), ("1.2.3-..", "1.2.3-..")])
def test_builds_of_one_version_are_as_new_as_each_other(one: str, other: str) -> None:
    assert not is_newer(one, other)
    assert not is_newer(other, one)
