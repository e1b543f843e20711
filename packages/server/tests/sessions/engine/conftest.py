"""Engines with a store in memory and endpoints that a test scripts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest

from cardloom.features.sessions.backends.engine.backend import EngineBackend, EngineParts
from cardloom.features.sessions.backends.engine.endpoint import Endpoint
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import MemoryStore

from .scripted_transport import Scripted, endpoint

MakeEngine: TypeAlias = Callable[..., BackendHost]


@pytest.fixture
async def engine_of(tmp_path: Path) -> AsyncIterator[MakeEngine]:
    """Makes the host of an engine whose endpoint gives these answers."""
    made: list[BackendHost] = []

    def make(*answers: httpx.Response | Exception | Endpoint, **parts: Any) -> BackendHost:
        endpoints = [one for one in answers if isinstance(one, Endpoint)]
        scripted = [one for one in answers if not isinstance(one, Endpoint)]
        if scripted:
            endpoints.append(endpoint(Scripted(*scripted)))
        engine = EngineBackend(
            EngineParts(**{"store": MemoryStore(), "endpoints": endpoints, "profiles": tmp_path / "profiles", **parts})
        )
        made.append(BackendHost(engine))
        return made[-1]

    yield make
    for host in made:
        await host.close()
