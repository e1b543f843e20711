"""Files of the server that hold what one person set up: written whole, for nobody else to read, and put back."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from cardloom_protocol.errors import CallError


def write_own(path: Path, data: bytes) -> None:
    """Put content in a file's place; only its owner may read it. OSError: the old one stands."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    fresh.replace(path)


@asynccontextmanager
async def put_back_if_refused(*paths: Path) -> AsyncIterator[None]:
    """Let work inside change files; a refusal of it leaves them as they were, and those that it made are gone."""
    former = await asyncio.to_thread(_contents_of, paths)
    try:
        yield
    except CallError:
        with suppress(OSError):
            await asyncio.to_thread(_put_back, former)
        raise


def _contents_of(paths: Iterable[Path]) -> dict[Path, bytes | None]:
    """What files hold, None for those that are not there; without those that cannot be read."""
    found: dict[Path, bytes | None] = {}
    for path in paths:
        with suppress(OSError):
            found[path] = path.read_bytes() if path.exists() else None
    return found


def _put_back(former: Mapping[Path, bytes | None]) -> None:
    for path, content in former.items():
        if content is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != content:
            write_own(path, content)
