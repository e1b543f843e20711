"""A command line, with a server and cards where they are wanted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk import Client, find_server

from .running_cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "data")


@pytest.fixture
def served(cli: Cli, start_server: Any) -> Cli:
    """A command line with a server running, one workspace open."""
    start_server().wait_until_open()
    return cli


@pytest.fixture
def cards(served: Cli) -> dict[str, str]:
    """Cards by kind on the open workspace."""

    async def make() -> dict[str, str]:
        async with Client(lambda: find_server(served.home)) as client:
            home = client.hello["workspaces"][0]["id"]
            made = {"home": home}
            for kind in ("note", "todo", "sticky"):
                params = {"workspaceId": home, "kind": kind, "x": 0, "y": 0}
                made[kind] = (await client.call("canvas.addCard", params))["id"]
            return made

    return asyncio.run(make())
