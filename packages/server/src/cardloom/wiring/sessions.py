"""Sessions: the store, the backends, and the doors to them."""

from __future__ import annotations

from ..features.sessions import handlers
from ..features.sessions.backends.engine.backend import EngineBackend, EngineParts
from ..features.sessions.disk_files import DiskFiles
from ..features.sessions.service import SessionsService
from ..features.sessions.store import SqliteStore
from ..features.sessions.workspaces import OpenWorkspaces
from ..transport.sessions import PATH
from .shared import Shared


def join_sessions(shared: Shared) -> SessionsService:
    """Make the sessions, kept in the database, answered by our own engine first, in the workspaces that are open."""
    data_folder = shared.settings.data_folder
    store, service = SqliteStore(shared.database), SessionsService(shared.bus)
    workspaces = OpenWorkspaces(shared.graph, str(data_folder))

    def files_of(workspace_id: str | None) -> tuple[DiskFiles, bool] | None:
        files = workspaces.files_of(workspace_id)
        return None if files is None else (files, True)

    parts = EngineParts(store, (), data_folder / "profiles", files_of=files_of, workspace=workspaces)
    service.add("engine", "Cardloom", "engine", EngineBackend(parts))

    def access() -> dict[str, str]:
        return {"url": shared.address.url + PATH, "key": shared.session_key}

    shared.handlers.add(handlers.handlers(service, access))

    async def close() -> None:
        await service.close()
        await workspaces.close()
        await store.close()

    shared.life.on_stop.append(close)
    return service
