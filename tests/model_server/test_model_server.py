"""The scripted model itself: every wire asked over HTTP, streamed and whole."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import httpx
import pytest

from .scenario import FINAL_TEXT, HELD_TEXT, PLAIN_TEXT, RELEASED_TEXT, TITLE
from .serving import ModelServer, serving_models

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
SHELL = {"name": "bash", "description": "Run", "parameters": PARAMETERS}
CAP_S = 60


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with serving_models() as server:
        yield server


def body_of(wire: str, prompt: str, *, streams: bool, tools: bool = True) -> tuple[str, dict[str, object]]:
    """The path and the body of a request in a wire."""
    said = [{"role": "user", "content": prompt}]
    match wire:
        case "messages":
            offered = [{"name": "bash", "input_schema": PARAMETERS}]
            return "/v1/messages", {"model": "m", "stream": streams, "messages": said, "tools": offered * tools}
        case "chat":
            offered_chat = [{"type": "function", "function": SHELL}]
            return "/v1/chat/completions", {
                "model": "m",
                "stream": streams,
                "messages": said,
                "tools": offered_chat * tools,
            }
        case "responses":
            offered_flat = [{"type": "function", **SHELL}]
            return "/v1/responses", {"model": "m", "stream": streams, "input": said, "tools": offered_flat * tools}
        case _:
            verb = "streamGenerateContent" if streams else "generateContent"
            declared = [{"functionDeclarations": [SHELL]}]
            contents = [{"role": "user", "parts": [{"text": prompt}]}]
            return f"/v1beta/models/m:{verb}", {"contents": contents, "tools": declared * tools}


def ask(models: ModelServer, wire: str, prompt: str, *, streams: bool, tools: bool = True) -> httpx.Response:
    path, body = body_of(wire, prompt, streams=streams, tools=tools)
    return httpx.post(models.url + path, json=body, timeout=CAP_S)


def frames(text: str) -> list[dict[str, object]]:
    datas = (line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(data) for data in datas if data != "[DONE]"]


def strings(value: object) -> Iterator[str]:
    """Every text inside a JSON value, in order."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from strings(inner)
        case list():
            for inner in value:
                yield from strings(inner)


WIRES = ("messages", "chat", "responses", "gemini")


@pytest.mark.parametrize("wire", WIRES)
def test_a_whole_answer_holds_the_text(models: ModelServer, wire: str) -> None:
    assert PLAIN_TEXT in strings(ask(models, wire, "hello", streams=False).json())


@pytest.mark.parametrize("wire", WIRES)
def test_a_streamed_answer_comes_word_by_word(models: ModelServer, wire: str) -> None:
    told = [text for frame in frames(ask(models, wire, "hello", streams=True).text) for text in strings(frame)]
    assert [word for word in told if word in ("Hello ", "from ", "the ", "scripted ", "model. ")][:3] == [
        "Hello ",
        "from ",
        "the ",
    ]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("wire", WIRES)
def test_a_marked_prompt_calls_the_offered_shell(models: ModelServer, wire: str, streams: bool) -> None:
    text = ask(models, wire, "[[tool:echo hi]] please", streams=streams).text
    assert "bash" in text
    assert "echo" in text
    assert models.record.exchanges()[0].scenario == "tool"


def test_a_tool_result_gets_the_final_text(models: ModelServer) -> None:
    path, body = body_of("messages", "[[tool]] go", streams=False)
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "hi"}]}
    said = [{"role": "user", "content": "[[tool]] go"}, result]
    reply = httpx.post(models.url + path, json={**body, "messages": said}, timeout=CAP_S)
    assert FINAL_TEXT in strings(reply.json())


def test_a_prompt_beside_a_denied_result_is_the_one_answered(models: ModelServer) -> None:
    path, body = body_of("messages", "", streams=False)
    parts = [{"type": "tool_result", "tool_use_id": "t", "content": "no"}, {"type": "text", "text": "[[text]] next"}]
    said = [{"role": "user", "content": "[[tool]] go"}, {"role": "user", "content": parts}]
    reply = httpx.post(models.url + path, json={**body, "messages": said}, timeout=CAP_S)
    assert PLAIN_TEXT in strings(reply.json())


def test_a_request_without_tools_is_aside_and_gets_a_title(models: ModelServer) -> None:
    reply = ask(models, "chat", "[[tool]] a title please", streams=False, tools=False)
    assert TITLE in strings(reply.json())
    assert models.record.exchanges()[0].aside


@pytest.mark.parametrize("wire", WIRES)
def test_two_failures_are_followed_by_an_answer(models: ModelServer, wire: str) -> None:
    replies = [ask(models, wire, "[[429x2]] go", streams=False) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [429, 429, 200]
    assert [exchange.usage is None for exchange in models.record.exchanges()] == [True, True, False]


@pytest.mark.parametrize("wire", WIRES)
def test_a_held_stream_goes_on_when_it_is_released(models: ModelServer, wire: str) -> None:
    path, body = body_of(wire, "[[hold]] go", streams=True)
    with httpx.stream("POST", models.url + path, json=body, timeout=CAP_S) as reply:
        lines = reply.iter_lines()
        assert any(HELD_TEXT.split()[0] in line for line in lines)
        assert models.record.exchanges()[0].ended_at_ms is None
        httpx.post(models.url + "/__release", timeout=CAP_S)
        assert any(RELEASED_TEXT in line for line in lines)


def test_each_request_has_counts_of_its_own(models: ModelServer) -> None:
    for _ in range(2):
        ask(models, "messages", "hello", streams=False)
    logged = httpx.get(models.url + "/__log", timeout=CAP_S).json()
    assert [exchange["usage"]["uncached"] for exchange in logged] == [1010, 1020]
    assert [exchange["usage"]["cache_read"] for exchange in logged] == [0, 2048]


def test_a_chunked_and_zipped_body_is_read(models: ModelServer) -> None:
    path, body = body_of("chat", "hello", streams=False)
    packed = gzip.compress(json.dumps(body).encode())
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    reply = httpx.post(models.url + path, content=iter([packed[:10], packed[10:]]), headers=headers, timeout=CAP_S)
    assert PLAIN_TEXT in strings(reply.json())


def test_an_unknown_path_is_not_found(models: ModelServer) -> None:
    assert httpx.post(models.url + "/v1/other", json={}, timeout=CAP_S).status_code == 404
