"""Where web requests of cards may lead: hosts, addresses, redirects. Spec: cards, network; decision 15."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode

from .fetching import API, NETWORK, PUBLIC, Web, enter

# Addresses


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://user:pw@api.example.org/", ErrorCode.INVALID_PARAMS),
        ("https://user:pw@nowhere.example.com/", ErrorCode.INVALID_PARAMS),
        ("https:///path", ErrorCode.INVALID_PARAMS),
        ("https://api.example.org:99999/", ErrorCode.INVALID_PARAMS),
        ("https://a b.example.org/", ErrorCode.INVALID_PARAMS),
        ("http://api.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("ftp://api.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("data:text/plain,hi", ErrorCode.HOST_NOT_ALLOWED),
        ("file:///etc/passwd", ErrorCode.HOST_NOT_ALLOWED),
        ("https://example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://evil.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://example.net/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://api.example.org:8443/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://api.example.org.evil.com/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://93.184.216.34/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://[2606:2800:220:1:248:1893:25c8:1946]/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://localhost/", ErrorCode.PERMISSION_DENIED),
        ("https://app.localhost/", ErrorCode.PERMISSION_DENIED),
        ("http://127.0.0.1:9/", ErrorCode.PERMISSION_DENIED),
        ("http://[::1]/", ErrorCode.PERMISSION_DENIED),
        ("http://127.0.0.2/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://2130706433/", ErrorCode.HOST_NOT_ALLOWED),
    ],
)
async def test_an_address_beyond_the_declared_hosts_is_refused(desk: Any, web: Web, url: str, code: ErrorCode) -> None:
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url=url)
    assert refusal.code is code
    if code is ErrorCode.PERMISSION_DENIED:
        assert refusal.data == {"permission": "network.local"}
    assert web.network.connected == []


async def test_a_wildcard_covers_every_depth_below_and_a_final_dot_is_ignored(desk: Any, web: Web) -> None:
    web.secure.on("/a", "yes")
    card = await enter(desk)
    web.names["api.example.org"] = [PUBLIC]
    assert (await card.call("net.fetch", url="https://API.example.org./a"))["body"] == "yes"
    assert (await card.call("net.fetch", url="https://evil.example.net/a"))["body"] == "yes"
    assert web.secure.asked[0].headers["host"] == "api.example.org"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.7",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "::",
        "ff02::1",
    ],
)
async def test_a_name_that_leads_inside_is_not_asked(desk: Any, web: Web, address: str) -> None:
    web.names["inside.example.org"] = [PUBLIC, address]
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url="https://inside.example.org/a")
    assert refusal.code is ErrorCode.HOST_NOT_ALLOWED
    assert web.network.connected == []


async def test_the_connection_goes_to_the_address_that_was_checked(desk: Any, web: Web) -> None:
    web.secure.on("/a", "yes")
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    resolved: list[str] = []

    async def rebinding(host: str) -> list[str]:
        resolved.append(host)
        return next(answers)

    desk.app.fetcher.resolve = rebinding
    card = await enter(desk)
    assert (await card.call("net.fetch", url=f"{API}/a"))["body"] == "yes"
    assert (resolved, web.network.connected) == (["api.example.org"], [(PUBLIC, 443)])


async def test_a_name_without_an_address_is_a_network_error(desk: Any, web: Web) -> None:
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url="https://inside.example.org/a")
    assert refusal.code is ErrorCode.NETWORK_ERROR


async def test_this_computer_is_reached_with_its_permission_over_http_too(desk: Any, web: Web) -> None:
    web.plain.on("/a", "local")
    card = await enter(desk, {"id": "network.local"})
    for url in (f"http://localhost:{web.plain.port}/a", f"http://127.0.0.1:{web.plain.port}/a"):
        assert (await card.call("net.fetch", url=url))["body"] == "local"
    assert {host for host, _ in web.network.connected} == {"127.0.0.1"}
    refusal = await card.refused("net.fetch", url=f"{API}/a")
    assert refusal.code is ErrorCode.HOST_NOT_ALLOWED


async def test_with_the_local_permission_a_declared_name_may_lead_inside(desk: Any, web: Web) -> None:
    web.secure.on("/a", "inside")
    web.names["inside.example.org"] = ["10.0.0.7"]
    card = await enter(desk, NETWORK, "network.local")
    assert (await card.call("net.fetch", url="https://inside.example.org/a"))["body"] == "inside"
    without = await enter(desk, NETWORK, name="other-card")
    refusal = await without.refused("net.fetch", url="https://inside.example.org/a")
    assert refusal.code is ErrorCode.HOST_NOT_ALLOWED, "a connection another card opened is not shared"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "app.localhost"])
async def test_cardlooms_own_port_is_never_reached(desk: Any, web: Web, host: str) -> None:
    desk.app.address.port = web.plain.port
    card = await enter(desk, {"id": "network.local"})
    refusal = await card.refused("net.fetch", url=f"http://{host}:{web.plain.port}/a")
    assert refusal.code is ErrorCode.HOST_NOT_ALLOWED
    assert web.asked == []


async def test_a_declared_name_that_leads_to_cardlooms_own_port_is_refused_as_well(desk: Any, web: Web) -> None:
    desk.app.address.port = 8443
    web.names["api.example.org"] = ["127.0.0.1"]
    card = await enter(desk, {"id": "network", "hosts": ["api.example.org:8443"]}, "network.local")
    refusal = await card.refused("net.fetch", url="https://api.example.org:8443/a")
    assert refusal.code is ErrorCode.HOST_NOT_ALLOWED


async def test_a_certificate_for_another_name_is_a_network_error(desk: Any, web: Web) -> None:
    card = await enter(desk, {"id": "network", "hosts": ["*.example.net"]})
    refusal = await card.refused("net.fetch", url="https://deep.evil.example.net/a")
    assert refusal.code is ErrorCode.NETWORK_ERROR
    assert web.asked == []


# Redirects


async def test_five_redirects_are_followed_and_a_sixth_is_too_many(desk: Any, web: Web) -> None:
    for number in range(6):
        web.secure.redirect(f"/{number}", f"/{number + 1}")
    web.secure.on("/6", "end")
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/1")
    assert (answer["body"], answer["url"]) == ("end", f"{API}/6")
    assert (await card.refused("net.fetch", url=f"{API}/0")).code is ErrorCode.NETWORK_ERROR


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("https://nowhere.example.com/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://api.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://localhost:80/", ErrorCode.PERMISSION_DENIED),
        ("https://inside.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("https://a:b@api.example.org/", ErrorCode.INVALID_PARAMS),
        ("file:///etc/passwd", ErrorCode.HOST_NOT_ALLOWED),
    ],
)
async def test_every_hop_is_checked_again(desk: Any, web: Web, to: str, code: ErrorCode) -> None:
    web.names["inside.example.org"] = ["192.168.0.1"]
    web.secure.redirect("/a", to)
    card = await enter(desk)
    assert (await card.refused("net.fetch", url=f"{API}/a")).code is code
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    ("status", "method", "then", "body"),
    [
        ("301 Moved", "POST", "GET", b""),
        ("302 Found", "POST", "GET", b""),
        ("303 See Other", "PUT", "GET", b""),
        ("307 Temporary", "POST", "POST", b"data"),
        ("308 Permanent", "PUT", "PUT", b"data"),
        ("302 Found", "PUT", "PUT", b"data"),
    ],
)
async def test_a_redirect_changes_method_and_body_as_browsers_do(
    desk: Any, web: Web, status: str, method: str, then: str, body: bytes
) -> None:
    web.secure.redirect("/a", "/b", status)
    web.secure.on("/b")
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/a", method=method, body="data", headers={"content-type": "text/plain"})
    second = web.secure.asked[1]
    assert (second.method, second.body) == (then, body)
    assert ("content-type" in second.headers) == (body != b"")
