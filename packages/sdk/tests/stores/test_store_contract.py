"""Every store passes the same checks, as far as its capabilities reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

import pytest

from cardloom_sdk.stores import ClaudeStore, MemoryStore, NrChatStore, PiStore, SessionStore
from cardloom_sdk.testing.store_contract import Check, checks_for

STORES: dict[str, Callable[[Path], SessionStore]] = {
    "memory": lambda _: MemoryStore(),
    "nr-chat": NrChatStore,
    "pi": lambda folder: PiStore(folder, cwd="/w"),
    "pi without service entries": lambda folder: PiStore(folder, cwd="/w", hide_service_entries=True),
    "pi for pi itself": lambda folder: PiStore(folder, cwd="/w", hide_service_entries=True, for_pi=True),
    "claude": lambda folder: ClaudeStore(folder, cwd="/w"),
}
ROWS = [(name, check) for name, store_of in STORES.items() for check in checks_for(store_of(Path(gettempdir())))]


@pytest.mark.parametrize(("name", "check"), ROWS, ids=[f"{name}: {check.__name__}" for name, check in ROWS])
async def test_a_store_keeps_the_contract(name: str, check: Check, tmp_path: Path) -> None:
    await check(STORES[name](tmp_path))
