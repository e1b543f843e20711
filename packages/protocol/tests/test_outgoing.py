"""Addresses and headers of cards' web requests: the questions in their order."""

import pytest

from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.hosting import NetworkGrant, WebAddress, check_address, check_headers, named_secrets
from cardloom_protocol.hosts import fill_secrets

GRANT = NetworkGrant(("api.example.org", "*.example.net:8443"), network=True)
BOTH = NetworkGrant(GRANT.hosts, network=True, local=True)


@pytest.mark.parametrize(
    ("address", "grant", "code"),
    [
        (WebAddress("https", "api.example.org"), GRANT, None),
        (WebAddress("https", "api.example.org", 443), GRANT, None),
        (WebAddress("https", "a.b.example.net", 8443), GRANT, None),
        (WebAddress("https", "example.net", 8443), GRANT, ErrorCode.HOST_NOT_ALLOWED),
        (WebAddress("https", "api.example.org", 444), GRANT, ErrorCode.HOST_NOT_ALLOWED),
        (WebAddress("http", "api.example.org"), GRANT, ErrorCode.HOST_NOT_ALLOWED),
        (WebAddress("https", ""), GRANT, ErrorCode.INVALID_PARAMS),
        (WebAddress("https", "api.example.org", has_login=True), GRANT, ErrorCode.INVALID_PARAMS),
        (WebAddress("http", "localhost", has_login=True), GRANT, ErrorCode.INVALID_PARAMS),
        (WebAddress("http", "localhost"), GRANT, ErrorCode.PERMISSION_DENIED),
        (WebAddress("ftp", "localhost"), GRANT, ErrorCode.PERMISSION_DENIED),
        (WebAddress("ftp", "localhost"), BOTH, ErrorCode.HOST_NOT_ALLOWED),
        (WebAddress("http", "::1", 8080), BOTH, None),
        (WebAddress("https", "api.example.org"), NetworkGrant(GRANT.hosts, local=True), ErrorCode.PERMISSION_DENIED),
        (WebAddress("https", "api.example.org"), NetworkGrant((), network=True), ErrorCode.HOST_NOT_ALLOWED),
    ],
)
def test_an_address_is_refused_by_the_first_question_it_fails(
    address: WebAddress, grant: NetworkGrant, code: ErrorCode | None
) -> None:
    refusal = check_address(address, grant)
    assert (None if refusal is None else refusal.code) == code


def test_the_missing_permission_is_named() -> None:
    local = check_address(WebAddress("http", "127.0.0.1"), GRANT)
    assert local is not None
    assert local.data == {"permission": "network.local"}
    network = check_address(WebAddress("https", "api.example.org"), NetworkGrant(GRANT.hosts))
    assert network is not None
    assert network.data == {"permission": "network"}


def test_every_header_that_cannot_be_sent_is_named() -> None:
    assert check_headers({"Accept": "a", "X-Own": "b"}) is None
    refusal = check_headers({"Accept": "a", "Cookie": "b", "a/b": "c", "x": "d\n"})
    assert refusal is not None
    assert isinstance(refusal.data, list)
    assert [issue["path"] for issue in refusal.data if isinstance(issue, dict)] == [
        "/headers/Cookie",
        "/headers/a~1b",
        "/headers/x",
    ]


def test_secrets_are_asked_for_once_and_filled_in_without_reading_them_again() -> None:
    headers = {"a": "{{secret:one}} {{secret:two}}", "b": "{{secret:one}}", "c": "{{ secret:three}}"}
    assert named_secrets(headers) == ("one", "two")
    filled = fill_secrets(headers["a"], {"one": "{{secret:two}}", "two": "2"})
    assert filled == "{{secret:two}} 2"
