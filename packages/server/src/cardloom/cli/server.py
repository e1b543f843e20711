"""Commands about the server itself: start it, open a page, tell how it is, where its key lies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk.discovery import KEY_NAME, data_folder, find_server, read_key

from .console import EXIT_NO_SERVER, Answer
from .session import session


def start(folder: Path, port: int | None, *, open_page: bool, as_json: bool = False) -> int:
    """Run the server here until it is ended; gives the exit code."""
    from ..serving import main_up

    async def when_up(new_address: Callable[[], str]) -> None:
        if open_page and sys.stdout.isatty():
            show_page(new_address())

    return main_up(folder, port, when_up=when_up, as_json=as_json)


def show_page(url: str) -> bool:
    """Open a browser; whether there is one."""
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


async def another_page(*, open_page: bool) -> Answer:
    """Make a new address and open it."""
    async with session() as client:
        url = (await client.call("client.newCode"))["url"]
    opened = open_page and show_page(url)
    text = f"Opened {url}" if opened else f"Open {url}"
    return Answer({"url": url, "opened": opened}, text)


async def status() -> Answer:
    """Whether a server runs, and what it holds."""
    home = data_folder()
    try:
        server = find_server(home)
        async with session() as client:
            version, workspaces = client.hello["version"], client.hello["workspaces"]
    except CallError as error:
        if error.code is not ErrorCode.UNAVAILABLE:
            raise
        data = {"running": False, "dataFolder": str(home), "reason": error.message}
        return Answer(data, error.message, EXIT_NO_SERVER)
    data = {
        "running": True,
        "url": server.url,
        "pid": server.pid,
        "version": version,
        "dataFolder": str(home),
        "workspaces": workspaces,
    }
    lines = [f"Cardloom {version} runs at {server.url} (process {server.pid}).", f"Data folder: {home}"]
    for workspace in workspaces:
        state = "open" if workspace["open"] else "closed"
        lines.append(f"  {workspace['name']}  {state}, {workspace['cards']} cards, {workspace['path']}")
        if workspace["problem"]:
            lines.append(f"    {workspace['problem']}")
    return Answer(data, "\n".join(lines))


def key(*, show: bool) -> Answer:
    """Where the owner's key is; the key itself only when asked for."""
    path = data_folder() / KEY_NAME
    if show:
        value = read_key(data_folder())
        return Answer({"path": str(path), "key": value}, value)
    exists = path.exists()
    text = str(path) if exists else f"{path} (made at the first start of the server)"
    return Answer({"path": str(path), "exists": exists}, text)
