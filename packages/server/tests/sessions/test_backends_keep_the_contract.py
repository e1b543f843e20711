"""Every backend keeps the contract as far as its capabilities and its engine reach."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from cardloom.features.sessions.backends.acp.agent import AcpSettings
from cardloom.features.sessions.backends.acp.backend import AcpBackend
from cardloom.features.sessions.backends.engine.backend import EngineBackend, EngineParts
from cardloom.features.sessions.backends.http.backend import HttpBackend
from cardloom.features.sessions.backends.http.client import ProtocolClient
from cardloom.features.sessions.backends.mapped.backend import MappedBackend
from cardloom.features.sessions.backends.mapped.engine import Engine
from cardloom.features.sessions.backends.mapped.mapping import load_mapping
from cardloom.features.sessions.store import SqliteStore
from cardloom.features.sessions.store_rows import SCHEMA
from cardloom.host.database import Database
from cardloom_protocol.session import has
from cardloom_sdk.backend import Backend, BackendHost
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.stores import MemoryStore, NrChatStore, SessionStore
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.memory_backend import MemoryBackend
from cardloom_sdk.testing.session_clients import HostClient

from .contract_model import WORDS, ContractModel
from .engine.memory_files import MemoryFiles
from .engine.scripted_transport import endpoint
from .mapped.dreams_server import KEY, Dreams
from .mapped.marinara_server import Marinara
from .served import served

EXAMPLES = Path(__file__).parents[4] / "examples" / "backends"
Make: TypeAlias = Callable[[Path], AbstractAsyncContextManager[Backend]]


@asynccontextmanager
async def engine(folder: Path) -> AsyncIterator[Backend]:
    """The engine as the server has it, over its own database."""
    database = Database(folder / "sessions.db", SCHEMA, now_ms=0)
    store = SqliteStore(database)
    yield engine_in(folder, store)
    await store.close()
    database.close()


@asynccontextmanager
async def agent(folder: Path) -> AsyncIterator[Backend]:
    """An agent over the files that the server keeps its sessions in."""
    argv = (sys.executable, str(Path(__file__).parent / "acp" / "fake_agent.py"))
    yield AcpBackend(AcpSettings(argv, folder, dict(os.environ)), NrChatStore(folder / "sessions"))


def engine_in(folder: Path, store: SessionStore) -> EngineBackend:
    files = MemoryFiles({"a.txt": b"hello"})
    parts = EngineParts(
        store=store,
        endpoints=[endpoint(ContractModel())],
        profiles=folder / "profiles",
        files_of=lambda _workspace: (files, True),
    )
    return EngineBackend(parts)


@asynccontextmanager
async def far(backend: Backend) -> AsyncIterator[Backend]:
    there = BackendHost(backend)
    async with served(SessionApp(there)) as server:
        yield HttpBackend(ProtocolClient(server.url))
        await there.close()


@asynccontextmanager
async def dreams(_: Path) -> AsyncIterator[Backend]:
    async def key() -> str | None:
        return KEY

    async with served(Dreams().app) as server:
        yield MappedBackend(Engine(load_mapping(EXAMPLES / "dreams.json"), server.url, key))


@asynccontextmanager
async def marinara(_: Path) -> AsyncIterator[Backend]:
    async with served(Marinara().app) as server:
        yield MappedBackend(Engine(load_mapping(EXAMPLES / "marinara.json"), server.url))


BACKENDS: dict[str, tuple[Make, dict[str, str]]] = {
    "engine": (engine, WORDS),
    "agent": (agent, WORDS),
    "engine elsewhere": (lambda folder: far(engine_in(folder, MemoryStore())), WORDS),
    "memory elsewhere": (lambda _: far(MemoryBackend()), WORDS),
    "dreams": (dreams, {"text": "muse a while", "permission": "act", "hang": "hang", "fail": "fail"}),
    "marinara": (marinara, {"text": "one two", "hang": "hang", "fail": "fail"}),
}

# Checks that need no capability, and what the engines of others have no place for.
BEYOND = {
    "dreams": {
        "every_part_and_flag_comes_back": "an entry is made of words alone",
        "an_id_is_taken_once": "the engine makes all ids",
    },
    "marinara": {
        "every_part_and_flag_comes_back": "a message is one text",
        "an_id_is_taken_once": "the engine makes all ids",
        "a_second_greeting_is_a_second_root": "an alternative is no message of its own",
        "a_switched_branch_is_shown_to_its_end": "an alternative is no message of its own",
        "a_branch_becomes_active": "there are no branches",
        "regenerating_makes_an_alternative": "an alternative keeps the id of its message",
    },
}


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param(name, row, id=f"{name}: {row.check.__name__}")
        for name, (_, words) in BACKENDS.items()
        for row in rows()
        if set(row.words) <= set(words) and row.check.__name__ not in BEYOND.get(name, {})
    ],
)
async def test_a_backend_keeps_the_contract(name: str, row: Row, tmp_path: Path) -> None:
    make, words = BACKENDS[name]
    async with make(tmp_path) as backend:
        host = BackendHost(backend)
        capabilities = await host.capabilities()
        if all(has(capabilities, need) for need in row.needs):
            await row.check(Subject(HostClient(host), words))
        await host.close()
