"""The file of backends as something that pages change too: read whole, written whole, one change at a time.

What a page does not know of stays in it; a file that cannot be read is refused, not replaced. Spec: issue of the
session protocol, front end.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode

from .backends.configured import FILE

_FRESH: Final = ".fresh"


class BackendsFile:
    """`backends.json` of a data folder. Whoever reads in order to write holds `turn`."""

    def __init__(self, data_folder: Path) -> None:
        self._path = data_folder / FILE
        self.turn = asyncio.Lock()

    async def read(self) -> dict[str, Any]:
        """What the file holds; nothing where there is none. INVALID_PARAMS when it cannot be read."""
        return await asyncio.to_thread(self._read)

    async def write(self, document: Mapping[str, Any]) -> None:
        """Replaces the file. INVALID_PARAMS where the folder does not take it; then the old one stands."""
        try:
            await asyncio.to_thread(self._write, document)
        except OSError as error:
            raise CallError(
                ErrorCode.INVALID_PARAMS, f"{FILE} cannot be written: {error.strerror or error}.", []
            ) from None

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{FILE} cannot be read; mend it first: {error}", []) from None
        if not isinstance(document, dict) or not isinstance(document.get("engine", {}), dict):
            raise CallError(ErrorCode.INVALID_PARAMS, f"{FILE} holds no object; mend it first", [])
        return document

    def _write(self, document: Mapping[str, Any]) -> None:
        text = json.dumps(document, indent=2, ensure_ascii=False)
        if any("\ud800" <= char <= "\udfff" for char in text):  # halves of characters have no UTF-8
            text = json.dumps(document, indent=2)
        fresh = Path(f"{self._path}{_FRESH}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        fresh.replace(self._path)


def entries_of(holder: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a list in the file; what is no object is left out."""
    found = holder.get(name, [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def with_entry(holder: Mapping[str, Any], name: str, entry_id: str, entry: Mapping[str, Any] | None) -> list[Any]:
    """A list of the file with an entry put in place of those of its id, or at the end; without any, for None.

    What else the list holds stays. INVALID_PARAMS where it is no list.
    """
    found = holder.get(name, [])
    if not isinstance(found, list):
        raise CallError(ErrorCode.INVALID_PARAMS, f"{name} in {FILE} is no list; mend it first", [])
    places = [at for at, one in enumerate(found) if isinstance(one, dict) and one.get("id") == entry_id]
    first = places[0] if places else len(found)
    before = [one for at, one in enumerate(found) if at < first and at not in places]
    behind = [one for at, one in enumerate(found) if at >= first and at not in places]
    return [*before, *([] if entry is None else [entry]), *behind]
