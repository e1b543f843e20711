"""`cardloom card dev FOLDER`: a card on the running canvas that follows every change of its folder.

A page is linked and loaded anew, a program is started anew. Nobody is asked: whoever runs this wrote the card, so its
required permissions are granted and told in one line. What the card logs is printed. Spec: cards, author tools.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path, PurePath
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client
from cardloom_sdk.card_run import EXIT_REFUSED

from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME
from .card_run import GAP, read_source, register, run_again, run_once
from .console import Answer, UsageError, say
from .scripts import script_of
from .session import Record, card_of, session, workspace_of

_LEFT_OUT: Final = frozenset({".git", "node_modules", "__pycache__", ".pytest_cache", ".vite"})
_WATCH_SCRIPT: Final = "watch"


def dev_card(folder: Path, workspace: str | None, card: str | None, *, as_json: bool) -> Coroutine[Any, Any, Answer]:
    """Show a card and follow its folder until it is ended. INVALID_PARAMS with every fault it has at the start."""
    place = folder.resolve()
    for name, follow in ((MANIFEST_NAME, _follow_program), (FRAME_MANIFEST_NAME, _follow_page)):
        if (place / name).is_file():
            return _follow(follow, place, workspace, card, as_json=as_json)
    raise UsageError(f"{folder} holds no card: neither {FRAME_MANIFEST_NAME} nor {MANIFEST_NAME} is there.")


async def _follow(
    follow: Callable[[Client, Record, Path, Record | None], Coroutine[Any, Any, None]],
    folder: Path,
    workspace: str | None,
    card: str | None,
    *,
    as_json: bool,
) -> Answer:
    async with session() as client:
        home = await workspace_of(client, workspace)
        named = None if card is None else await card_of(client, card, home["id"])
        client.on("card.log", _printer(as_json=as_json))
        await client.subscribe(home["id"])
        await follow(client, home, folder, named)
    return Answer({}, "")


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


# A page


async def _follow_page(client: Client, home: Record, folder: Path, card: Record | None) -> None:
    command, placed = watch_command(folder), False
    async with _changes(folder, lambda: _entry_of(folder)) as changed, _building(command, folder):
        while True:
            if placed or command is not None:  # what is built begins with a change
                await changed.wait()
                changed.clear()
            try:
                package = await _link(client, folder)
            except CallError as error:
                if not placed and command is None:
                    raise
                _say_faults(error)
                continue
            if placed:
                say(f"{_now()} loaded anew")
            else:
                await _place(client, home, package, card)
                placed = True


async def _link(client: Client, folder: Path) -> Record:
    """Install a folder as linked, or have its cards take what it holds now, with all it requires."""
    place = {"source": str(folder), "dev": True}
    review = await client.call("package.inspect", place)
    package_id, tree = review["packageId"], review["treeHash"]
    if review["installed"] is None:
        package: Record = await client.call("package.install", {**place, "treeHash": tree})
    else:
        package = await client.call("package.update", {"packageId": package_id, "treeHash": tree, "accept": True})
        if not package["dev"]:
            raise UsageError(f"{folder} is installed as a copy. Remove that first: cardloom card remove {package_id}")
    return {**package, "asks": [row["id"] for row in review["permissions"] if not row["optional"]]}


async def _place(client: Client, home: Record, package: Record, card: Record | None) -> None:
    """See that a card of the package is on the canvas, and say so."""
    snapshot = await client.call("canvas.snapshot", {"workspaceId": home["id"]})
    own = [one for one in snapshot["cards"] if one["content"].get("packageId") == package["packageId"]]
    found = card or next(iter(own), None)
    if found is None:
        beside = {
            "x": max((one["x"] + one["w"] for one in snapshot["cards"]), default=-GAP) + GAP,
            "y": min((one["y"] for one in snapshot["cards"]), default=0),
        }
        params = {"workspaceId": home["id"], "kind": "custom", "packageId": package["packageId"], **beside}
        found = await client.call("canvas.addCard", params)
    may = ", ".join(package["asks"]) or "nothing that needs a permission"
    say(f"{package['displayName']} is on {home['name']!r} as card {found['id']}. It may: {may}. End it with Ctrl-C.")


def _entry_of(folder: Path) -> str:
    """Where a page's entry lies, as far as its manifest can be read now."""
    try:
        entry = json.loads((folder / FRAME_MANIFEST_NAME).read_text("utf-8"))["entry"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return entry if isinstance(entry, str) else ""


# A program


async def _follow_program(client: Client, home: Record, folder: Path, card: Record | None) -> None:
    source = read_source(folder)
    card_id, token = await register(client, home, source.raw, card)
    say(f"{source.raw['name']} runs on {home['name']!r} as card {card_id} with your rights. End it with Ctrl-C.")
    async with _changes(folder, lambda: "") as changed:
        while True:
            running = asyncio.create_task(run_once(source.program, token))
            try:
                code = await _until_changed(running, changed)
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            if code == EXIT_REFUSED:
                token = await run_again(home["id"], card_id, source.raw)
                continue
            if code is not None:
                say(f"{_now()} it ended with code {code}; it starts again with the next change")
                await changed.wait()
            changed.clear()
            try:
                source = read_source(folder)
                token = await run_again(home["id"], card_id, source.raw)
            except UsageError as error:
                say(f"{_now()} {error}")
                await changed.wait()
            except CallError as error:
                if error.code is ErrorCode.NOT_FOUND:
                    raise
                _say_faults(error)
                await changed.wait()
            else:
                say(f"{_now()} started anew")


async def _until_changed(running: asyncio.Task[int], changed: asyncio.Event) -> int | None:
    """The exit code of a program that ended, None when its folder changed first."""
    waiting = asyncio.create_task(changed.wait())
    try:
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        return running.result() if running.done() else None
    finally:
        waiting.cancel()


# Both


@asynccontextmanager
async def _changes(folder: Path, entry: Callable[[], str]) -> AsyncIterator[asyncio.Event]:
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
async def _building(command: list[str] | None, folder: Path) -> AsyncIterator[None]:
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


def _printer(*, as_json: bool) -> Callable[[Any], None]:
    def print_lines(data: Any) -> None:
        for line in data["lines"]:
            if as_json:
                print(json.dumps({"cardId": data["cardId"], **line}, ensure_ascii=False), flush=True)
            else:
                print(f"{_clock(line['atMs'])} {line['level']:<5} {line['text']}", flush=True)

    return print_lines


def _say_faults(error: CallError) -> None:
    say(f"{_now()} {error.message}")
    for fault in error.data if isinstance(error.data, list) else []:
        if isinstance(fault, dict):
            say(f"  {fault.get('path') or '/'}: {fault.get('message')}")


def _now() -> str:
    return _clock(time.time() * 1000)


def _clock(at_ms: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at_ms / 1000))
