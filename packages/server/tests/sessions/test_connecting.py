"""Clients of backends over HTTP."""

from __future__ import annotations

import asyncio

import pytest

from cardloom.features.sessions.backends.connecting import http_client

CAP_S = 60.0
RUNS = 120  # more than an HTTP client opens connections by itself


async def test_every_run_at_once_has_a_connection_of_its_own() -> None:
    come = 0
    all_there = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal come
        await reader.readuntil(b"\r\n\r\n")
        come += 1
        if come == RUNS:
            all_there.set()
        await all_there.wait()
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=RUNS)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with asyncio.timeout(CAP_S), server, http_client(CAP_S) as client:
        answers = await asyncio.gather(*(client.get(url) for _ in range(RUNS)))
    assert [one.status_code for one in answers] == [204] * RUNS


async def test_a_key_follows_no_redirect_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    asked: list[bytes] = []

    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(redirect, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with asyncio.timeout(CAP_S), server, http_client(CAP_S) as client:
        answer = await client.get(url, headers={"Authorization": "Bearer key"})
    assert (answer.status_code, len(asked)) == (302, 1)
