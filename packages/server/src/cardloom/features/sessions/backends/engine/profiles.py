"""Profiles as files of one folder, `<id>.json` each: written whole or not at all, read when they are asked for."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias, cast

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject, read_object
from cardloom_protocol.session.profiles import (
    DEFAULT_PROFILE_ID,
    ProfileDoc,
    ProfileInfo,
    check_profile_id,
    is_profile_doc,
    saved_profile,
)
from cardloom_sdk.backend import StoreSessions
from cardloom_sdk.backend.profile_fields import checked_profile
from cardloom_sdk.stores.disk import on_disk

_Profiles: TypeAlias = list[ProfileDoc]  # inside the class the name `list` is an operation
_MAX_ID_CHARS: Final = 200  # with what is put behind it, disks take it for a file's name
_NUMBER: Final = re.compile(r" [1-9][0-9]{0,3}\Z")
_SHOWN: Final = ("id", "name", "description", "model", "thinking")


class ProfileFolder:
    """The profiles in a folder, and `default`, which is the engine as it stands and cannot be changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = asyncio.Lock()
        self.sessions: StoreSessions | None = None

    async def list(self) -> list[ProfileInfo]:
        """The default first, then by name. Files that are no profile are left out."""
        found = await on_disk(self._read_all)
        found.sort(key=lambda profile: (profile["name"].lower() or profile["id"], profile["id"]))
        standing: ProfileInfo = {"id": DEFAULT_PROFILE_ID, "name": "Default", "editable": False}
        return [standing, *(_shown(profile) for profile in found)]

    async def set(self, session_id: str, profile: str | ProfileDoc) -> SessionInfo:
        """See the contract."""
        if self.sessions is None:
            raise NotFound(f"There is no session {session_id!r}.")
        return await self.sessions.choose(session_id, profile=profile)

    async def get(self, profile_id: str) -> ProfileDoc:
        """See the contract."""
        if profile_id == DEFAULT_PROFILE_ID:
            return {"id": DEFAULT_PROFILE_ID, "name": "Default"}
        known_id = _checked(profile_id)
        profile = await on_disk(lambda: self._read(known_id))
        if profile is None:
            raise NotFound(f"There is no profile {profile_id!r}.")
        return profile

    async def save(self, profile: ProfileDoc) -> ProfileDoc:
        """See the contract. The stored `extra` stays where the document has none."""
        if not is_profile_doc(profile):
            raise BadRequest("A profile needs an id and a name.")
        profile_id = _checked(profile["id"])
        async with self._lock:
            stored = await on_disk(lambda: self._read(profile_id))
            kept = saved_profile(profile, stored)
            await on_disk(lambda: self._write(kept))
        return kept

    async def delete(self, profile_id: str) -> None:
        """See the contract."""
        path = self._path(_checked(profile_id))
        async with self._lock:
            if not await on_disk(lambda: _removed(path)):
                raise NotFound(f"There is no profile {profile_id!r}.")

    async def duplicate(self, profile_id: str, new_id: str | None = None) -> ProfileDoc:
        """See the contract. CONFLICT for an id in use; without an id the first free one is taken.

        The copy's name is numbered, so that people can tell the two apart.
        """
        source = await self.get(profile_id)
        async with self._lock:
            made_id = _checked(new_id if new_id is not None else await on_disk(lambda: self._free(profile_id)))
            if await on_disk(self._path(made_id).exists):
                raise Conflict(f"There is a profile {made_id!r} already.")
            name = await on_disk(lambda: self._free_name(source["name"]))
            made = cast(ProfileDoc, {**cast(JsonObject, source), "id": made_id, "name": name})
            await on_disk(lambda: self._write(made))
        return made

    def _path(self, profile_id: str) -> Path:
        return self._folder / f"{profile_id}.json"

    def _read_all(self) -> _Profiles:
        names = [path.stem for path in sorted(self._folder.glob("*.json")) if _can_be_chosen(path.stem)]
        return [profile for name in names if (profile := self._read(name)) is not None]

    def _read(self, profile_id: str) -> ProfileDoc | None:
        """The profile in a file; a file that holds none, whatever it is, counts for nothing."""
        path = self._path(profile_id)
        try:
            held = read_object(path.read_text("utf-8").strip()) if path.is_file() else None
            if held is None or not is_profile_doc({**held, "id": profile_id}):
                return None
            return checked_profile({**held, "id": profile_id})
        except (OSError, UnicodeDecodeError, BadRequest):
            return None

    def _write(self, profile: ProfileDoc) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(profile["id"])
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            fresh.write_text(compact_json(cast(JsonValue, profile)) + "\n", "utf-8")
            os.replace(fresh, path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise

    def _free(self, profile_id: str) -> str:
        made = f"{profile_id}-copy"
        number = 2
        while self._path(made).exists():
            made = f"{profile_id}-copy-{number}"
            number += 1
        return made

    def _free_name(self, name: str) -> str:
        """A name with the next free number behind it; none stays none, for then the id is shown."""
        if not name:
            return name
        taken = {profile["name"] for profile in self._read_all()}
        stem = _NUMBER.sub("", name) or name
        return next(one for number in count(2) if (one := f"{stem} {number}") not in taken)


def _checked(profile_id: str) -> str:
    """An id under which a file can be kept. BAD_REQUEST for any other."""
    if len(check_profile_id(profile_id)) > _MAX_ID_CHARS:
        raise BadRequest(f"The id of a profile holds at most {_MAX_ID_CHARS} characters.")
    return profile_id


def _can_be_chosen(profile_id: str) -> bool:
    try:
        return bool(_checked(profile_id))
    except BadRequest:
        return False


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def _shown(profile: ProfileDoc) -> ProfileInfo:
    info = {name: value for name, value in cast(JsonObject, profile).items() if name in _SHOWN}
    return cast(ProfileInfo, {**info, "name": profile["name"] or profile["id"], "editable": True})
