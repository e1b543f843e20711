"""The built-in tools for the files of an agent's workspace: the same functions, fence and rates as cards have.

An agent needs no permission for them: its own program runs with the owner's rights anyway, and the fence keeps the
tools narrower than that. Spec: decisions 36, 40, 48.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cardloom_protocol.limits import limit

from .canvas_tools import CanvasTool
from .desk import Desk


async def _stat(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("fs.stat", **args)


async def _list(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("fs.list", **{"path": "", **args})


async def _read(desk: Desk, args: dict[str, Any]) -> object:
    """A text as it is; a file in base64, or one that goes on, with what there is to know of it."""
    found = await desk.call("fs.read", **{"maxBytes": limit("toolResultBytes"), **args})
    return found if found["truncated"] or found["encoding"] == "base64" else found["data"]


async def _write(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("fs.write", **args)


async def _mkdir(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("fs.mkdir", **args)


async def _trash(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("fs.trash", **args)


async def _watch(desk: Desk, args: dict[str, Any]) -> object:
    timeout_ms = args.get("timeoutMs", limit("toolTimeoutMs"))
    changes = await desk.next_changes(args.get("path", ""), timeout_ms, recursive=args.get("recursive", False))
    return {"changes": changes}


async def _clipboard_write(desk: Desk, args: dict[str, Any]) -> object:
    return await desk.call("clipboard.writeText", **args)


_PATH: Final = {"type": "string", "description": "Below the workspace's folder, with /; an empty text is the folder."}
_ENCODING: Final = {"type": "string", "enum": ["utf8", "base64"]}

FILE_TOOLS: Final[Mapping[str, CanvasTool]] = {
    "fs_stat": CanvasTool(
        "Describes a file or folder of this workspace: type, size, time of the last change.",
        _stat,
        {"path": _PATH},
        ("path",),
        read_only=True,
    ),
    "fs_list": CanvasTool(
        "Lists a folder of this workspace, at most 5000 entries.",
        _list,
        {"path": _PATH, "recursive": {"type": "boolean"}, "maxEntries": {"type": "integer", "minimum": 1}},
        read_only=True,
    ),
    "fs_read": CanvasTool(
        "Reads a file of this workspace as text, or as base64.",
        _read,
        {"path": _PATH, "encoding": _ENCODING, "maxBytes": {"type": "integer", "minimum": 1}},
        ("path",),
        read_only=True,
    ),
    "fs_write": CanvasTool(
        "Writes a file of this workspace whole. With `ifMtimeMs` only if it was not changed since fs_stat said so.",
        _write,
        {
            "path": _PATH,
            "data": {"type": "string"},
            "encoding": _ENCODING,
            "createDirs": {"type": "boolean"},
            "ifMtimeMs": {"type": "number"},
        },
        ("path", "data"),
    ),
    "fs_mkdir": CanvasTool("Makes a folder in this workspace.", _mkdir, {"path": _PATH}, ("path",)),
    "fs_trash": CanvasTool(
        "Moves a file or folder of this workspace into the system's trash.", _trash, {"path": _PATH}, ("path",)
    ),
    "fs_watch": CanvasTool(
        "Waits until something changes at a path of this workspace and tells what; empty when nothing did in time.",
        _watch,
        {
            "path": _PATH,
            "recursive": {"type": "boolean"},
            "timeoutMs": {"type": "integer", "minimum": 1000, "maximum": limit("toolMaxTimeoutMs")},
        },
        read_only=True,
    ),
    "clipboard_write": CanvasTool(
        "Puts a text on the clipboard of the person, through a page that is open.",
        _clipboard_write,
        {"text": {"type": "string"}},
        ("text",),
    ),
}
"""The tools by name; every agent has them."""
