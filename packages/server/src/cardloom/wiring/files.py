"""The files of a workspace."""

from __future__ import annotations

from ..features.files import handlers
from ..features.files.service import FilesService
from .shared import Shared


def join_files(shared: Shared) -> FilesService:
    """Make the files, which cards reach behind a fence."""
    settings = shared.settings
    files = FilesService(
        shared.graph, shared.grants, shared.bus, settings.data_folder, check_ms=settings.folder_check_ms
    )
    shared.handlers.add(handlers.handlers(files, shared.graph))
    shared.life.on_start.append(files.begin)
    shared.life.on_stop.append(files.close)
    shared.life.background.append(files.run)
    return files
