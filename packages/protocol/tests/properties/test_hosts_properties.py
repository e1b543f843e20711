"""Host patterns, request headers and secret placeholders: what holds for every input."""

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.hosts import (
    HostPattern,
    is_local_host,
    matches,
    parse_host_pattern,
)

LABELS = st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True).filter(lambda label: label != "localhost")


NAMES = st.lists(LABELS, min_size=2, max_size=5).map(".".join)


PATTERNS = st.builds(
    HostPattern, NAMES, st.booleans(), st.none() | st.integers(1, 65535).filter(lambda port: port != 443)
)


@given(PATTERNS)
def test_the_text_of_a_pattern_reads_back_as_the_same_pattern(pattern: HostPattern) -> None:
    assert parse_host_pattern(str(pattern)) == pattern


@given(PATTERNS, LABELS)
def test_a_pattern_covers_exactly_its_own_name_or_those_below(pattern: HostPattern, label: str) -> None:
    port = pattern.port or 443
    assert matches([str(pattern)], pattern.host, port) is not pattern.wildcard
    assert matches([str(pattern)], f"{label}.{pattern.host}", port) is pattern.wildcard


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader_and_what_it_accepts_is_canonical(text: str) -> None:
    pattern = parse_host_pattern(text)
    if pattern is not None:
        assert parse_host_pattern(str(pattern)) == pattern
        assert not is_local_host(pattern.host)
