"""Sessions: the store, the backends, and the doors to them."""

from __future__ import annotations

import os

from cardloom_sdk.stores import NrChatStore

from ..features.sessions import handlers
from ..features.sessions.backends.configured import ENGINE_ID, Configuration, Surroundings, read_configuration
from ..features.sessions.backends.engine.backend import EngineBackend, EngineParts
from ..features.sessions.backends.keys import SealedKeys
from ..features.sessions.disk_files import DiskFiles
from ..features.sessions.service import SessionsService
from ..features.sessions.store import SqliteStore
from ..features.sessions.workspaces import OpenWorkspaces
from ..host.vault import Vault, system_keyring
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

    configured = _configured(shared)
    parts = EngineParts(
        store,
        configured.endpoints,
        data_folder / "profiles",
        skills=configured.skills,
        mcp=configured.mcp_servers(),
        files_of=files_of,
        workspace=workspaces,
        default_model=configured.default_model,
    )
    service.add(ENGINE_ID, "Cardloom", "engine", EngineBackend(parts))
    for one in configured.backends:
        service.add(one.id, one.title, one.kind, one.backend)

    def access() -> dict[str, str]:
        return {"url": shared.address.url + PATH, "key": shared.session_key}

    shared.handlers.add(handlers.handlers(service, access))

    async def close() -> None:
        await service.close()
        await workspaces.close()
        await store.close()

    shared.life.on_stop.append(close)
    return service


def _configured(shared: Shared) -> Configuration:
    """What the person has set up; what is wrong in it is told as a notice."""
    data_folder = shared.settings.data_folder
    vault = Vault(data_folder, system_keyring if shared.settings.use_keyring else None)
    found = read_configuration(
        Surroundings(
            data_folder,
            os.environ,
            SealedKeys(data_folder, vault),
            lambda backend_id: NrChatStore(data_folder / "sessions" / backend_id),
        )
    )
    shared.notices.extend(found.faults)
    return found
