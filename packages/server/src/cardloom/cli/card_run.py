"""`cardloom card run FOLDER`: a Python card as one's own process, on the running canvas.

When the server comes back after a restart it does not know the card's token any more; the program then ends with the
code for that, gets a new token, and goes on as the same card.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, ManifestError, find_server, supervised
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.card_run import EXIT_REFUSED, TOKEN_VARIABLE, URL_VARIABLE
from cardloom_sdk.manifest_file import MANIFEST_NAME, parse_raw, read_raw

from ..features.cards.model import run_package_id
from .console import Answer, UsageError, say
from .session import Record, card_of, session, workspace_of

GAP = 40
"""How far from the other cards a new one is put, in canvas pixels."""


@dataclass(frozen=True, slots=True)
class Source:
    """A folder's manifest as it was written, and the program it names."""

    raw: Any
    program: Path


def read_source(folder: Path) -> Source:
    """The card in a folder. UsageError says what is wrong with it."""
    path = folder / MANIFEST_NAME if folder.is_dir() else folder
    try:
        raw = read_raw(path)
        manifest = parse_raw(raw, str(path))
    except ManifestError as error:
        raise UsageError(str(error)) from error
    program = path.parent / manifest["python"]
    if not program.is_file():
        raise UsageError(f"{program} is missing; the manifest names it as the card's program.")
    return Source(raw, program.absolute())


async def run_card(folder: Path, workspace: str | None, card: str | None, *, quiet: bool) -> Answer:
    """Run a card until it ends; the answer carries its exit code."""
    source = read_source(folder)
    async with session() as client:
        home = await workspace_of(client, workspace)
        named = None if card is None else await card_of(client, card, home["id"])
        card_id, token = await register(client, home, source.raw, named)
    if not quiet:
        say(f"{source.raw['name']} runs on {home['name']!r} as card {card_id}. End it with Ctrl-C.")
    while True:
        code = await run_once(source.program, token)
        if code != EXIT_REFUSED:
            return Answer({"cardId": card_id, "exitCode": code}, "", code)
        token = await run_again(home["id"], card_id, source.raw)


async def register(client: Client, home: Record, raw: Any, card: Record | None) -> tuple[str, str]:
    """A card and its token: the named one, one of the package that nobody runs, or a new one beside the others."""
    snapshot = await client.call("canvas.snapshot", {"workspaceId": home["id"]})
    params: dict[str, Any] = {"workspaceId": home["id"], "manifest": raw}
    if card is None:
        card = next((one for one in snapshot["cards"] if _is_idle(one, run_package_id(raw))), None)
    if card is not None:
        params["cardId"] = card["id"]
    elif snapshot["cards"]:
        params["x"] = max(one["x"] + one["w"] for one in snapshot["cards"]) + GAP
        params["y"] = min(one["y"] for one in snapshot["cards"])
    made = await client.call("card.run", params)
    return made["cardId"], made["token"]


def _is_idle(card: Record, package_id: str) -> bool:
    """Whether a card is one of a package run from outside whose program is not connected."""
    own = card["kind"] == "custom" and card["content"].get("packageId") == package_id
    return own and (card["runtime"] or {}).get("status") != "external"


async def run_once(program: Path, token: str) -> int:
    """Run the program with this terminal as its own; gives its exit code. It ends when this command does."""
    environment = {**os.environ, URL_VARIABLE: find_server().url, TOKEN_VARIABLE: token}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        supervised.__file__,
        str(program),
        cwd=program.parent,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
    )
    try:
        return await process.wait()
    finally:  # Ctrl-C reached the program as well
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def run_again(workspace_id: str, card_id: str, raw: Any) -> str:
    """A new token for the same card, once the server is there. NOT_FOUND when the card is gone."""
    waits = BackOff()
    while True:
        try:
            async with Client(find_server, name="cardloom", kind="cli") as client:
                params = {"workspaceId": workspace_id, "manifest": raw, "cardId": card_id}
                return str((await client.call("card.run", params))["token"])
        except CallError as error:
            if error.code is not ErrorCode.UNAVAILABLE:
                raise
        await asyncio.sleep(waits.next_ms() / 1000)
