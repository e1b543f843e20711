"""Tools over the files of the session's workspace, through the same fence as everybody else's access.

Reading asks nobody; writing asks the person. Spec: session protocol, workspace files; decision 48.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.files import FileEntry, FileWriteOpts
from cardloom_protocol.session.json_text import JsonObject, is_number, text_of
from cardloom_protocol.session.operations import WorkspaceFilesOps

from .conversation import Offer
from .toolbox import Outcome, Tool, failed

SOURCE: Final = "workspace"
_MAX_READ_LINES: Final = 2000
_Lines: TypeAlias = list[str]  # inside the class the name `list` is an operation
_MAX_FOUND: Final = 200
_MAX_SEARCHED_FILES: Final = 2000
_MAX_SEARCHED_BYTES: Final = 256 * 1024
_MAX_LINE_CHARS: Final = 300
_PATH: Final[JsonObject] = {"type": "string", "description": "A path inside the workspace, with forward slashes."}


def file_tools(files: WorkspaceFilesOps, *, can_write: bool) -> list[Tool]:
    """The tools over some workspace's files."""
    shelf = _Files(files)
    tools = [
        _tool("list_files", "List a folder of the workspace.", {"path": _PATH}, [], shelf.list),
        _tool(
            "read_file",
            f"Read a text file of the workspace, at most {_MAX_READ_LINES} lines at a time.",
            {
                "path": _PATH,
                "offset": {"type": "integer", "description": "The first line, counted from 1."},
                "limit": {"type": "integer", "description": "How many lines."},
            },
            ["path"],
            shelf.read,
        ),
        _tool(
            "search_files",
            "Find lines that hold a text, in all text files of a folder and below it.",
            {"text": {"type": "string"}, "path": _PATH},
            ["text"],
            shelf.search,
        ),
    ]
    if can_write:
        tools += [
            _tool(
                "write_file",
                "Write a text file of the workspace whole; it is made where it is missing.",
                {"path": _PATH, "content": {"type": "string"}},
                ["path", "content"],
                shelf.write,
                "Write {path}?",
            ),
            _tool(
                "edit_file",
                "Replace one passage of a text file, which must occur in it exactly once.",
                {"path": _PATH, "old": {"type": "string"}, "new": {"type": "string"}},
                ["path", "old", "new"],
                shelf.edit,
                "Change {path}?",
            ),
        ]
    return tools


def _tool(
    name: str,
    description: str,
    properties: JsonObject,
    required: list[str],
    call: Callable[[JsonObject], Awaitable[Outcome]],
    title: str | None = None,
) -> Tool:
    schema: JsonObject = {"type": "object", "properties": properties, "required": list(required)}

    async def told(arguments: JsonObject) -> Outcome:
        try:
            return await call(arguments)
        except SessionError as error:
            return failed(error.message)

    def ask(arguments: JsonObject) -> str:
        return (title or "").format(path=text_of(arguments.get("path")))

    return Tool(Offer(name, description, schema), told, SOURCE, title is not None, None if title is None else ask)


class _Files:
    def __init__(self, files: WorkspaceFilesOps) -> None:
        self._files = files

    async def list(self, arguments: JsonObject) -> Outcome:
        """One level of a folder."""
        entries = await self._files.list(text_of(arguments.get("path")))
        lines = [_line(entry) for entry in entries if not entry.get("ignored")]
        return Outcome("\n".join(lines) or "The folder is empty.")

    async def read(self, arguments: JsonObject) -> Outcome:
        """Some lines of a text file."""
        path = text_of(arguments.get("path"))
        found = await self._files.read(path)
        if found["encoding"] != "utf8":
            return failed(f"{path} is no text.")
        lines = found["content"].split("\n")
        first = _whole(arguments.get("offset"), 1)
        last = first - 1 + min(_whole(arguments.get("limit"), _MAX_READ_LINES), _MAX_READ_LINES)
        text = "\n".join(lines[first - 1 : last])
        return Outcome(text if last >= len(lines) else f"{text}\n[{len(lines) - last} more lines]")

    async def search(self, arguments: JsonObject) -> Outcome:
        """The lines that hold a text, of a limited number of files; ignored ones are left out."""
        wanted = text_of(arguments.get("text"))
        if not wanted:
            return failed("text must not be empty.")
        found: _Lines = []
        folders, looked_at = deque([text_of(arguments.get("path"))]), 0
        while folders and len(found) < _MAX_FOUND and looked_at < _MAX_SEARCHED_FILES:
            for entry in await self._files.list(folders.popleft()):
                if entry.get("ignored"):
                    continue
                if entry["type"] == "dir":
                    folders.append(entry["path"])
                elif entry.get("size", 0) <= _MAX_SEARCHED_BYTES:
                    looked_at += 1
                    found += await self._lines_with(wanted, entry["path"])
        is_cut = len(found) > _MAX_FOUND or looked_at >= _MAX_SEARCHED_FILES
        lines = [*found[:_MAX_FOUND], *(["[there may be more]"] if is_cut else [])]
        return Outcome("\n".join(lines) or "Nothing was found.")

    async def _lines_with(self, wanted: str, path: str) -> _Lines:
        try:
            content = await self._files.read(path)
        except SessionError:  # gone meanwhile, or not to be read: the others still can be
            return []
        if content["encoding"] != "utf8":
            return []
        lines = enumerate(content["content"].split("\n"), 1)
        return [f"{path}:{number}: {line[:_MAX_LINE_CHARS]}" for number, line in lines if wanted in line]

    async def write(self, arguments: JsonObject) -> Outcome:
        """A text file whole."""
        content = arguments.get("content")
        if not isinstance(content, str):
            return failed("content must be a text; nothing was done.")
        entry = await self._files.write(text_of(arguments.get("path")), content)
        return Outcome(f"Wrote {entry['path']}.")

    async def edit(self, arguments: JsonObject) -> Outcome:
        """One passage of a text file, unless somebody else writes it meanwhile."""
        path, old, new = (text_of(arguments.get(name)) for name in ("path", "old", "new"))
        found = await self._files.read(path)
        times = found["content"].count(old) if old and found["encoding"] == "utf8" else 0
        if times != 1:
            return failed(f"The passage occurs {times} times in {path}, not once; nothing was done.")
        opts: FileWriteOpts = {"ifRevision": found["revision"]}
        await self._files.write(path, found["content"].replace(old, new), opts)
        return Outcome(f"Changed {path}.")


def _line(entry: FileEntry) -> str:
    return f"{entry['path']}/" if entry["type"] == "dir" else entry["path"]


def _whole(value: object, default: int) -> int:
    return max(1, int(value)) if is_number(value) else default
