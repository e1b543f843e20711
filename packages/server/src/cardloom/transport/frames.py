"""A package's files for its frame, below the address of one mount: `/frames/<token>/<package path>`.

`__ns/` in that space is the host's: the card SDK, the style kit and the guard. Files of a fixed package are kept by
their tree hash, as served. Spec: decisions 1, 2.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from cardloom_protocol.limits import limit
from cardloom_protocol.paths import normalize_package_path

from ..core.mounts import FrameFiles, Mounts
from .frame_content import GUARD_FILE, Served, served
from .frame_policy import FRAME_HEADERS, frame_policy

PREFIX: Final = "/frames/"
_HOST_FOLDER: Final = "__ns/"
_HOST_FILES: Final = ("sdk.js", "kit.css")
_CACHE_BYTES: Final = 33_554_432

_Key: TypeAlias = tuple[str, str]


class FrameServer:
    """Serves frames. `host_folder` holds what `__ns/` offers beside the guard."""

    def __init__(self, mounts: Mounts, host_folder: Path) -> None:
        self._mounts = mounts
        self._host_folder = host_folder
        self._cache: OrderedDict[_Key, Served] = OrderedDict()
        self._cached_bytes = 0

    async def file(self, request: Request) -> Response:
        """One file of one frame; everything that is not there is 404 under the same headers."""
        token, path = request.path_params["token"], request.path_params["path"]
        mount = self._mounts.find(token)
        found = None if mount is None else await self._find(mount.files, path)
        if found is not None and _is_document(request, found) and self._mounts.load(token) is None:
            found = None
        prefix = f"{PREFIX}{token}/"
        host = request.headers["host"]
        headers = {**FRAME_HEADERS}
        if found is None:
            headers["Content-Security-Policy"] = frame_policy(host, prefix, "document")
            return Response(status_code=404, headers=headers)
        headers["Content-Security-Policy"] = frame_policy(host, prefix, found.realm, found.inline)
        headers["Content-Type"] = found.content_type
        return Response(found.at(f"{prefix}{_HOST_FOLDER}guard.js"), headers=headers)

    async def _find(self, files: FrameFiles, path: str) -> Served | None:
        if path.startswith(_HOST_FOLDER):
            return await self._of_host(path.removeprefix(_HOST_FOLDER))
        name = normalize_package_path(path)
        if name is None or path.endswith("/"):
            return None
        if files.tree_hash is None:
            return await asyncio.to_thread(_read, files.root, name)
        key = (files.tree_hash, name)
        known = self._cache.get(key)
        if known is not None:
            self._cache.move_to_end(key)
            return known
        found = await asyncio.to_thread(_read, files.root, name)
        if found is not None:
            self._keep(key, found)
        return found

    async def _of_host(self, name: str) -> Served | None:
        if name == "guard.js":
            return GUARD_FILE
        if name not in _HOST_FILES:
            return None
        return await asyncio.to_thread(_read, self._host_folder, name)

    def _keep(self, key: _Key, file: Served) -> None:
        """Remember a file; those used longest ago give way."""
        if len(file.body) > _CACHE_BYTES // 4 or key in self._cache:
            return
        self._cache[key] = file
        self._cached_bytes += len(file.body)
        while self._cached_bytes > _CACHE_BYTES:
            _, gone = self._cache.popitem(last=False)
            self._cached_bytes -= len(gone.body)


def _is_document(request: Request, file: Served) -> bool:
    """Whether the browser loads this as a frame's document; a page can be loaded as nothing else."""
    return file.realm == "page" or request.headers.get("sec-fetch-dest") in ("iframe", "frame", "document")


def _read(root: Path, name: str) -> Served | None:
    """A file below a folder; None for what is missing, no plain file, too large, or outside by a link."""
    try:
        home = root.resolve(strict=True)
        path = (home / name).resolve(strict=True)
        if not path.is_relative_to(home):
            return None
        if not path.is_file():
            return None
        with path.open("rb") as file:
            content = file.read(limit("fileBytes") + 1)
    except (OSError, ValueError):
        return None
    return None if len(content) > limit("fileBytes") else served(name, content)
