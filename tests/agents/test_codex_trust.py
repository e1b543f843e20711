"""Codex itself says whether it trusts the hooks of our launch: an untrusted one is skipped without a word."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.harnesses import codex_cli
from cardloom.features.agents.harnesses.shape import LaunchSpec
from ensure_clis import PROGRAMS, missing_reason

from .home import Home, make_home

CODEX = next(program for program in PROGRAMS if program.id == "codex-cli")
CAP_S = 90


@pytest.fixture
def home(tmp_path: Path) -> Home:
    if reason := missing_reason(CODEX):
        pytest.skip(reason)
    return make_home(tmp_path / "home", CODEX, "http://127.0.0.1:1")


def asked(command: list[str], home: Home, method: str, params: dict[str, object]) -> Any:
    """The result of one call to Codex's own server, started with the launch's settings."""
    hello = {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "title": "t", "version": "1"}}}
    calls = [hello, {"method": "initialized"}, {"id": 2, "method": method, "params": params}]
    with subprocess.Popen(
        command, env=dict(home.environment), cwd=home.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(call) + "\n" for call in calls))
        server.stdin.flush()
        answer = next(line for line in map(json.loads, server.stdout) if line.get("id") == 2)
        server.kill()
    return answer["result"]


def settings(argv: tuple[str, ...]) -> Iterator[str]:
    """The settings among a launch's arguments."""
    for flag, value in pairwise(argv):
        if flag == "-c":
            yield from (flag, value)


def test_codex_trusts_every_hook_of_our_launch(home: Home) -> None:
    spec = LaunchSpec(
        agent_id="c1",
        program=CODEX.command[0],
        cwd=str(home.project),
        layer=f"{home.folder}/a layer",
        new_session_id="6f1d1f7e-2f0e-4c3b-9a51-0a8f4f6f0a11",
        hook_url="http://127.0.0.1:1/hooks/t/c1",
        poster=("/usr/bin/python3", "-I", "/an 'odd' path/posting.py"),
        environment=home.environment,
    )
    command = [*CODEX.command, "app-server", *settings(codex_cli.launch(spec).argv)]
    (told,) = asked(command, home, "hooks/list", {"cwds": [str(home.project)]})["data"]
    assert (told["warnings"], told["errors"]) == ([], [])
    assert {hook["trustStatus"] for hook in told["hooks"]} == {"trusted"}
    assert len(told["hooks"]) == len(codex_cli.HOOKS)
