"""Web requests of cards: addresses, headers, secrets, bodies, redirects, streams, limits. Spec: cards, network;
decision 15."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cardloom.features.cards.net.service import NetLimits
from cardloom_protocol.errors import ErrorCode

from .conftest import Actor, started
from .web import Asked, Network, Reply, Witness, certificates

PUBLIC = "93.184.216.34"
API = "https://api.example.org"
NETWORK = {"id": "network", "hosts": ["api.example.org", "*.example.net", "other.example.org", "inside.example.org"]}
SETTINGS = [
    {"key": "token", "type": "secret", "label": "Token"},
    {"key": "other", "type": "secret", "label": "Other"},
    {"key": "plain", "type": "string", "label": "Plain", "default": "p"},
]


class Web:
    """Two servers, with TLS and without, that stand for every address; and what each name resolves to."""

    def __init__(self) -> None:
        self.secure, self.plain = Witness(), Witness()
        self.names: dict[str, list[str]] = {}
        self.network = Network(lambda port: self.secure.port if port in (443, 8443) else self.ports.get(port))
        self.ports: dict[int, int] = {}

    async def resolve(self, host: str) -> list[str]:
        if host not in self.names:
            raise OSError("unknown name")
        return self.names[host]

    @property
    def asked(self) -> list[Asked]:
        return [*self.secure.asked, *self.plain.asked]


@pytest.fixture
async def web(desk: Any, tmp_path: Any) -> AsyncIterator[Web]:
    """The web that this server's cards reach."""
    web = Web()
    for_server, for_client = certificates(tmp_path)
    secure = await asyncio.start_server(web.secure.serve, "127.0.0.1", 0, ssl=for_server)
    plain = await asyncio.start_server(web.plain.serve, "127.0.0.1", 0)
    web.secure.port = secure.sockets[0].getsockname()[1]
    web.plain.port = plain.sockets[0].getsockname()[1]
    web.ports = {80: web.plain.port, web.plain.port: web.plain.port}
    for name in ("api.example.org", "other.example.org", "evil.example.net", "deep.evil.example.net"):
        web.names[name] = [PUBLIC]
    fetcher = desk.app.fetcher
    fetcher.resolve, fetcher.network, fetcher.trust = web.resolve, web.network, for_client
    yield web
    await fetcher.close()
    for server in (secure, plain):
        server.close()


async def enter(desk: Any, *permissions: Any, **more: Any) -> Actor:
    card: Actor = await desk.enter(permissions=list(permissions or (NETWORK,)), settings=SETTINGS, **more)
    return card


# The answer


async def test_a_text_comes_with_status_lower_case_headers_and_its_final_address(desk: Any, web: Web) -> None:
    web.secure.on(
        "/a", "привет", headers=["X-Thing: one", "X-Thing: two", "Set-Cookie: a=b", "Content-Type: text/plain"]
    )
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/a?q=1#part", requestId="r1")
    assert (answer["requestId"], answer["status"], answer["statusText"]) == ("r1", 200, "OK")
    assert answer["body"] == "привет"
    assert answer["headers"]["x-thing"] == "one, two"
    assert "set-cookie" not in answer["headers"]
    assert answer["url"] == f"{API}/a?q=1"
    assert "truncated" not in answer
    asked = web.secure.asked[0]
    assert (asked.method, asked.target, asked.headers["host"]) == ("GET", "/a?q=1", "api.example.org")
    assert asked.headers["user-agent"] == "Cardloom"
    assert "cookie" not in asked.headers


async def test_any_status_is_an_answer_and_304_passes_untouched(desk: Any, web: Web) -> None:
    web.secure.on("/same", status="304 Not Modified", headers=['ETag: "v1"'])
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/same", headers={"If-None-Match": '"v1"'})
    assert (answer["status"], answer["body"], answer["headers"]["etag"]) == (304, "", '"v1"')
    assert web.secure.asked[0].headers["if-none-match"] == '"v1"'
    assert (await card.call("net.fetch", url=f"{API}/none"))["status"] == 404


async def test_json_is_parsed_empty_json_is_null_and_other_text_is_an_error(desk: Any, web: Web) -> None:
    web.secure.on("/json", '\ufeff{"a": [1, "б"]}')
    web.secure.on("/empty", " ")
    web.secure.on("/text", "hello")
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/json", responseType="json")
    assert (answer["json"], "body" in answer) == ({"a": [1, "б"]}, False)
    assert (await card.call("net.fetch", url=f"{API}/empty", responseType="json"))["json"] is None
    refusal = await card.refused("net.fetch", url=f"{API}/text", responseType="json")
    assert refusal.code is ErrorCode.NETWORK_ERROR


async def test_bytes_come_as_base64_and_texts_in_their_own_encoding(desk: Any, web: Web) -> None:
    web.secure.on("/bytes", b"\x00\xff\x10")
    web.secure.on("/old", "мир".encode("windows-1251"), headers=['Content-Type: text/html; charset="windows-1251"'])
    web.secure.on("/odd", b"ok", headers=["Content-Type: text/html; charset=rot13"])
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/bytes", responseType="base64")
    assert base64.b64decode(answer["body"]) == b"\x00\xff\x10"
    assert (await card.call("net.fetch", url=f"{API}/old"))["body"] == "мир"
    assert (await card.call("net.fetch", url=f"{API}/odd"))["body"] == "ok"


async def test_an_answer_over_its_limit_is_cut_and_says_so(desk: Any, web: Web) -> None:
    desk.app.contract.net.limits = NetLimits(response_bytes=10)
    web.secure.on("/long", "x" * 11)
    web.secure.on("/fits", "x" * 10)
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/long")
    assert (answer["body"], answer["truncated"]) == ("x" * 10, True)
    assert "truncated" not in await card.call("net.fetch", url=f"{API}/fits")
    refusal = await card.refused("net.fetch", url=f"{API}/long", responseType="json")
    assert refusal.code is ErrorCode.NETWORK_ERROR
    assert NetLimits().response_bytes == 10 * 1024 * 1024


async def test_compressed_answers_are_undone_and_a_bomb_is_cut(desk: Any, web: Web) -> None:
    bare = zlib.compressobj(wbits=-15)
    web.secure.on("/gzip", gzip.compress(b"hello"), headers=["Content-Encoding: gzip"])
    web.secure.on("/zlib", zlib.compress(b"hello"), headers=["Content-Encoding: deflate"])
    web.secure.on("/bare", bare.compress(b"hello") + bare.flush(), headers=["Content-Encoding: deflate"])
    web.secure.on("/bomb", gzip.compress(bytes(30_000_000)), headers=["Content-Encoding: gzip"])
    card = await enter(desk)
    for path in ("/gzip", "/zlib", "/bare"):
        assert (await card.call("net.fetch", url=f"{API}{path}"))["body"] == "hello"
    desk.app.contract.net.limits = NetLimits(response_bytes=1000)
    answer = await card.call("net.fetch", url=f"{API}/bomb", responseType="base64")
    assert (len(base64.b64decode(answer["body"])), answer["truncated"]) == (1000, True)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip"])
async def test_an_encoding_that_is_not_undone_is_an_error(desk: Any, web: Web, encoding: str) -> None:
    web.secure.on("/a", b"xyz", headers=[f"Content-Encoding: {encoding}"])
    card = await enter(desk)
    assert (await card.refused("net.fetch", url=f"{API}/a")).code is ErrorCode.NETWORK_ERROR


async def test_a_compressed_answer_that_breaks_off_is_an_error(desk: Any, web: Web) -> None:
    web.secure.on("/a", gzip.compress(b"hello" * 100)[:-9], headers=["Content-Encoding: gzip"])
    card = await enter(desk)
    assert (await card.refused("net.fetch", url=f"{API}/a")).code is ErrorCode.NETWORK_ERROR


# What is sent


async def test_a_body_implies_post_and_may_be_bytes(desk: Any, web: Web) -> None:
    web.secure.on("/in")
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/in", body="тело", headers={"content-type": "text/plain"})
    await card.call(
        "net.fetch", url=f"{API}/in", body=base64.b64encode(b"\x00\x01").decode(), bodyEncoding="base64", method="PUT"
    )
    await card.call("net.fetch", url=f"{API}/in", method="DELETE")
    await card.call("net.fetch", url=f"{API}/in", method="HEAD")
    assert [(asked.method, asked.body) for asked in web.secure.asked] == [
        ("POST", "тело".encode()),
        ("PUT", b"\x00\x01"),
        ("DELETE", b""),
        ("HEAD", b""),
    ]
    assert web.secure.asked[0].headers["content-type"] == "text/plain"


async def test_what_an_answer_may_be_packed_in_is_not_the_cards_to_say(desk: Any, web: Web) -> None:
    web.secure.on("/a")
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/a", headers={"Accept-Encoding": "br", "Accept": "text/html"})
    assert web.secure.asked[0].headers["accept-encoding"] == "gzip, deflate"
    assert web.secure.asked[0].headers["accept"] == "text/html"


async def test_a_body_that_is_no_base64_or_too_large_is_refused(desk: Any, web: Web) -> None:
    desk.app.contract.net.limits = NetLimits(request_bytes=4)
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url=f"{API}/in", body="!!", bodyEncoding="base64")
    assert (refusal.code, refusal.data[0]["path"]) == (ErrorCode.INVALID_PARAMS, "/body")
    assert (await card.refused("net.fetch", url=f"{API}/in", body="ééé")).code is ErrorCode.TOO_LARGE
    assert web.asked == []
    assert NetLimits().request_bytes == 5 * 1024 * 1024


@pytest.mark.parametrize("name", ["Host", "cookie", "Origin", "Sec-Fetch-Site", "proxy-x", "X-Forwarded-For", "a b"])
async def test_headers_that_are_the_hosts_are_refused(desk: Any, web: Web, name: str) -> None:
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url=f"{API}/a", headers={"accept": "text/plain", name: "x"})
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert [issue["path"] for issue in refusal.data] == [f"/headers/{name}"]
    assert web.asked == []


async def test_a_header_value_cannot_smuggle_another_header(desk: Any, web: Web) -> None:
    card = await enter(desk)
    for value in ("a\r\nX-Evil: 1", "a\nb", "a\x00b"):
        refusal = await card.refused("net.fetch", url=f"{API}/a", headers={"x-a": value})
        assert refusal.code is ErrorCode.INVALID_PARAMS
    refusal = await card.refused("net.fetch", url=f"{API}/a", headers={"x-a": "a\x0bb"})
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert web.asked == []


async def test_a_header_value_with_half_a_character_is_sent_with_a_mark_in_its_place(desk: Any, web: Web) -> None:
    web.secure.on("/a")
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/a", headers={"x-a": "a\ud800b", "x-b": "ж"})
    assert web.secure.asked[0].headers["x-a"] == "a?b"
    assert web.secure.asked[0].headers["x-b"].encode("latin-1") == "ж".encode()


# Secrets


async def test_secrets_are_filled_into_header_values_alone(desk: Any, web: Web) -> None:
    web.secure.on("/in", headers=["X-Back: nothing"])
    card = await enter(desk)
    save = {"cardId": card.id, "values": {}, "secrets": {"token": "t0k", "other": "{{secret:token}}"}}
    await desk.page.call("card.setSettings", **save)
    headers = {
        "authorization": "Bearer {{secret:token}}",
        "x-two": "{{secret:token}}+{{secret:other}}",
        "x-no": "{{secret: token}}",
    }
    answer = await card.call(
        "net.fetch", url=f"{API}/in?k={{{{secret:token}}}}", headers=headers, body="{{secret:token}}"
    )
    asked = web.secure.asked[0]
    assert asked.headers["authorization"] == "Bearer t0k"
    assert asked.headers["x-two"] == "t0k+{{secret:token}}"
    assert asked.headers["x-no"] == "{{secret: token}}"
    assert asked.body == b"{{secret:token}}"
    assert "t0k" not in asked.target
    assert "t0k" not in json.dumps(answer)


@pytest.mark.parametrize("key", ["token", "plain", "none"])
async def test_a_secret_that_is_not_set_or_not_one_is_refused(desk: Any, web: Web, key: str) -> None:
    card = await enter(desk)
    refusal = await card.refused("net.fetch", url=f"{API}/a", headers={"x-a": f"{{{{secret:{key}}}}}"})
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert key in refusal.message
    assert web.asked == []


async def test_secrets_and_authorization_do_not_follow_to_another_origin(desk: Any, web: Web) -> None:
    web.secure.redirect("/to", "https://other.example.org/there")
    web.secure.redirect("/near", "/there")
    web.secure.on("/there")
    card = await enter(desk)
    await desk.page.call("card.setSettings", cardId=card.id, values={}, secrets={"token": "t0k"})
    headers = {"Authorization": "Basic own", "X-Key": "{{secret:token}}", "X-Plain": "stays"}
    await card.call("net.fetch", url=f"{API}/to", headers=headers)
    there = web.secure.asked[1].headers
    assert (there["host"], there["x-plain"]) == ("other.example.org", "stays")
    assert "authorization" not in there
    assert "x-key" not in there
    await card.call("net.fetch", url=f"{API}/near", headers=headers)
    assert web.secure.asked[3].headers["x-key"] == "t0k"


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


# Streams


async def test_a_streams_head_comes_first_then_its_chunks_then_its_end(desk: Any, web: Web) -> None:
    more = asyncio.Event()
    web.secure.replies["/s"] = Reply(
        headers=("Content-Type: text/event-stream",), pieces=(b"one \xd0", more, b"\xbf", b"\xff")
    )
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    assert (answer["status"], answer["requestId"], "body" in answer) == (200, "s1", False)
    assert await card.event("net.chunk") == {"requestId": "s1", "chunk": "one ", "encoding": "text", "done": False}
    more.set()
    assert (await card.event("net.chunk"))["chunk"] == "п"
    last = await card.event("net.chunk")
    assert (base64.b64decode(last["chunk"]), last["encoding"]) == (b"\xff", "base64")
    assert await card.event("net.chunk") == {"requestId": "s1", "chunk": "", "encoding": "text", "done": True}


async def test_a_stream_that_breaks_off_ends_with_an_error(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"half",), chunked=True, close_early=True)
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    last = await card.event("net.chunk", lambda chunk: chunk["done"])
    assert last["error"]


async def test_a_stream_can_be_aborted(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    await card.event("net.chunk")
    assert await card.call("net.abort", requestId="s1") is None
    assert (await card.event("net.chunk"))["error"] == "the request was aborted"
    async with asyncio.timeout(20):
        await web.secure.gone.wait()
    assert await card.call("net.abort", requestId="s1") is None, "one that is over is nothing to abort"


async def test_a_stream_waits_while_its_card_reads_nothing(desk: Any, web: Web) -> None:
    desk.app.contract.net.limits = NetLimits(unread_chars=100_000)
    web.secure.replies["/s"] = Reply(pieces=(b"x" * 60_000,) * 40, chunked=True)
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    card.client._pump.cancel()
    outbox = card.client.line.outbox
    for _ in range(200):
        await asyncio.sleep(0.001)
    assert outbox.unread_event_chars < 400_000
    body = ""
    async with asyncio.timeout(20):
        while (text := await outbox.next()) is not None:
            chunk = json.loads(text)["data"]
            body += chunk["chunk"]
            if chunk["done"]:
                break
    assert body == "x" * 60_000 * 40


async def test_four_streams_and_six_requests_at_once(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk)
    for number in range(4):
        await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId=f"s{number}")
    refusal = await card.refused("net.fetch", url=f"{API}/s", responseType="stream")
    assert (refusal.code, refusal.data) == (ErrorCode.RATE_LIMITED, {"retryAfterMs": 1000})
    waiting = [await started(card.call("net.fetch", url=f"{API}/slow", requestId=f"r{n}")) for n in range(2)]
    assert (await card.refused("net.fetch", url=f"{API}/slow")).code is ErrorCode.RATE_LIMITED
    other = await enter(desk, name="other-card")
    web.secure.on("/a", "free")
    assert (await other.call("net.fetch", url=f"{API}/a"))["body"] == "free"
    await card.call("net.abort", requestId="s0")
    assert (await card.call("net.fetch", url=f"{API}/a"))["body"] == "free"
    for number in range(2):
        await card.call("net.abort", requestId=f"r{number}")
    for outcome in await asyncio.gather(*waiting, return_exceptions=True):
        assert getattr(outcome, "code", None) is ErrorCode.USER_CANCELLED


async def test_a_request_id_is_used_once_at_a_time(desk: Any, web: Web) -> None:
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk)
    waiting = await started(card.call("net.fetch", url=f"{API}/slow", requestId="r"))
    refusal = await card.refused("net.fetch", url=f"{API}/slow", requestId="r")
    assert refusal.code is ErrorCode.INVALID_PARAMS
    other = await enter(desk, name="other-card")
    await other.call("net.abort", requestId="r")
    assert not waiting.done()
    await card.call("net.abort", requestId="r")
    with pytest.raises(Exception, match="aborted"):
        await waiting


async def test_no_answer_in_time_is_a_timeout(desk: Any, web: Web) -> None:
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    desk.app.contract.net.limits = NetLimits(timeout_ms=50)
    card = await enter(desk)
    assert (await card.refused("net.fetch", url=f"{API}/slow")).code is ErrorCode.TIMEOUT
    for timeout_ms in (999, 120_001):
        refusal = await card.refused("net.fetch", url=f"{API}/slow", timeoutMs=timeout_ms)
        assert refusal.code is ErrorCode.INVALID_PARAMS
    assert NetLimits().timeout_ms == 30_000


async def test_nobody_listening_is_a_network_error(desk: Any, web: Web) -> None:
    card = await enter(desk, {"id": "network.local"})
    refusal = await card.refused("net.fetch", url="http://localhost:9/")
    assert refusal.code is ErrorCode.NETWORK_ERROR


async def test_a_hundred_and_twenty_requests_a_minute(desk: Any, web: Web) -> None:
    web.secure.on("/a")
    card = await enter(desk)
    for _ in range(120):
        await card.call("net.fetch", url=f"{API}/a")
    refusal = await card.refused("net.fetch", url=f"{API}/a")
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 60_000


# Permission


async def test_the_network_needs_one_of_its_permissions(desk: Any, web: Web) -> None:
    card = await enter(desk, "agents.read")
    for method, params in (("net.fetch", {"url": f"{API}/a"}), ("net.abort", {"requestId": "r"})):
        refusal = await card.refused(method, **params)
        assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "network"})


async def test_a_declared_host_without_its_grant_is_denied_whatever_else_is_granted(desk: Any, web: Web) -> None:
    card = await enter(desk, {**NETWORK, "optional": True}, "network.local")
    refusal = await card.refused("net.fetch", url=f"{API}/a")
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "network"})


async def test_revoking_ends_what_is_under_way(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    web.plain.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk, NETWORK, "network.local")
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s")
    slow = await started(card.call("net.fetch", url=f"{API}/slow"))
    local = await started(card.call("net.fetch", url=f"http://localhost:{web.plain.port}/slow", requestId="local"))
    await web.secure.reached(2)
    await web.plain.reached(1)
    await card.grant("network", granted=False)
    with pytest.raises(Exception, match="needs the permission network"):
        await slow
    assert (await card.event("net.chunk", lambda chunk: chunk["done"]))["error"]
    assert not local.done()
    await card.call("net.abort", requestId="local")
    await asyncio.gather(local, return_exceptions=True)


async def test_requests_end_with_the_card(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream")
    card.vanish()
    async with asyncio.timeout(20):
        await web.secure.gone.wait()
    assert desk.app.contract.net._running == {}
