"""`cardloom card dev FOLDER`: a card on the running canvas that follows every change of its folder.

A page is linked and loaded anew, a program is started anew. Nobody is asked: whoever runs this wrote the card, so its
required permissions are granted and told in one line. What the card logs is printed. Spec: cards, author tools.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client
from cardloom_sdk.card_run import EXIT_REFUSED

from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME
from .card_folder import building, changes_of, watch_command
from .card_run import GAP, read_source, register, run_again, run_once
from .console import Answer, UsageError, say, visible
from .session import Record, card_of, session, workspace_of


def dev_card(folder: Path, workspace: str | None, card: str | None, *, as_json: bool) -> Coroutine[Any, Any, Answer]:
    """Show a card and follow its folder until it is ended. INVALID_PARAMS with every fault it has at the start."""
    place = folder.resolve()
    for name, follow in ((MANIFEST_NAME, _follow_program), (FRAME_MANIFEST_NAME, _follow_page)):
        if (place / name).is_file():
            return _follow(follow, place, workspace, card, as_json=as_json)
    raise UsageError(f"{folder} holds no card: neither {FRAME_MANIFEST_NAME} nor {MANIFEST_NAME} is there.")


@dataclass(slots=True)
class _Dev:
    """What following a folder takes: a client, the workspace, the folder, the card that was named, what to print."""

    client: Client
    home: Record
    folder: Path
    card: Record | None
    as_json: bool
    shown: str | None = None
    """The card whose log is printed, once it is known."""
    tree: str = ""
    """What the folder held when its page was last loaded, as the hash of a package's tree."""

    async def print_logs(self) -> None:
        """Print what the card logs, as long as somebody takes it."""
        told: asyncio.Queue[Any] = asyncio.Queue()
        self.client.on("card.log", told.put_nowait)
        while True:
            data = await told.get()
            for line in data["lines"] if data["cardId"] == self.shown else ():
                if self.as_json:
                    print(json.dumps({"cardId": self.shown, **line}, ensure_ascii=False), flush=True)
                else:
                    print(f"{_clock(line['atMs'])} {line['level']:<5} {visible(line['text'])}", flush=True)


async def _follow(
    follow: Callable[[_Dev], Coroutine[Any, Any, None]],
    folder: Path,
    workspace: str | None,
    card: str | None,
    *,
    as_json: bool,
) -> Answer:
    async with session() as client:
        home = await workspace_of(client, workspace)
        named = None if card is None else await card_of(client, card, home["id"])
        dev = _Dev(client, home, folder, named, as_json)
        await client.subscribe(home["id"])
        await _printing_logs(dev, follow)
    return Answer({}, "")


async def _printing_logs(dev: _Dev, follow: Callable[[_Dev], Coroutine[Any, Any, None]]) -> None:
    """Follow a folder and print what its card logs; whichever ends first ends the other."""
    tasks = [asyncio.create_task(dev.print_logs()), asyncio.create_task(follow(dev))]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# A page


async def _follow_page(dev: _Dev) -> None:
    folder = dev.folder
    command = watch_command(folder)
    async with changes_of(folder, lambda: _entry_of(folder)) as changed, building(command, folder):
        while True:
            if dev.shown is not None or command is not None:  # what is built begins with a change
                await changed.wait()
                changed.clear()
            try:
                package = await _link(dev)
            except CallError as error:
                if dev.shown is None and command is None:
                    raise
                _say_faults(error)
                continue
            if package is None:
                continue
            if dev.shown is None:
                await _place(dev, package)
            else:
                say(f"{_now()} loaded anew")


async def _link(dev: _Dev) -> Record | None:
    """Install a folder as linked, or have its cards take what it holds now, with all it requires.

    None where it holds what it held: what is written in several strokes is told of several times.
    """
    client, folder = dev.client, dev.folder
    place = {"source": str(folder), "dev": True}
    review = await client.call("package.inspect", place)
    package_id, tree = review["packageId"], review["treeHash"]
    if review["installed"] is not None and tree == dev.tree:
        return None
    if review["installed"] is None:
        package: Record = await client.call("package.install", {**place, "treeHash": tree})
    else:
        package = await client.call("package.update", {"packageId": package_id, "treeHash": tree, "accept": True})
        if not package["dev"]:
            raise UsageError(f"{folder} is installed as a copy. Remove that first: cardloom card remove {package_id}")
    dev.tree = tree
    return {**package, "asks": [row["id"] for row in review["permissions"] if not row["optional"]]}


async def _place(dev: _Dev, package: Record) -> None:
    """See that a card of the package is on the canvas, and say so."""
    call, home_id = dev.client.call, dev.home["id"]
    cards = (await call("canvas.snapshot", {"workspaceId": home_id}))["cards"]
    own = [one for one in cards if one["content"].get("packageId") == package["packageId"]]
    found = dev.card or next(iter(own), None)
    if found is None:
        beside = {
            "x": max((one["x"] + one["w"] for one in cards), default=-GAP) + GAP,
            "y": min((one["y"] for one in cards), default=0),
        }
        params = {"workspaceId": home_id, "kind": "custom", "packageId": package["packageId"], **beside}
        found = await call("canvas.addCard", params)
    dev.shown = found["id"]
    may = ", ".join(package["asks"]) or "nothing that needs a permission"
    say(f"{package['displayName']} is on {dev.home['name']!r} as card {dev.shown}. It may: {may}. End it with Ctrl-C.")


def _entry_of(folder: Path) -> str:
    """Where a page's entry lies, as far as its manifest can be read now."""
    try:
        entry = json.loads((folder / FRAME_MANIFEST_NAME).read_text("utf-8"))["entry"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return entry if isinstance(entry, str) else ""


# A program


async def _follow_program(dev: _Dev) -> None:
    home, folder = dev.home, dev.folder
    source = read_source(folder)
    card_id, token = await register(dev.client, home, source.raw, dev.card)
    dev.shown = card_id
    say(f"{source.raw['name']} runs on {home['name']!r} as card {card_id} with your rights. End it with Ctrl-C.")
    async with changes_of(folder, lambda: "") as changed:
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


def _say_faults(error: CallError) -> None:
    say(f"{_now()} {error.message}")
    for fault in error.data if isinstance(error.data, list) else []:
        if isinstance(fault, dict):
            say(f"  {fault.get('path') or '/'}: {fault.get('message')}")


def _now() -> str:
    return _clock(time.time() * 1000)


def _clock(at_ms: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at_ms / 1000))
