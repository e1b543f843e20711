"""ccusage, the well-known reader of agents' logs, as a program beside ours; with the prices that come with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import platformdirs

VERSION = "20.0.24"
_INSTALL_S = 180
_RUN_S = 300


class Missing(Exception):
    """It cannot be had here; the message says why."""


def command() -> list[str]:
    """What starts it. Installed into a cache folder the first time; raises `Missing`."""
    node = shutil.which("node")
    if node is None:
        raise Missing("there is no Node")
    named = os.environ.get("CARDLOOM_AGENT_CACHE")
    cache = Path(named) if named else Path(platformdirs.user_cache_dir("cardloom-agents", appauthor=False))
    folder = cache / f"ccusage-{VERSION}"
    script = folder / "node_modules/ccusage/src/cli.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise Missing("there is no npm")
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [npm, "install", "--no-fund", "--no-audit", "--prefix", str(folder), f"ccusage@{VERSION}"],
            capture_output=True,
            timeout=_INSTALL_S,
            check=False,
        )
        if done.returncode or not script.exists():
            raise Missing("npm could not install it")
    started = [node, str(script)]
    if not subprocess.run([*started, "--version"], capture_output=True, timeout=60, check=False).stdout:
        raise Missing("its program for this platform was not installed with it")
    return started


def totals(started: list[str], home: Path, agent: str) -> dict[str, Any]:
    """What it sums up for one agent's logs in a home."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(
        [*started, agent, "daily", "--offline", "--json"],
        env=environment,
        capture_output=True,
        timeout=_RUN_S,
        check=True,
    )
    found = json.loads(done.stdout)
    sums: dict[str, Any] = found["totals"] if isinstance(found, dict) else {}
    return sums
