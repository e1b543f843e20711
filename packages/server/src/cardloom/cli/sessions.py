"""What `cardloom sessions …` does: reads and copies sessions of any store, with or without a server."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import apsw

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.parts import AnyPart
from cardloom_sdk.stores import ClaudeStore, NrChatStore, PiStore, SessionStore, copy_session

from ..features.sessions.store import SqliteStore
from ..features.sessions.store_rows import SCHEMA
from ..host.database import Database
from ..host.lockfile import FolderLock, FolderTaken
from ..settings import Settings
from .console import Answer, UsageError, table

T = TypeVar("T")

KINDS: Final = ("cardloom", "pi", "claude", "nr-chat")
DATABASE: Final = "cardloom.db"


def list_sessions(spec: str, most: int) -> Answer:
    """The sessions of a store, the last changed first."""

    async def work(store: SessionStore) -> Answer:
        page = await store.list(limit=most)
        rows = [
            (one["id"], str(one.get("title") or ""), str(one.get("messageCount", "")), str(one.get("updatedAt") or ""))
            for one in page.sessions
        ]
        more = "\n…" if page.cursor else ""
        text = table(("ID", "TITLE", "MESSAGES", "CHANGED"), rows) + more if rows else "There are no sessions."
        return Answer(page.sessions, text)

    return _in(spec, work)


def show(spec: str, session: str) -> Answer:
    """The messages of the active path."""

    async def work(store: SessionStore) -> Answer:
        found = await _found(store, session)
        history = await store.history(found)
        text = "\n\n".join(f"{message['role']}\n{_indented(_plain(message['parts']))}" for message in history)
        return Answer({"id": found, "messages": history}, text or "The session is empty.")

    return _in(spec, work)


def export(spec: str, session: str, form: str) -> Answer:
    """A session as Markdown, or as JSON with every branch."""
    if form not in ("markdown", "json"):
        raise UsageError(f"--as is {form!r}; it can be markdown or json.")

    async def work(store: SessionStore) -> Answer:
        stored = await store.load(await _found(store, session))
        whole = stored.to_wire()
        if form == "json":
            return Answer(whole, json.dumps(whole, ensure_ascii=False, indent=2))
        history = await store.history(stored.info["id"])
        title = str(cast(JsonObject, stored.info).get("title") or stored.info["id"])
        parts = [f"# {title}"]
        parts += [f"## {message['role']}\n\n{_markdown(message['parts'])}" for message in history]
        return Answer({"id": stored.info["id"], "markdown": "\n\n".join(parts)}, "\n\n".join(parts))

    return _in(spec, work)


def convert(spec: str, session: str, to: str) -> Answer:
    """Copy a session into another store; exit code 0 even where something was lost, which is told."""

    async def work(source: SessionStore) -> Answer:
        target = _opened(to, writing=True)
        try:
            copied = await copy_session(source, target, await _found(source, session))
        finally:
            await target.close()
        data = {
            "id": copied.session_id,
            "messages": copied.messages,
            "lost": [{"what": loss.what, "count": loss.count, "first": loss.first} for loss in copied.losses],
        }
        lines = [f"Copied {copied.messages} messages into {to} as {copied.session_id}."]
        lines += [f"Lost: {loss}" for loss in copied.losses] or ["Nothing was lost."]
        return Answer(data, "\n".join(lines))

    return _in(spec, work)


def _in(spec: str, work: Callable[[SessionStore], Awaitable[T]]) -> T:
    async def run() -> T:
        store = _opened(spec, writing=False)
        try:
            return await work(store)
        except SessionError as error:
            raise _refusal(error) from error
        except apsw.Error as error:
            raise CallError(ErrorCode.FS_ERROR, f"{DATABASE} in the data folder cannot be read: {error}") from error
        finally:
            await store.close()

    return asyncio.run(run())


def _refusal(error: SessionError) -> CallError:
    cause = error.__cause__
    if isinstance(cause, OSError) and not isinstance(error, NotFound):
        place = f"{cause.filename}: " if cause.filename else ""
        return CallError(ErrorCode.FS_ERROR, f"{place}{cause.strerror or cause}")
    return CallError(ErrorCode.NOT_FOUND if isinstance(error, NotFound) else ErrorCode.INVALID_PARAMS, error.message)


def _opened(spec: str, *, writing: bool) -> SessionStore:
    kind, _, named = spec.partition(":")
    folder = Path(named).expanduser().absolute() if named else None
    if folder is not None and not writing and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.")
    home, here = Path.home(), str(Path.cwd())
    match kind:
        case "cardloom" if folder is None:
            return _own(writing=writing)
        case "pi":
            usual = Path(os.environ.get("PI_CODING_AGENT_DIR") or home / ".pi/agent") / "sessions" / _pi_folder(here)
            return PiStore(folder or usual, cwd=here, hide_service_entries=True, for_pi=True)
        case "claude":
            config = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
            return ClaudeStore(folder or config / "projects" / _claude_folder(here), cwd=here)
        case "nr-chat" if folder is not None:
            return NrChatStore(folder)
    raise UsageError(f"{spec!r} is no store. Stores are cardloom, pi[:FOLDER], claude[:FOLDER] and nr-chat:FOLDER.")


def _own(*, writing: bool) -> SessionStore:
    """The sessions of this data folder. A server that runs keeps them to itself: then they can only be read."""
    data_folder = Settings.from_environment().data_folder
    path = data_folder / DATABASE
    if not writing:
        if not path.exists():
            raise CallError(ErrorCode.NOT_FOUND, f"There are no sessions yet: {path} does not exist.")
        return SqliteStore(_ReadOnly(path))
    lock = FolderLock(data_folder)
    try:
        lock.take()
    except FolderTaken as error:
        raise CallError(
            ErrorCode.BUSY, "A Cardloom server runs and keeps its sessions to itself; end it, or use its chat."
        ) from error
    return _OwnStore(Database(path, SCHEMA, now_ms=time.time_ns() // 1_000_000), lock)


class _OwnStore(SqliteStore):
    """The store with the database under it and the folder's lock, let go together."""

    def __init__(self, database: Database, lock: FolderLock) -> None:
        super().__init__(database)
        self._under = database
        self._lock = lock

    async def close(self) -> None:
        await super().close()
        self._under.close()
        self._lock.release()


class _ReadOnly(Database):
    """A database that somebody else writes."""

    def __init__(self, path: Path) -> None:  # the file is another process's: nothing of it is opened here
        self.path = path


def _pi_folder(cwd: str) -> str:
    return f"--{cwd.strip('/').replace('/', '-')}--"


def _claude_folder(cwd: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "-" for character in cwd)


async def _found(store: SessionStore, named: str) -> str:
    """The id that begins so. NOT_FOUND; INVALID_PARAMS when several do."""
    ids, cursor = [], None
    while True:
        page = await store.list(limit=500, cursor=cursor)
        ids += [one["id"] for one in page.sessions if one["id"].startswith(named)]
        cursor = page.cursor
        if cursor is None or named in ids:
            break
    if named in ids:
        return named
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise CallError(ErrorCode.INVALID_PARAMS, f"{len(ids)} sessions begin with {named!r}: {', '.join(ids[:5])}")
    raise CallError(ErrorCode.NOT_FOUND, f"There is no session {named!r}. List them with: cardloom sessions list")


def _plain(parts: list[AnyPart]) -> str:
    return "\n".join(_part(part) for part in parts) or "(nothing)"


def _part(part: AnyPart) -> str:
    wire = cast(dict[str, Any], part)
    meta = wire.get("meta") or {}
    match wire.get("type"):
        case "text":
            return str(wire.get("text") or "")
        case "thinking":
            return f"[thinking] {wire.get('text') or ''}"
        case "tool_use":
            return f"[tool {meta.get('name', '?')}] {json.dumps(wire.get('data'), ensure_ascii=False)}"
        case "tool_result":
            result = wire.get("text") or json.dumps(wire.get("data"), ensure_ascii=False)
            return f"[result of {meta.get('name', '?')}] {result}"
        case kind:
            return f"[{kind}] {meta.get('name') or wire.get('text') or ''}".rstrip()


def _markdown(parts: list[AnyPart]) -> str:
    found = []
    for part in parts:
        wire = cast(dict[str, Any], part)
        if wire.get("type") == "text":
            found.append(str(wire.get("text") or ""))
        else:
            fence = "`" * max(3, _longest_run(_part(part)) + 1)
            found.append(f"{fence}\n{_part(part)}\n{fence}")
    return "\n\n".join(found)


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.splitlines())
