"""The catalogues that the owner added: read from a file or an address, kept, read again when asked to."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit
from cardloom_protocol.package_tree import too_large

from ....core.clock import Clock
from ....host.download import download
from ....host.fetch import Fetcher
from .catalogue import Vouched, parse_catalogue, voucher
from .store import InstalledStore


class Catalogues:
    """The catalogues by place. `folder` is ours to download into."""

    def __init__(
        self,
        store: InstalledStore,
        fetcher: Fetcher,
        clock: Clock,
        folder: Path,
        *,
        max_bytes: int = limit("catalogueBytes"),
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._folder = folder
        self._max_bytes = max_bytes
        self._catalogues = {catalogue.location: catalogue for catalogue in store.catalogues()}

    def voucher(self, package_id: str, name: str, commit: str | None, tree_hash: str | None) -> Vouched | None:
        """The entry that vouches for a package."""
        return voucher(self._catalogues.values(), package_id, name, commit, tree_hash)

    def to_wire(self) -> dict[str, Any]:
        """The catalogues, and their entries by name; an entry that several have is listed once."""
        entries = {entry.source: entry for catalogue in self._catalogues.values() for entry in catalogue.entries}
        return {
            "catalogues": [catalogue.to_wire() for catalogue in self._catalogues.values()],
            "entries": [entry.to_wire() for entry in sorted(entries.values(), key=lambda entry: entry.name)],
        }

    async def add(self, location: str) -> None:
        """Read a catalogue and keep it. INVALID_PARAMS: it is none; NOT_FOUND; TOO_LARGE; what downloading refuses."""
        place = location.strip()
        if "://" not in place:
            place = str(_whole_path(place))
        text = await self._read(place)
        catalogue = parse_catalogue(place, self._clock.now_ms(), text)
        await self._store.put_catalogue(place, text, catalogue.read_at_ms)
        self._catalogues = {**self._catalogues, place: catalogue}

    async def refresh(self) -> list[str]:
        """Read every catalogue again; gives what went wrong. One that cannot be read stays as it was."""
        problems: list[str] = []
        for location in list(self._catalogues):
            try:
                await self.add(location)
            except CallError as error:
                problems.append(error.message)
        return problems

    async def remove(self, location: str) -> None:
        """Forget a catalogue. NOT_FOUND."""
        if location not in self._catalogues:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no catalogue {location!r}")
        await self._store.remove_catalogue(location)
        self._catalogues = {place: kept for place, kept in self._catalogues.items() if place != location}

    async def _read(self, location: str) -> str:
        if "://" not in location:
            return await asyncio.to_thread(self._from_file, Path(location), location)
        into = self._folder / f"catalogue-{secrets.token_hex(8)}"
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        try:
            await download(self._fetcher, location, into, max_bytes=self._max_bytes)
            return await asyncio.to_thread(self._from_file, into, location)
        finally:
            await asyncio.to_thread(into.unlink, missing_ok=True)

    def _from_file(self, path: Path, location: str) -> str:
        try:
            with path.open("rb") as file:
                data = file.read(self._max_bytes + 1)
        except FileNotFoundError as error:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no {location}") from error
        except OSError as error:
            raise CallError(ErrorCode.UNAVAILABLE, f"{location}: {error.strerror or error}") from error
        if len(data) > self._max_bytes:
            raise too_large(f"{location} has more than {self._max_bytes} bytes")
        return data.decode("utf-8-sig", "replace")


def _whole_path(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise CallError(ErrorCode.INVALID_PARAMS, f"{text!r} is no address and no whole path", [])
    return path
