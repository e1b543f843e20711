"""Where each harness keeps its logs, and which files there are logs.

Only folders are listed; a file is opened where its harness has to be found out.

Spec: harnesses (the storage of each); real CLIs, logs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from .message_folders import is_message_folder, list_folder
from .readers.opencode import OPENCODE
from .reading import LogFile
from .sniffing import HEAD_BYTES, harness_of


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of logs. `pattern` is what their names look like; `depth` how many folders deep they may lie.

    With `ANY` as the harness every file is looked into, and those that are no logs are passed over.
    """

    harness: str
    folder: Path
    pattern: str
    depth: int = 8


@dataclass(frozen=True, slots=True)
class Listing:
    """The logs of some roots, and the folders that could not be listed with the reason."""

    logs: list[LogFile]
    refused: list[tuple[str, str, str]]


ANY: Final = "any"
NO_TEXT: Final = "a name that is no UTF-8"
UNREADABLE: Final = frozenset({"amp", "cursor", "acp", "command"})
"""Agents whose logs are not read."""


def roots_of(home: Path, environment: Mapping[str, str]) -> list[Root]:
    """The places of every harness, as the user's environment names them."""

    def place(variable: str, default: str) -> Path:
        named = environment.get(variable)
        return Path(named).expanduser() if named else home / default

    data = place("XDG_DATA_HOME", ".local/share")
    claude = [
        Path(part.strip()).expanduser() for part in environment.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()
    ]
    codex = place("CODEX_HOME", ".codex")
    qwen = place("QWEN_RUNTIME_DIR", ".qwen")
    opencode, kilo = data / "opencode", place("KILO_DATA_DIR", str(data / "kilo"))
    return [
        *(Root("claude-code", folder / "projects", "*.jsonl") for folder in claude or [home / ".claude"]),
        *([] if claude else [Root("claude-code", home / ".config/claude/projects", "*.jsonl")]),
        Root("codex-cli", codex / "sessions", "rollout-*.jsonl"),
        Root("codex-cli", codex / "archived_sessions", "rollout-*.jsonl"),
        Root("opencode", opencode, "opencode*.db", 0),
        Root("opencode", opencode / "storage/message", "ses_*", 0),
        Root("kilo-code", kilo, "kilo*.db", 0),
        Root("qwen-code", qwen / "projects", "*.jsonl", 2),
        Root("gemini-cli", home / ".gemini/tmp", "session-*.json*", 2),
        Root("pi", place("PI_CODING_AGENT_DIR", ".pi/agent") / "sessions", "*.jsonl"),
        Root("hermes-agent", place("HERMES_HOME", ".hermes"), "state.db", 0),
    ]


def list_logs(roots: list[Root]) -> Listing:
    """The logs of all roots; a folder that does not exist has none."""
    listing = Listing([], [])
    seen: set[str] = set()
    for root in roots:
        for log in _Walk(root, listing).logs():
            if log.path not in seen:
                seen.add(log.path)
                listing.logs.append(log)
    return listing


class _Walk:
    """A walk through a root. What is refused is put into the listing."""

    def __init__(self, root: Root, listing: Listing) -> None:
        self._root = root
        self._listing = listing
        self._links: deque[tuple[os.DirEntry[str], int]] = deque()

    def logs(self) -> Iterator[LogFile]:
        """The logs of the root. Links to folders come last, unless they lead to where it has been or around that."""
        yield from self._folder(str(self._root.folder), self._root.depth)
        been = [os.path.realpath(self._root.folder)]
        while self._links:
            link, depth = self._links.popleft()
            target = os.path.realpath(link.path)
            if not any(_is_within(target, place) or _is_within(place, target) for place in been):
                been.append(target)
                yield from self._entry(link, depth, is_folder=True)

    def _folder(self, folder: str, depth: int) -> Iterator[LogFile]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if _links_to_folder(entry):
                        self._links.append((entry, depth))
                    else:
                        yield from self._entry(entry, depth, is_folder=entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return
        except OSError as error:
            self._refuse(folder, error)

    def _entry(self, entry: os.DirEntry[str], depth: int, *, is_folder: bool) -> Iterator[LogFile]:
        try:
            of_messages = is_folder and self._root.harness in (ANY, OPENCODE) and is_message_folder(entry.path)
            if not of_messages and ((is_folder and depth == 0) or not (is_folder or self._is_log(entry))):
                return
            if not _is_text(entry.name):
                self._listing.refused.append((self._root.harness, _shown(entry.path), NO_TEXT))
            elif of_messages:
                yield list_folder(entry.path)
            elif is_folder:
                yield from self._folder(entry.path, depth - 1)
            else:
                yield from self._log(entry)
        except OSError as error:
            self._refuse(entry.path, error)

    def _is_log(self, entry: os.DirEntry[str]) -> bool:
        return fnmatchcase(entry.name, self._root.pattern) and entry.is_file()

    def _log(self, entry: os.DirEntry[str]) -> Iterator[LogFile]:
        status = entry.stat()
        harness = self._root.harness if self._root.harness != ANY else _sniffed(entry.path)
        if harness is None:
            return
        size, changed_ns = status.st_size, status.st_mtime_ns
        if entry.name.endswith(".db"):
            with suppress(OSError):
                ahead = os.stat(f"{entry.path}-wal")
                size, changed_ns = size + ahead.st_size, max(changed_ns, ahead.st_mtime_ns)
        yield LogFile(harness, entry.path, size, changed_ns, status.st_ino)

    def _refuse(self, path: str, error: OSError) -> None:
        self._listing.refused.append((self._root.harness, _shown(path), error.strerror or str(error)))


def _links_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:
        return False


def _is_within(path: str, folder: str) -> bool:
    return f"{path}{os.sep}".startswith(f"{folder}{os.sep}")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def _sniffed(path: str) -> str | None:
    if not path.endswith((".jsonl", ".json", ".db")):
        return None
    with open(path, "rb") as file:
        return harness_of(path, file.read(HEAD_BYTES))
