"""Backends as a person sets them up from a page: programs, servers and mapped engines beside our own engine.

They are kept in the file of backends and used at once. What is told of one never holds its key or its environment. How
it is, is looked for on this machine, and asked of the backend itself when a person wants to know. Spec: issue of the
session protocol, front end; decisions 38, 39.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of

from .backends.configured import COMMANDS, ConfiguredBackend, Fault, Surroundings, read_backend, server_of
from .backends.keys import check_key
from .backends.mapped.language import MappingError
from .backends.mapped.mapping import load_mapping
from .backends.own_files import put_back_if_refused
from .backends.reaching import reach
from .backends_file import BackendsFile, entries_of, with_entry
from .service import SessionsService

State: TypeAlias = Literal["found", "unasked", "answers", "missing", "faulty", "silent", "unused"]
"""How a backend is: its program is there; not asked yet; it answered; what it needs is not there; its entry makes no
sense; it did not answer; it stands in the file and was not taken up."""

REACH_S: Final = 45.0
_MAPPINGS: Final = "mappings"
_KEY_FIELDS: Final = ("key", "keyVariable")
_OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "pi": ("command", "folder"),
    "opencode": ("command", "folder"),
    "acp": ("command", "folder"),
    "http": ("url",),
    "mapped": ("url", "mapping"),
}
_KEPT: Final[Mapping[str, tuple[str, ...]]] = {
    "pi": ("environment", "sessions"),
    "opencode": ("environment",),
    "acp": ("environment",),
}
PROGRAMS: Final = (
    ("pi", "pi", ("pi",)),
    ("opencode", "OpenCode", ("opencode",)),
    ("acp", "OpenCode (ACP)", ("opencode", "acp")),
    ("acp", "Gemini CLI", ("gemini", "--acp")),
    ("acp", "Qwen Code", ("qwen", "--acp")),
)
"""Programs that are looked for on the machine, to be offered: kind, title, command."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a backend; `why` is a sentence where something is wrong."""

    state: State
    why: str | None = None


class BackendDesk:
    """Lists, saves, checks and removes backends, one change at a time. `changed` is told afterwards."""

    def __init__(
        self, surroundings: Surroundings, file: BackendsFile, service: SessionsService, changed: Callable[[], None]
    ) -> None:
        self._surroundings = surroundings
        self._file = file
        self._service = service
        self._changed = changed
        self._asked: dict[str, _Seen] = {}

    async def known(self) -> dict[str, Any]:
        """The backends of the file with their states, and which programs there are. INVALID_PARAMS."""
        entries = entries_of(await self._file.read(), "backends")
        programs = await asyncio.to_thread(self._programs)
        return {"backends": [await self._to_wire(entry) for entry in entries], "programs": programs}

    async def save(self, given: Mapping[str, Any]) -> None:
        """Keeps a backend and takes it up in place of the one of its id, whose runs end. INVALID_PARAMS."""
        keys = self._surroundings.keys
        async with self._file.turn:
            document = await self._file.read()
            entries = entries_of(document, "backends")
            backend_id = given["backendId"]
            old = next((one for one in entries if one.get("id") == backend_id), None)
            if old is None and backend_id in self._service.entries:
                raise CallError(ErrorCode.INVALID_PARAMS, f"the name {backend_id!r} is taken", ["backendId"])
            entry = _entry(given, old)
            if "key" in given:
                _check_key(given["key"])
            async with put_back_if_refused(self._mapping_of(backend_id), keys.file_of(_key_name(backend_id))):
                if "mappingText" in given and entry["kind"] == "mapped":
                    made = await asyncio.to_thread(self._made_with_mapping, entry, given["mappingText"])
                else:
                    made = await asyncio.to_thread(self._made, entry)
                if "key" in given:
                    await keys.put(_key_name(backend_id), given["key"])
                await self._file.write({**document, "backends": with_entry(document, "backends", backend_id, entry)})
            await self._take_up(made)
        self._changed()

    async def check(self, backend_id: str) -> None:
        """Asks a backend whether it answers, and takes up one that was written by hand meanwhile. NOT_FOUND."""
        entry = next(
            (one for one in entries_of(await self._file.read(), "backends") if one.get("id") == backend_id), None
        )
        if entry is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no backend {backend_id!r} in the file")
        seen = await asyncio.to_thread(self._looked, entry)
        if seen.state in ("missing", "faulty"):
            self._asked.pop(backend_id, None)
            return
        await self._take_up_late(backend_id)
        self._asked[backend_id] = await self._reached(backend_id)

    async def remove(self, backend_id: str) -> None:
        """Forgets a backend and the key that was typed in for it; its runs end. Its sessions stay. NOT_FOUND."""
        async with self._file.turn:
            document = await self._file.read()
            if not any(one.get("id") == backend_id for one in entries_of(document, "backends")):
                raise CallError(ErrorCode.NOT_FOUND, f"there is no backend {backend_id!r} in the file")
            await self._file.write({**document, "backends": with_entry(document, "backends", backend_id, None)})
            with suppress(SessionError):
                await self._service.remove(backend_id)
            with suppress(NotFound):
                await self._surroundings.keys.drop(_key_name(backend_id))
            self._asked.pop(backend_id, None)
        self._changed()

    async def _take_up(self, made: ConfiguredBackend) -> None:
        if made.id in self._service.entries:
            await self._service.remove(made.id)
        self._service.add(made.id, made.title, made.kind, made.backend)
        self._asked.pop(made.id, None)

    async def _take_up_late(self, backend_id: str) -> None:
        """Take up a backend that was written into the file by hand; it may be taken up or gone by now."""
        async with self._file.turn:
            entries = entries_of(await self._file.read(), "backends")
            entry = next((one for one in entries if one.get("id") == backend_id), None)
            if entry is None or backend_id in self._service.entries:
                return
            await self._take_up(await asyncio.to_thread(self._made, entry))
        self._changed()

    def _made(self, entry: Mapping[str, Any]) -> ConfiguredBackend:
        try:
            return read_backend(self._surroundings, dict(entry))
        except (Fault, MappingError, OSError) as error:
            raise CallError(ErrorCode.INVALID_PARAMS, _sentence(error), []) from None

    def _made_with_mapping(self, entry: dict[str, Any], text: str) -> ConfiguredBackend:
        """The backend with a mapping that was handed in, whose path in the data folder the entry then has.

        The mapping takes the old one's place once everything else is right as well.
        """
        path = self._mapping_of(entry["id"])
        fresh = path.with_name(f"{path.name}.fresh")
        try:
            path.parent.mkdir(exist_ok=True)
            fresh.write_text(text, "utf-8", "replace")
            load_mapping(fresh)
            made = self._made({**entry, "mapping": f"{_MAPPINGS}/{fresh.name}"})
            fresh.replace(path)
        except (MappingError, OSError) as error:
            raise CallError(ErrorCode.INVALID_PARAMS, f"mapping: {_sentence(error)}", ["mappingText"]) from None
        finally:
            with suppress(OSError):
                fresh.unlink()
        entry["mapping"] = f"{_MAPPINGS}/{path.name}"
        return made

    def _mapping_of(self, backend_id: str) -> Path:
        """Where a mapping that is handed in for a backend is kept."""
        return self._surroundings.data_folder / _MAPPINGS / f"{backend_id}.json"

    async def _reached(self, backend_id: str) -> _Seen:
        try:
            host = self._service.find(backend_id).host
            async with asyncio.timeout(REACH_S):
                await host.start()
                await reach(host.backend)
        except SessionError as error:
            return _Seen("silent", error.message)
        except TimeoutError:
            return _Seen("silent", f"It did not answer within {REACH_S:g} s.")
        return _Seen("answers")

    def _looked(self, entry: Mapping[str, Any]) -> _Seen:
        """What can be seen without asking anybody."""
        try:
            read_backend(self._surroundings, dict(entry))
        except (Fault, MappingError) as fault:
            return _Seen("faulty", _sentence(fault))
        except OSError as error:
            return _Seen("missing", _sentence(error))
        if entry["kind"] not in COMMANDS:
            return _Seen("unasked")
        program = (entry.get("command") or COMMANDS[entry["kind"]])[0]
        folder = Path(str(entry["folder"])).expanduser()
        if self._which(program, object_of(entry.get("environment")), folder) is None:
            return _Seen("missing", f"There is no program {program!r} on this machine's PATH.")
        if not folder.is_dir():
            return _Seen("missing", f"There is no folder {str(folder)!r}.")
        return _Seen("found")

    def _which(self, program: str, environment: JsonObject, folder: Path) -> str | None:
        path = text_of(environment.get("PATH")) or self._surroundings.environment.get("PATH", os.defpath)
        if os.sep in program:
            program = str(folder / program)
        return shutil.which(program, path=path)

    def _programs(self) -> list[dict[str, Any]]:
        return [
            {"kind": kind, "title": title, "command": list(command), "path": self._which(command[0], {}, Path())}
            for kind, title, command in PROGRAMS
        ]

    async def _to_wire(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        backend_id, kind = str(entry.get("id", "")), str(entry.get("kind", ""))
        seen = await asyncio.to_thread(self._looked, entry)
        if seen.state in ("found", "unasked"):
            if backend_id not in self._service.entries:
                seen = _Seen("unused", "It was written into the file since the server began; check it to use it.")
            else:
                seen = self._asked.get(backend_id, seen)
        told = {name: entry[name] for name in _OF_KIND.get(kind, ()) if name in entry}
        title = entry.get("title")
        return {
            "id": backend_id,
            "kind": kind,
            "title": title if isinstance(title, str) and title else backend_id,
            **told,
            "hasKey": any(name in entry for name in _KEY_FIELDS),
            "state": seen.state,
            "why": seen.why,
        }


def _entry(given: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """The entry of the file: what was given, and what a page does not show of the old one where it still holds."""
    kind = given["kind"]
    entry: dict[str, Any] = {"id": given["backendId"], "kind": kind}
    if given.get("title"):
        entry["title"] = given["title"]
    same = old if old is not None and old.get("kind") == kind else {}
    entry |= {name: same[name] for name in _KEPT.get(kind, ()) if name in same}
    entry |= {name: given[name] for name in _OF_KIND[kind] if given.get(name)}
    if "mapping" in same and "mapping" not in given and kind == "mapped":
        entry["mapping"] = same["mapping"]
    if "url" not in _OF_KIND[kind]:
        return entry
    if "key" in given:
        return {**entry, "key": _key_name(given["backendId"])}
    if same and server_of(str(same.get("url", ""))) == server_of(given.get("url", "")):
        entry |= {name: same[name] for name in _KEY_FIELDS if name in same}
    return entry


def _key_name(backend_id: str) -> str:
    """The name of the key that was typed in for a backend; no id of an endpoint can be it."""
    return f"{backend_id}_backend"


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"There is no readable file {error.filename or ''} ({error.strerror or type(error).__name__})."
    return str(error).removeprefix("backend.")


def _check_key(key: str) -> None:
    try:
        check_key(key)
    except SessionError as error:
        raise CallError(ErrorCode.INVALID_PARAMS, error.message, ["key"]) from None
