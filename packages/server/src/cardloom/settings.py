"""The settings of a server, and which environment variables give them.

Spec: decision 34 (data folder), 38 (keys never in arguments).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import platformdirs

from cardloom_protocol.limits import limit

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7420


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with. Numbers that tests make small default to their limits.

    `package_folders` hold packages, one folder each; None means those that come with Cardloom. `use_keyring` keeps the
    key of cards' secrets in the system's keyring where that works.
    """

    data_folder: Path
    port: int = DEFAULT_PORT
    web_folder: Path = Path(__file__).parent / "web"
    package_folders: tuple[Path, ...] | None = None
    use_keyring: bool = False
    hello_timeout_ms: int = limit("helloTimeoutMs")
    ready_timeout_ms: int = limit("readyTimeoutMs")
    stall_timeout_ms: int = limit("stallTimeoutMs")
    outbox_events: int = limit("outboxEvents")
    outbox_bytes: int = limit("outboxBytes")
    folder_check_ms: int = limit("folderCheckMs")

    def with_port(self, port: int) -> Settings:
        """The same settings with another first port."""
        return replace(self, port=port)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read CARDLOOM_HOME, CARDLOOM_PORT and CARDLOOM_KEYRING. ValueError names one whose value makes no sense."""
        given = os.environ if environment is None else environment
        home = given.get("CARDLOOM_HOME")
        folder = Path(home).expanduser() if home else Path(platformdirs.user_data_dir("cardloom", appauthor=False))
        text = given.get("CARDLOOM_PORT") or str(DEFAULT_PORT)
        if not text.isdecimal() or not 1 <= int(text) <= 65535:
            raise ValueError(f"CARDLOOM_PORT is {text!r}, which is no port number (1 to 65535)")
        keyring = given.get("CARDLOOM_KEYRING") or "on"
        if keyring not in ("on", "off"):
            raise ValueError(f"CARDLOOM_KEYRING is {keyring!r}; it can be on or off")
        return cls(folder.absolute(), int(text), use_keyring=keyring == "on")
