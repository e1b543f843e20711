"""Host patterns, request headers and secret placeholders."""

import pytest

from cardloom_protocol.hosts import (
    HostPattern,
    header_allowed,
    is_local_host,
    matches,
    parse_host_pattern,
    secret_names,
)


def test_a_pattern_reads_name_wildcard_and_port() -> None:
    assert parse_host_pattern(" *.example.org:08443 ") == HostPattern("example.org", wildcard=True, port=8443)


def test_the_usual_port_is_dropped() -> None:
    assert str(parse_host_pattern("example.org:443")) == "example.org"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Example.org",
        "https://example.org",
        "example.org/a",
        "user@example.org",
        "example",
        "*.org",
        "*",
        "a.*.org",
        "localhost",
        "a.localhost",
        "10.0.0.1",
        "[::1]",
        "example.org.",
        "example.org:0",
        "example.org:65536",
        "ex_a.org",
        "example.org:",
        "пример.рф",
        None,
        5,
    ],
)
def test_what_is_no_public_dns_name_is_refused(text: object) -> None:
    assert parse_host_pattern(text) is None


def test_a_wildcard_covers_any_depth_but_not_its_own_name() -> None:
    assert matches(["*.example.org"], "a.example.org")
    assert matches(["*.example.org"], "a.b.example.org")
    assert not matches(["*.example.org"], "example.org")
    assert not matches(["*.example.org"], "badexample.org")


def test_case_and_one_final_dot_of_the_requested_host_are_ignored() -> None:
    assert matches(["example.org"], "EXAMPLE.org.")
    assert not matches(["example.org"], "example.org..")


def test_the_port_has_to_be_the_named_one() -> None:
    assert matches(["example.org:80"], "example.org", 80)
    assert not matches(["example.org"], "example.org", 80)
    assert not matches(["example.org:80"], "example.org")


def test_a_pattern_that_is_none_matches_nothing_and_spoils_nothing() -> None:
    assert matches(["NOT A HOST", "example.org"], "example.org")
    assert not matches(["NOT A HOST"], "not a host")


@pytest.mark.parametrize("host", ["localhost", "LocalHost.", "a.b.localhost", "127.0.0.1", "::1", "[::1]", "[::1]."])
def test_this_computer_is_known_by_its_names(host: str) -> None:
    assert is_local_host(host)


@pytest.mark.parametrize("host", ["localhost..", "notlocalhost", "127.0.0.2", "0.0.0.0", "", "localhost.example.org"])
def test_other_hosts_are_not_this_computer(host: str) -> None:
    assert not is_local_host(host)


@pytest.mark.parametrize("name", ["Accept", "authorization", "X-Api-Key", "if-none-match"])
def test_ordinary_headers_are_allowed(name: str) -> None:
    assert header_allowed(name, "value")


@pytest.mark.parametrize("name", ["Host", "COOKIE", "Sec-Fetch-Mode", "proxy-anything", "x y", "", "a:b", "é", 5, None])
def test_headers_of_the_host_and_names_that_are_no_token_are_refused(name: object) -> None:
    assert not header_allowed(name, "value")


@pytest.mark.parametrize("value", ["a\rb", "a\nb", "a\0b", "x" * 8193, "😀" * 4097, 5, None])
def test_values_that_break_lines_or_run_too_long_are_refused(value: object) -> None:
    assert not header_allowed("x-a", value)


def test_a_value_may_reach_8192_units() -> None:
    assert header_allowed("x-a", "😀" * 4096)


def test_secret_placeholders_come_in_order_with_repeats() -> None:
    assert secret_names("Bearer {{secret:b}} {{secret:a}}{{secret:b}} {{ secret:c }} {{secret:1}}") == ["b", "a", "b"]
