"""A command's connection to the running server, and how it finds the workspace and the cards it was asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, Server, find_server

Record: TypeAlias = dict[str, Any]


@asynccontextmanager
async def session() -> AsyncIterator[Client]:
    """A client of the server that runs on the data folder. UNAVAILABLE says how to start one."""
    server = find_server()
    try:
        client = Client(lambda: server, name="cardloom", kind="cli")
        await client.__aenter__()
    except CallError as error:
        raise _explained(error, server) from error
    try:
        yield client
    finally:
        await client.close()


async def workspace_of(client: Client, named: str | None) -> Record:
    """The workspace that is meant: by name or id, or the only open one. NOT_FOUND; INVALID_PARAMS when unclear."""
    known = (await client.call("workspace.list"))["workspaces"]
    if named is not None:
        return _one(known, named, "workspace")
    open_ones = [workspace for workspace in known if workspace["open"]]
    if len(open_ones) == 1:
        workspace: Record = open_ones[0]
        return workspace
    if not open_ones:
        raise CallError(ErrorCode.NOT_FOUND, "No workspace is open. Open a folder with: cardloom up DIR")
    names = ", ".join(workspace["name"] for workspace in open_ones)
    raise CallError(ErrorCode.INVALID_PARAMS, f"Several workspaces are open ({names}). Choose one with --workspace.")


async def workspaces_of(client: Client, named: str | None) -> list[Record]:
    """The named workspace, or all open ones."""
    if named is not None:
        return [await workspace_of(client, named)]
    known = (await client.call("workspace.list"))["workspaces"]
    return [workspace for workspace in known if workspace["open"]]


async def snapshots_of(client: Client, named: str | None) -> list[Record]:
    """The canvases of the named workspace, or of all open ones."""
    found = await workspaces_of(client, named)
    return [await client.call("canvas.snapshot", {"workspaceId": workspace["id"]}) for workspace in found]


async def card_of(client: Client, named: str, workspace: str | None) -> Record:
    """The card that is meant, by id or unique name. NOT_FOUND; INVALID_PARAMS lists the ids of all that fit."""
    cards = [card for snapshot in await snapshots_of(client, workspace) for card in snapshot["cards"]]
    return _one(cards, named, "card")


async def package_of(client: Client, named: str) -> Record:
    """The installed package that is meant, by id or unique name. NOT_FOUND; INVALID_PARAMS lists all that fit."""
    packages = (await client.call("package.list"))["packages"]
    return _one([{**one, "id": one["packageId"]} for one in packages if one["source"] is not None], named, "package")


def _one(records: Iterable[Record], named: str, what: str) -> Record:
    every = list(records)
    by_id = [record for record in every if record["id"] == named]
    by_name = [record for record in every if record["name"] == named]
    by_any_case = [record for record in every if record["name"].casefold() == named.casefold()]
    for found in (by_id, by_name, by_any_case):
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(record["id"] for record in found)
            raise CallError(ErrorCode.INVALID_PARAMS, f"{len(found)} {what}s are called {named!r}; use an id: {ids}")
    names = ", ".join(sorted({record["name"] for record in every})) or "none"
    raise CallError(ErrorCode.NOT_FOUND, f"There is no {what} {named!r}. There are: {names}")


def _explained(error: CallError, server: Server) -> CallError:
    if error.code is ErrorCode.UNAVAILABLE:
        return CallError(error.code, f"No Cardloom server answers at {server.url}. Start one with: cardloom up")
    return error
