"""What Cardloom needs on this machine, looked at one by one, each with what to do where it is missing."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from .console import EXIT_FAILED, EXIT_OK, Answer


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `hint` says what to do when it is not `ok`."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def examine() -> Answer:
    """Look at everything; exit code 1 when something is wrong."""
    from cardloom_sdk.discovery import data_folder

    home = data_folder()
    checks: tuple[Callable[[], Finding], ...] = (
        _python,
        lambda: _folder(home),
        lambda: _key(home),
        lambda: _database(home),
        lambda: _port(home),
        _shells,
        _screen,
        _git,
        _page,
        _packages,
    )
    findings = [check() for check in checks]
    lines = [f"{'ok  ' if found.ok else 'FAIL'}  {found.name}: {found.detail}" for found in findings]
    lines += [f"\n{found.name}: {found.hint}" for found in findings if not found.ok and found.hint]
    ok = all(found.ok for found in findings)
    data = {"ok": ok, "checks": [asdict(found) for found in findings]}
    return Answer(data, "\n".join(lines), EXIT_OK if ok else EXIT_FAILED)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), f"{version} at {sys.executable}", "Python 3.11 is needed.")


def _folder(home: Path) -> Finding:
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return Finding(
            "Data folder", False, f"{home} cannot be written", f"Allow writing to {place}, or set CARDLOOM_HOME."
        )
    return Finding("Data folder", True, str(home) if home.exists() else f"{home} (made at the first start)")


def _key(home: Path) -> Finding:
    from cardloom_sdk.discovery import KEY_NAME

    path = home / KEY_NAME
    if not path.exists():
        return Finding("Owner's key", True, "made at the first start")
    mode = stat.S_IMODE(path.stat().st_mode)
    if sys.platform != "win32" and mode & 0o077:
        return Finding("Owner's key", False, f"{path} can be read by others ({mode:o})", f"Run: chmod 600 {path}")
    return Finding("Owner's key", True, f"{path}, for you alone")


def _database(home: Path) -> Finding:
    import apsw

    path = home / "cardloom.db"
    if not path.exists():
        return Finding("Database", True, "made at the first start")
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            verdict = str(connection.execute("PRAGMA quick_check(1)").get)
        finally:
            connection.close()
    except apsw.Error as error:
        verdict = str(error)
    size_mb = path.stat().st_size / 1e6
    if verdict != "ok":
        hint = "The server sets a damaged file aside at its next start and begins a new one."
        return Finding("Database", False, f"{path}: {verdict}", hint)
    return Finding("Database", True, f"{path}, {size_mb:.1f} MB, sound")


def _port(home: Path) -> Finding:
    from ..host.lockfile import read_holder
    from ..settings import HOST, Settings

    holder = read_holder(home)
    if holder is not None and holder.port is not None and _answers(HOST, holder.port):
        return Finding("Server", True, f"runs at http://{HOST}:{holder.port} (process {holder.pid})")
    try:
        port = Settings.from_environment().port
    except ValueError as error:
        return Finding("Server", False, str(error), "Set CARDLOOM_PORT to a number from 1 to 65535.")
    taken = _answers(HOST, port)
    detail = f"does not run; port {port} is {'in use, the next free one will be taken' if taken else 'free'}"
    return Finding("Server", True, detail)


def _answers(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def _shells() -> Finding:
    from ..host.shells import installed

    found = installed()
    return Finding("Shells", bool(found), ", ".join(found) or "none", "Install bash or zsh for terminal cards.")


def _screen() -> Finding:
    try:
        import pyghostty  # noqa: F401
    except (ImportError, OSError) as error:
        return Finding("Terminal screens", True, f"the plain fallback ({error})")
    return Finding("Terminal screens", True, "pyghostty")


def _git() -> Finding:
    path = shutil.which("git")
    return Finding("git", True, path or "not found: no packages from repositories, no worktrees for agents")


def _page() -> Finding:
    from ..settings import Settings

    index = Settings(Path()).web_folder / "index.html"
    if index.is_file():
        return Finding("Page", True, str(index.parent))
    return Finding("Page", False, f"{index} is missing", "Build it in the checkout with: make setup")


def _packages() -> Finding:
    from ..features.cards.packages import FRAME_MANIFEST_NAME, MANIFEST_NAME, bundled_folders, read_manifest

    names, faults = [], []
    for root in bundled_folders():
        for path in sorted((*root.glob(f"*/{MANIFEST_NAME}"), *root.glob(f"*/{FRAME_MANIFEST_NAME}"))):
            try:
                names.append(read_manifest(path)["name"])
            except ValueError as error:
                faults.append(f"{path}: {error}")
    if faults:
        return Finding("Packages", False, "; ".join(faults), "Mend the manifest, or remove the folder.")
    return Finding("Packages", True, f"{', '.join(names) or 'none'} (what comes with Cardloom)")
