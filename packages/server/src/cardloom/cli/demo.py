"""`cardloom demo`: a sample project whose tests fail, with a canvas that turns them into tasks.

Run again, it leaves the project as the person changed it and the canvas as they arranged it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, find_server

from .console import EXIT_FAILED, say
from .server import show_page

NAME: Final = "Checkout service"
_PROJECT: Final = "checkout-service"
_HINT: Final = (
    "Type `./run-tests` in the terminal. What fails becomes a task, and each run leaves its summary here. "
    "Mend a bug in `shop/`, run the tests again, and watch the task being ticked off.\n"
)

# Name → what `canvas.addCard` is told. Places in canvas units.
_CARDS: Final[dict[str, dict[str, Any]]] = {
    "terminal": {"kind": "terminal", "x": 0, "y": 0, "w": 560, "h": 360},
    "radar": {"kind": "custom", "x": 640, "y": 40, "w": 300, "h": 220},
    "todo": {"kind": "todo", "x": 1020, "y": 0, "w": 360, "h": 320, "title": "To do"},
    "note": {"kind": "note", "x": 620, "y": 420, "w": 420, "h": 320, "title": "Test log", "content": {"text": _HINT}},
    "board": {
        "kind": "kanban",
        "x": 0,
        "y": 420,
        "w": 560,
        "h": 320,
        "title": "Board",
        "content": {
            "columns": [
                {"id": "todo", "title": "To do"},
                {"id": "doing", "title": "In progress"},
                {"id": "done", "title": "Done"},
            ],
            "tasks": [
                {"text": "Saved cards", "column": "todo"},
                {"text": "Sign in through a company", "column": "doing", "status": "active"},
                {"text": "Round to cents", "column": "done", "status": "done"},
            ],
        },
    },
    "sticky": {"kind": "sticky", "x": 1120, "y": 420, "w": 180, "h": 140, "title": "Ship Friday"},
}
_ARROWS: Final = (("terminal", "radar"), ("radar", "todo"), ("radar", "note"))
_PACKAGE: Final = "test-radar"


def start_demo(folder: Path, port: int | None, *, open_page: bool, as_json: bool = False) -> int:
    """Lay out the project, run a server with a data folder of its own, and set the canvas up; gives the exit code."""
    from ..serving import main_up

    try:
        folder = Path(os.path.abspath(folder))
        project = lay_out(folder)
    except (OSError, FileNotFoundError) as error:
        say(f"cardloom: the sample project cannot be put into {folder}: {error}")
        return EXIT_FAILED
    home = folder / "data"

    async def when_up(new_address: Callable[[], str]) -> None:
        async with Client(lambda: find_server(home), name="cardloom demo", kind="cli") as client:
            await set_up(client, project)
        if open_page and sys.stdout.isatty():
            show_page(new_address())

    say(f"The project lies in {project}.")
    return main_up(None, port, data_folder=home, when_up=when_up, as_json=as_json)


def lay_out(folder: Path) -> Path:
    """The project below a folder, copied there unless it is there already. FileNotFoundError: no sample came along."""
    from ..features.cards.packages import examples_folder

    project = folder / _PROJECT
    if not project.exists():
        examples = examples_folder()
        sample = None if examples is None else examples / "demo-project"
        if sample is None or not sample.is_dir():
            raise FileNotFoundError("this installation has no examples")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(sample, project, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache", ".python"))
        (project / "run-tests").chmod(0o755)  # an installer may have dropped that
    if importlib.util.find_spec("pytest") is not None:
        # For shells whose own Python has no pytest.
        (project / ".python").write_text(sys.executable + "\n", "utf-8")
    return project


async def set_up(client: Client, project: Path) -> None:
    """The workspace over the project, and on an empty canvas the cards with their arrows."""
    known = (await client.call("workspace.list"))["workspaces"]
    found = next((one for one in known if one["path"] == str(project)), None)
    if found is None:
        found = await client.call("workspace.create", {"name": NAME, "path": str(project)})
    elif not found["open"]:
        await client.call("workspace.open", {"workspaceId": found["id"]})
    if found["cards"]:
        return
    packages = (await client.call("package.list"))["packages"]
    radar = next((one["packageId"] for one in packages if one["name"] == _PACKAGE), None)
    if radar is None:
        raise CallError(ErrorCode.NOT_FOUND, f"the package {_PACKAGE} did not come along with this installation")
    ids: dict[str, str] = {}
    for name, card in _CARDS.items():
        params = {"workspaceId": found["id"], **card}
        if name == "radar":
            params["packageId"] = radar
        ids[name] = (await client.call("canvas.addCard", params))["id"]
    for a, b in _ARROWS:
        await client.call("canvas.connect", {"a": ids[a], "b": ids[b]})
