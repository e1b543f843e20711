"""Sessions: the store, the backends, and the doors to them."""

from __future__ import annotations

from ..features.sessions import handlers
from ..features.sessions.backends.engine.backend import EngineBackend, EngineParts
from ..features.sessions.service import SessionsService
from ..features.sessions.store import SqliteStore
from ..transport.sessions import PATH
from .shared import Shared


def join_sessions(shared: Shared) -> SessionsService:
    """Make the sessions, kept in the database, answered by our own engine first."""
    store = SqliteStore(shared.database)
    service = SessionsService(shared.bus)
    profiles = shared.settings.data_folder / "profiles"
    service.add("engine", "Cardloom", "engine", EngineBackend(EngineParts(store, (), profiles)))

    def access() -> dict[str, str]:
        return {"url": shared.address.url + PATH, "key": shared.session_key}

    shared.handlers.add(handlers.handlers(service, access))

    async def close() -> None:
        await service.close()
        await store.close()

    shared.life.on_stop.append(close)
    return service
