"""A card's folder under its author's hands: what of it matters, when it changes, and what builds it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePath
from typing import Final

from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME
from .console import UsageError
from .scripts import script_of

_LEFT_OUT: Final = frozenset({".git", "node_modules", "__pycache__", ".pytest_cache", ".vite"})
_WATCH_SCRIPT: Final = "watch"


def is_part_of_card(path: str, folder: Path, entry: str) -> bool:
    """Whether a changed file matters to a running card: all that lies beside its entry, and the manifest."""
    try:
        inside = PurePath(path).relative_to(folder)
    except ValueError:
        return False
    if not _LEFT_OUT.isdisjoint(inside.parts):
        return False
    home = PurePath(entry).parent
    return inside.name in (MANIFEST_NAME, FRAME_MANIFEST_NAME) or home == PurePath() or inside.is_relative_to(home)


def watch_command(folder: Path) -> list[str] | None:
    """What builds a page anew after each change: its package's script of that name. UsageError: nothing installed."""
    if script_of(folder, _WATCH_SCRIPT) is None:
        return None
    if not (folder / "node_modules").is_dir():
        raise UsageError(f"{folder} has no node_modules yet. Run there first: npm install")
    return ["npm", "run", "--silent", _WATCH_SCRIPT]


@asynccontextmanager
async def changes_of(folder: Path, entry: Callable[[], str]) -> AsyncIterator[asyncio.Event]:
    """An event that is set whenever the card's files changed."""
    from watchfiles import Change, awatch

    changed, ended = asyncio.Event(), asyncio.Event()

    def matters(_change: Change, path: str) -> bool:
        return is_part_of_card(path, folder, entry())

    async def watch() -> None:
        async for _ in awatch(folder, watch_filter=matters, debounce=400, step=60, stop_event=ended):
            changed.set()

    watching = asyncio.create_task(watch())
    try:
        yield changed
    finally:
        ended.set()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


@asynccontextmanager
async def building(command: list[str] | None, folder: Path) -> AsyncIterator[None]:
    """Have what builds a page run beside; it ends with this command."""
    if command is None:
        yield
        return
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdin=asyncio.subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        if process.returncode is None:
            _end_group(process)
            await process.wait()


def _end_group(process: asyncio.subprocess.Process) -> None:
    """End a program with what it started: a script's runner does not pass signals on."""
    if sys.platform == "win32":
        process.terminate()
    else:
        os.killpg(process.pid, signal.SIGTERM)
