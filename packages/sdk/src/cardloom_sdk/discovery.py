"""Finding the server that runs on this machine: its data folder says where it listens and holds the owner's key.

Spec: decisions 34, 38. The key is read when it is needed and never kept in arguments or logs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode

HOLDER_NAME: Final = "server.json"
KEY_NAME: Final = "owner.key"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its address (`http://127.0.0.1:7420`) and how to get the owner's key."""

    url: str
    key: Callable[[], str]
    pid: int | None = None


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The data folder in use: CARDLOOM_HOME, else the system's folder for a user's data."""
    given = os.environ if environment is None else environment
    home = given.get("CARDLOOM_HOME")
    if home:
        return Path(home).expanduser().absolute()
    if sys.platform == "win32":
        return Path(given.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "cardloom"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "cardloom"
    return Path(given.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "cardloom"


def find_server(folder: Path | None = None) -> Server:
    """The server that holds a data folder. UNAVAILABLE says how to start one when none does.

    What a killed server left behind is found too: connecting to it fails as UNAVAILABLE.
    """
    home = folder or data_folder()
    try:
        said = json.loads((home / HOLDER_NAME).read_text("ascii"))
        pid, port = int(said["pid"]), said["port"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _not_running(home) from error
    if not isinstance(port, int):
        raise CallError(ErrorCode.UNAVAILABLE, f"The server on {home} is still starting.")
    return Server(f"http://127.0.0.1:{port}", lambda: read_key(home), pid)


def read_key(folder: Path) -> str:
    """The owner's key of a data folder. UNAVAILABLE when there is none that may be read."""
    path = folder / KEY_NAME
    try:
        return path.read_text("ascii").strip()
    except (OSError, ValueError) as error:
        raise CallError(ErrorCode.UNAVAILABLE, f"The owner's key at {path} cannot be read: {error}") from error


def _not_running(folder: Path) -> CallError:
    return CallError(ErrorCode.UNAVAILABLE, f"No Cardloom server runs on {folder}. Start one with: cardloom up")
