"""Terminals of a whole server with shells of an empty home, and cards that ask of them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.bus import Event, card_topic
from cardloom.core.ids import new_card_id, new_connection_id
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard
from cardloom.features.terminals.runs import Run, RunResult
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import ArrowId, CardId, PackageId, WorkspaceId

CAP_S = 60.0
PERMISSIONS = ("agents.read", "agents.output", "terminals.write")


# What tests wait for here happens in another process, so they look again and again.
# ruff: noqa: ASYNC110


async def until(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, and give it."""
    async with asyncio.timeout(CAP_S):
        while not (found := holds()):
            await asyncio.sleep(0.005)
    return found


class Shell:
    """One terminal card as a page uses it."""

    def __init__(self, app: App, page: Any, card: dict[str, Any]) -> None:
        self.id: str = card["id"]
        self.app = app
        self.page = page

    @property
    def runtime(self) -> dict[str, Any]:
        runtime = self.app.graph.card(self.id).runtime
        return {} if runtime is None else dict(runtime)

    async def attach(self) -> dict[str, Any]:
        picture: dict[str, Any] = await self.page.call("terminal.attach", cardId=self.id)
        return picture

    async def run(self, command: str, **more: Any) -> dict[str, Any]:
        result: dict[str, Any] = await self.page.call("terminals.run", agentId=self.id, command=command, **more)
        return result

    async def run_too_long(self, command: str, shown: Callable[[str], bool]) -> dict[str, Any]:
        """The answer to a command whose time is over once the screen shows something, however late that is."""
        terminal = self.app.terminals._terminals[CardId(self.id)]
        finish = terminal.finish

        async def once_shown(run: Run, _timeout_s: float) -> RunResult:
            await self.until_screen(shown)
            return await finish(run, 0)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(terminal, "finish", once_shown)
            return await self.run(command)

    async def refused(self, command: str, **more: Any) -> CallError:
        error: CallError = await self.page.refused("terminals.run", agentId=self.id, command=command, **more)
        return error

    async def type(self, keys: str) -> None:
        await self.page.call("terminal.input", cardId=self.id, data=keys)

    async def screen(self, **more: Any) -> str:
        return str((await self.page.call("agents.readScreen", agentId=self.id, **more))["text"])

    async def until_screen(self, holds: Callable[[str], bool]) -> str:
        """Wait until the screen shows something."""
        async with asyncio.timeout(CAP_S):
            while not holds(text := await self.screen(lines=500)):
                await asyncio.sleep(0.005)
        return text


class Asker:
    """A custom card joined to a terminal: asks, and collects its events."""

    def __init__(self, app: App, workspace_id: str, card_id: CardId) -> None:
        self.id = card_id
        self.app = app
        self.events: list[tuple[str, Any]] = []
        self.connection_id = new_connection_id()
        self.caller = Caller(CallerKind.CARD, self.connection_id, card_id, WorkspaceId(workspace_id))
        app.bus.attach(self.connection_id, self._take)
        app.bus.follow(self.connection_id, card_topic(card_id))

    async def call(self, method: str, **params: Any) -> Any:
        return await self.app.dispatcher.dispatch(method, params, self.caller)

    def subscribe(self, *topics: str, agents: tuple[str, ...] = ()) -> list[str]:
        return self.app.subscriptions.subscribe(self.id, topics, agents)

    async def refused(self, method: str, **params: Any) -> CallError:
        with pytest.raises(CallError) as refusal:
            await self.call(method, **params)
        return refusal.value

    def told(self, name: str) -> list[Any]:
        return [data for event, data in self.events if event == name]

    def text(self) -> str:
        return "".join(data["text"] for data in self.told("agents.output"))

    def _take(self, event: Event) -> None:
        self.events.append((event.name, event.data))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, so that shells start as for a new user."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("ZDOTDIR", raising=False)
    monkeypatch.delenv("PROMPT_COMMAND", raising=False)
    return folder


@pytest.fixture(params=["shell-bash", "shell-zsh"])
def shell_id(request: pytest.FixtureRequest) -> str:
    """Each shell that can be tried here."""
    shell_id = str(request.param)
    program = shell_id.removeprefix("shell-")
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return shell_id


@pytest.fixture
def new_shell(app: App, page: Any, workspace_id: str) -> Callable[..., Any]:
    """Makes terminal cards."""

    async def make(shell: str = "shell-bash", **content: Any) -> Shell:
        card = await page.call(
            "canvas.addCard", workspaceId=workspace_id, kind="terminal", x=0, y=0, content={"shell": shell, **content}
        )
        return Shell(app, page, card)

    return make


@pytest.fixture
async def shell(new_shell: Callable[..., Any]) -> Shell:
    """A bash terminal; it starts when it is needed."""
    made: Shell = await new_shell()
    return made


@pytest.fixture
async def asker(app: App, workspace_id: str, shell: Shell) -> AsyncIterator[Asker]:
    """A card with all permissions for terminals, joined to `shell`."""
    home = WorkspaceId(workspace_id)
    card = Card(new_card_id(), home, "custom", 0, 0, 10, 10, 1, 0)
    arrow = Arrow(ArrowId(f"a_{card.id}"), home, card.id, CardId(shell.id), "both", DrawnBy(), 0, 1)
    await app.canvas.commit(home, lambda _: [PutCard(card), PutArrow(arrow)])
    package = PackageId("dev:asker")
    app.grants.bind(card.id, home, package)
    app.grants.set(home, package, PERMISSIONS)
    made = Asker(app, workspace_id, card.id)
    yield made
    app.bus.detach(made.connection_id)
