"""What each operation on a backend's workspaces and their files does. Spec: session protocol, routes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cardloom_protocol.session.errors import BadRequest, NotFound
from cardloom_protocol.session.files import decode_file_content, normalize_file_path
from cardloom_protocol.session.json_text import as_json
from cardloom_protocol.session.limits import session_limit
from cardloom_protocol.session.operations import WorkspaceFilesOps, WorkspaceOps

from .answering import Answer, Handler, present
from .host import BackendHost

_MOST_READ_BYTES: Final = session_limit("assetBytes")  # a file of the workspace is no larger than one beside a session


def _workspace_of(host: BackendHost) -> WorkspaceOps:
    return present(host.backend.workspace, "workspace")


def files_of(host: BackendHost) -> WorkspaceFilesOps:
    """The files of the backend's workspace. NOT_SUPPORTED when it gives none."""
    return present(_workspace_of(host).files, "workspace.files")


async def _workspace(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await _workspace_of(host).current()))


async def _workspaces(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await _workspace_of(host).list()))


async def _switch_workspace(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await _workspace_of(host).switch(given["id"])))


async def _files(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await files_of(host).list(normalize_file_path(given.get("path", "")))))


async def _stat_file(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    return Answer(as_json(await files_of(host).stat(normalize_file_path(given["path"]))))


async def _read_file(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    opts: Any = {"maxBytes": min(given["maxBytes"], _MOST_READ_BYTES)} if "maxBytes" in given else None
    return Answer(as_json(await files_of(host).read(normalize_file_path(given["path"]), opts)))


async def _write_file(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    path, files = _inside(given["path"]), files_of(host)
    decode_file_content(given["content"], given.get("encoding", "utf8"))
    opts: Any = {name: given[name] for name in ("encoding", "ifRevision") if name in given}
    try:
        await files.stat(path)
        existed = True
    except NotFound:
        existed = False
    return Answer(as_json(await files.write(path, given["content"], opts)), created=not existed)


async def _delete_file(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    await files_of(host).delete(_inside(given["path"]))
    return Answer()


async def _rename_file(host: BackendHost, given: Mapping[str, Any]) -> Answer:
    source, target = _inside(given["from"]), _inside(given["to"])
    if target == source or target.startswith(source + "/"):
        raise BadRequest(f"{source!r} cannot be moved into itself.")
    return Answer(as_json(await files_of(host).rename(source, target)))


def _inside(path: str) -> str:
    normal = normalize_file_path(path)
    if not normal:
        raise BadRequest("The root of the workspace itself cannot be changed.")
    return normal


WORKSPACE_HANDLERS: Final[Mapping[str, Handler]] = MappingProxyType(
    {
        "workspace": _workspace,
        "workspaces": _workspaces,
        "switchWorkspace": _switch_workspace,
        "files": _files,
        "statFile": _stat_file,
        "readFile": _read_file,
        "writeFile": _write_file,
        "deleteFile": _delete_file,
        "renameFile": _rename_file,
    }
)
