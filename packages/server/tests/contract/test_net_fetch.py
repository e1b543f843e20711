"""Web requests of cards: answers, what is sent, secrets. Spec: cards, network."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from typing import Any

import pytest

from cardloom.features.cards.net.service import NetLimits
from cardloom_protocol.errors import ErrorCode

from .fetching import API, Web, enter


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
