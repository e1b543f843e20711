"""The backends in memory keep the contract, asked directly and over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from cardloom_protocol.session import has
from cardloom_sdk.backend import Backend, BackendHost
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.stores import ClaudeStore, NrChatStore, PiStore
from cardloom_sdk.testing.asgi_client import AsgiClient
from cardloom_sdk.testing.backend_contract import Row, Subject, checks_for, rows
from cardloom_sdk.testing.backends import EchoBackend
from cardloom_sdk.testing.memory_backend import MemoryBackend
from cardloom_sdk.testing.session_clients import HostClient, HttpClient, SessionClient

WORDS = {"text": "one two three"}
ALL_WORDS = {**WORDS, "tool": "tool", "permission": "permission", "hang": "hang", "fail": "fail"}

BACKENDS: dict[str, Callable[[Path], Backend]] = {
    "memory": lambda _: MemoryBackend(),
    "echo": lambda _: EchoBackend(),
    "echo over nr-chat files": lambda folder: EchoBackend(NrChatStore(folder)),
    "echo over pi files": lambda folder: EchoBackend(PiStore(folder, cwd="/w")),
    "echo over Claude transcripts": lambda folder: EchoBackend(ClaudeStore(folder, cwd="/w")),
}
CLIENTS: dict[str, Callable[[BackendHost], SessionClient]] = {
    "directly": HostClient,
    "over HTTP": lambda host: HttpClient(AsgiClient(SessionApp(host), root="/below")),
}
TRIED = [("memory", "directly"), ("memory", "over HTTP"), ("echo", "over HTTP")] + [
    (name, "directly") for name in BACKENDS if "files" in name or "transcripts" in name
]


def words_of(name: str) -> dict[str, str]:
    """The words that a backend's model understands."""
    return ALL_WORDS if name == "memory" else WORDS


def cases() -> list[tuple[str, str, Row]]:
    """Every check of every backend through every client."""
    return [(name, client, row) for name, client in TRIED for row in rows() if set(row.words) <= set(words_of(name))]


@pytest.fixture
async def subject_of(tmp_path: Path) -> AsyncIterator[Callable[[str, str], Subject]]:
    """Makes a subject; its host is closed at the end."""
    hosts: list[BackendHost] = []

    def make(name: str, client: str) -> Subject:
        hosts.append(BackendHost(BACKENDS[name](tmp_path)))
        return Subject(CLIENTS[client](hosts[-1]), words_of(name))

    yield make
    for host in hosts:
        await host.close()


@pytest.mark.parametrize(
    ("name", "client", "row"),
    [pytest.param(*case, id=f"{case[0]} {case[1]}: {case[2].check.__name__}") for case in cases()],
)
async def test_a_backend_keeps_the_contract(
    name: str, client: str, row: Row, subject_of: Callable[[str, str], Subject]
) -> None:
    subject = subject_of(name, client)
    capabilities = await subject.client.call("capabilities")
    if all(has(capabilities, need) for need in row.needs):
        await row.check(subject)


async def test_the_backend_in_memory_reaches_the_whole_contract() -> None:
    capabilities = dict(await MemoryBackend().capabilities())
    assert len(checks_for(capabilities, ALL_WORDS)) == len(rows())
    assert checks_for({}, ()) != checks_for(capabilities, ALL_WORDS)
