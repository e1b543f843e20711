"""`cardloom demo`: a sample project with everything on its canvas."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardloom.cli import demo
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, find_server

from .running_cli import CAP_S, Cli


async def test_the_demo_lays_out_everything_once(cli: Cli, served: Cli, tmp_path: Path) -> None:
    project = demo.lay_out(tmp_path / "demo")
    assert (project / "run-tests").stat().st_mode & 0o111
    (project / "shop" / "auth.py").write_text("# mine now\n")
    assert demo.lay_out(tmp_path / "demo") == project
    assert (project / "shop" / "auth.py").read_text() == "# mine now\n"
    async with Client(lambda: find_server(served.home)) as client:
        await demo.set_up(client, project)
        await demo.set_up(client, project)
        workspaces = (await client.call("workspace.list"))["workspaces"]
        home = next(one for one in workspaces if one["name"] == "Checkout service")
        shown = await client.call("canvas.snapshot", {"workspaceId": home["id"]})
    kinds = sorted(card["kind"] for card in shown["cards"])
    assert kinds == ["custom", "kanban", "note", "sticky", "terminal", "todo"]
    names = {card["id"]: card["name"] for card in shown["cards"]}
    assert [(names[arrow["a"]], names[arrow["b"]]) for arrow in shown["arrows"]] == [
        ("Terminal", "Test Radar"),
        ("Test Radar", "To do"),
        ("Test Radar", "Test log"),
    ]


async def test_commands_in_the_demos_terminal_find_the_demo(cli: Cli, tmp_path: Path) -> None:
    cli.environment |= {"CARDLOOM_PORT": "1500", "HOME": str(tmp_path)}  # a home without start-up files
    server = cli.start("demo", str(tmp_path / "demo"), "--no-open", start_new_session=True)
    try:
        assert server.stdout is not None
        said = next(line for line in server.stdout if "Another one:" in line)
        home = tmp_path / "demo" / "data"
        assert f"CARDLOOM_HOME={home} " in said
        async with Client(lambda: find_server(home)) as client:
            workspace = await until_open(client)
            snapshot = await client.call("canvas.snapshot", {"workspaceId": workspace["id"]})
            terminal = next(card for card in snapshot["cards"] if card["kind"] == "terminal")
            command = f"{sys.executable} -m cardloom status --json"
            ran = await client.call("terminals.run", {"agentId": terminal["id"], "command": command})
        assert json.loads(ran["output"])["dataFolder"] == str(home)
    finally:
        server.terminate()
        server.communicate(timeout=CAP_S)


async def until_open(client: Client) -> dict[str, Any]:
    """The first workspace, once it has a terminal card and with it everything before."""
    async with asyncio.timeout(CAP_S):
        while not (found := (await client.call("workspace.list"))["workspaces"]) or not found[0]["cards"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    workspace: dict[str, Any] = found[0]
    return workspace


def test_the_demo_projects_suite_fails_in_exactly_three_places(tmp_path: Path) -> None:
    project = demo.lay_out(tmp_path / "demo")
    found = subprocess.run([str(project / "run-tests")], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout.strip().splitlines()[-1].startswith("3 failed, 12 passed in ")


async def test_a_missing_package_stops_the_demo_with_its_name(served: Cli, tmp_path: Path) -> None:
    class NoPackages(Client):
        async def call(self, method: str, params: Any = None) -> Any:
            return {"packages": []} if method == "package.list" else await super().call(method, params)

    (tmp_path / "p").mkdir()
    async with NoPackages(lambda: find_server(served.home)) as client:
        with pytest.raises(CallError, match="test-radar") as caught:
            await demo.set_up(client, tmp_path / "p")
    assert caught.value.code is ErrorCode.NOT_FOUND
