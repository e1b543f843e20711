"""Commands about the files of a workspace. Paths and refusals are the server's."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client

from .console import Answer, UsageError, say
from .session import session, workspace_of

_LOOK_S = 1.0


async def list_folder(workspace: str | None, path: str, most: int | None, *, recursive: bool) -> Answer:
    """A folder, sorted for reading."""
    params: dict[str, Any] = {"path": path, "recursive": recursive}
    if most is not None:
        params["maxEntries"] = most
    found = await _call(workspace, "files.list", params)
    lines = [
        f"{'' if entry['type'] == 'directory' else entry['size']:>10}  {_shown(entry)}"
        for entry in sorted(found["entries"], key=lambda entry: entry["path"].split("/"))
    ]
    lines += ["…"] if found["truncated"] else []
    return Answer(found, "\n".join(lines) or "The folder is empty.")


async def stat(workspace: str | None, path: str) -> Answer:
    """One file or folder."""
    found = await _call(workspace, "files.stat", {"path": path})
    return Answer(found, _described(found))


async def read(workspace: str | None, path: str, most: int | None, *, as_json: bool) -> Answer:
    """A file's bytes on standard output, or its text as JSON."""
    params: dict[str, Any] = {"path": path, "encoding": "utf8" if as_json else "base64"}
    if most is not None:
        params["maxBytes"] = most
    found = await _call(workspace, "files.read", params)
    if not as_json:
        sys.stdout.buffer.write(base64.b64decode(found["data"]))
        sys.stdout.flush()
        if found["truncated"]:
            say(f"cardloom: this is the beginning of {found['size']} bytes")
    return Answer(found, "")


async def write(
    workspace: str | None,
    path: str,
    text: str | None,
    source: Path | None,
    if_mtime_ms: float | None,
    *,
    create_dirs: bool,
) -> Answer:
    """Write a file from an argument, another file, or standard input."""
    content = await asyncio.to_thread(_content, text, source)
    params: dict[str, Any] = {
        "path": path,
        "data": base64.b64encode(content).decode("ascii"),
        "encoding": "base64",
        "createDirs": create_dirs,
    }
    if if_mtime_ms is not None:
        params["ifMtimeMs"] = if_mtime_ms
    found = await _call(workspace, "files.write", params)
    return Answer(found, _described(found))


async def mkdir(workspace: str | None, path: str) -> Answer:
    """Make a folder."""
    found = await _call(workspace, "files.mkdir", {"path": path})
    return Answer(found, _described(found))


async def trash(workspace: str | None, path: str) -> Answer:
    """Throw something away."""
    await _call(workspace, "files.trash", {"path": path})
    return Answer({}, f"{path} is in the trash.")


async def watch(workspace: str | None, path: str, *, recursive: bool, as_json: bool) -> Answer:
    """Print changes as they come, until the watch is over."""
    async with session() as client:
        home = await workspace_of(client, workspace)
        told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        client.on("files.changed", told.put_nowait)
        params = {"workspaceId": home["id"], "path": path, "recursive": recursive}
        watch_id = (await client.call("files.watch", params))["watchId"]
        say(f"Watching {path or home['name']}. End it with Ctrl-C.")
        while True:
            event = await _next(client, told)
            for change in event["changes"] if event["watchId"] == watch_id else ():
                print(json.dumps(change, ensure_ascii=False) if as_json else _line(change), flush=True)
                if change["type"] == "ended":
                    words = f"{change['path']!r} leads elsewhere now; the watch is over."
                    raise CallError(ErrorCode.NOT_FOUND, words)


async def _next(client: Client, told: asyncio.Queue[dict[str, Any]]) -> dict[str, Any]:
    """The next event. UNAVAILABLE when the server is gone."""
    while client.online:
        try:
            return await asyncio.wait_for(told.get(), _LOOK_S)
        except TimeoutError:
            continue
    raise CallError(ErrorCode.UNAVAILABLE, "The server is gone, and the watch with it.")


async def _call(workspace: str | None, method: str, params: dict[str, Any]) -> Any:
    async with session() as client:
        home = await workspace_of(client, workspace)
        return await client.call(method, {"workspaceId": home["id"], **params})


def _content(text: str | None, source: Path | None) -> bytes:
    if text is not None and source is not None:
        raise UsageError("Give the content as TEXT or by --from, not both.")
    if source is not None:
        try:
            return source.read_bytes()
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror}") from error
    if text is not None:
        return text.encode("utf-8", "surrogateescape")
    if sys.stdin.isatty():
        say("Type the content; end it with Ctrl-D on a line of its own.")
    return sys.stdin.buffer.read()


def _described(found: dict[str, Any]) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found["mtimeMs"] / 1000))
    size = "folder" if found["type"] == "directory" else f"{found['size']} bytes"
    return f"{_printable(found['path'] or '.')}: {size}, changed {when} (mtimeMs {found['mtimeMs']!r})"


def _shown(entry: dict[str, Any]) -> str:
    return _printable(entry["path"]) + ("/" if entry["type"] == "directory" else "")


def _line(change: dict[str, Any]) -> str:
    return f"{change['type']:<7} {_printable(change['path'] or '.')}"


def _printable(path: str) -> str:
    """A path that cannot move the cursor or colour the terminal of whoever reads it."""
    return path if path.isprintable() else ascii(path)
