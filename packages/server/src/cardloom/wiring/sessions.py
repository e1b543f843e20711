"""Sessions: the store, the backends, and the doors to them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

from cardloom_sdk.backend.services import PluginServices, plugins_in
from cardloom_sdk.stores import NrChatStore
from cardloom_sdk.stores.disk import sweep_scratch

from ..core.bus import OWNERS
from ..features.canvas.service import CanvasService
from ..features.ports.service import PortsService
from ..features.sessions import handlers
from ..features.sessions.backend_desk import BackendDesk
from ..features.sessions.backends.configured import ENGINE_ID, Surroundings, read_configuration
from ..features.sessions.backends.engine.backend import EngineBackend, EngineParts
from ..features.sessions.backends.keys import SealedKeys
from ..features.sessions.backends_file import BackendsFile
from ..features.sessions.chat_cards import KIND, ChatCards
from ..features.sessions.chat_cards import Hooks as ChatHooks
from ..features.sessions.disk_files import DiskFiles
from ..features.sessions.endpoints import EndpointDesk
from ..features.sessions.service import SessionsService
from ..features.sessions.store import SqliteStore
from ..features.sessions.workspaces import OpenWorkspaces
from ..host.vault import Vault, system_keyring
from ..transport.sessions import PATH
from .shared import Shared

_SESSIONS: Final = "sessions"
"""Of the data folder: a folder of session files for each backend that keeps none itself."""
_LEFTOVER_S: Final = 60
"""How old a file that a killed writer left is when it is removed."""


def join_sessions(shared: Shared, canvas: CanvasService, ports: PortsService) -> SessionsService:
    """Make the sessions, kept in the database, answered by our own engine first, in the workspaces that are open."""
    data_folder = shared.settings.data_folder
    store, service = SqliteStore(shared.database), SessionsService(shared.bus)

    def engine_changed() -> None:
        shared.bus.publish("session.engineChanged", {}, OWNERS)

    workspaces = OpenWorkspaces(shared.graph, str(data_folder), engine_changed)

    def files_of(workspace_id: str | None) -> tuple[DiskFiles, bool] | None:
        files = workspaces.files_of(workspace_id)
        return None if files is None else (files, True)

    surroundings = _surroundings(shared)
    configured = read_configuration(surroundings)
    shared.notices.extend(configured.faults)
    parts = EngineParts(
        store,
        configured.endpoints,
        data_folder / "profiles",
        skills=configured.skills,
        mcp=configured.mcp_servers(),
        files_of=files_of,
        workspace=workspaces,
        services=_services(data_folder),
        default_model=configured.default_model,
    )
    engine = EngineBackend(parts)
    service.add(ENGINE_ID, "Cardloom", "engine", engine)
    for one in configured.backends:
        service.add(one.id, one.title, one.kind, one.backend)

    def access() -> dict[str, str]:
        return {"url": shared.address.url + PATH, "key": shared.session_key}

    file = BackendsFile(data_folder)
    endpoints = EndpointDesk(surroundings, file, engine.models, engine_changed)
    backends = BackendDesk(
        surroundings, file, service, lambda: shared.bus.publish("session.backendsChanged", {}, OWNERS)
    )
    chats = _join_chats(shared, canvas, ports, service)
    shared.handlers.add(handlers.handlers(service, handlers.Desks(endpoints, backends), chats, access))

    async def close() -> None:
        await service.close()
        await workspaces.close()
        await store.close()

    async def sweep() -> None:
        before_s = shared.clock.now_ms() / 1000 - _LEFTOVER_S
        await asyncio.to_thread(sweep_scratch, data_folder / _SESSIONS, before_s)

    shared.life.background.append(sweep)
    shared.life.on_stop.append(close)
    return service


def _join_chats(shared: Shared, canvas: CanvasService, ports: PortsService, service: SessionsService) -> ChatCards:
    hooks = ChatHooks(canvas.commit, ports.emit, canvas.commits.patch_runtime, shared.clock.now_ms)
    chats = ChatCards(service, shared.graph, hooks)
    ports.receivers[KIND] = chats.receive
    canvas.listeners.card_removed.append(chats.card_removed)
    shared.life.background.append(chats.run)
    shared.life.on_stop.append(chats.close)
    return chats


def _services(data_folder: Path) -> PluginServices:
    """The plug-ins in the data folder; nothing of them is loaded before a front end asks what the engine can do."""
    folder = data_folder / "services"
    return PluginServices(plugins_in(folder), root=folder, data=data_folder / "service-data")


def _surroundings(shared: Shared) -> Surroundings:
    """Where keys, files and stores of backends are."""
    data_folder = shared.settings.data_folder
    vault = Vault(data_folder, system_keyring if shared.settings.use_keyring else None)
    return Surroundings(
        data_folder,
        os.environ,
        SealedKeys(data_folder, vault),
        lambda backend_id: NrChatStore(data_folder / _SESSIONS / backend_id),
    )
