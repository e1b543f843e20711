"""What cards see and do of terminals: the list, statuses, output, commands, and the command and exit ports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.call import Cause
from cardloom.core.delivery import Delivery
from cardloom.core.records import RemoveArrow
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ChainId, PackageId, WorkspaceId

from .conftest import PERMISSIONS, until

NewShell = Callable[..., Awaitable[Any]]


async def test_the_list_shows_shells_with_whether_an_arrow_joins_them(
    asker: Any, shell: Any, new_shell: NewShell
) -> None:
    other = await new_shell("shell-zsh")
    agents = {agent["id"]: agent for agent in await asker.call("agents.list")}
    assert agents[shell.id] == {
        "id": shell.id,
        "name": "Terminal",
        "harness": "shell-bash",
        "kind": "shell",
        "status": "idle",
        "connected": True,
    }
    assert agents[other.id]["connected"] is False
    assert agents[other.id]["harness"] == "shell-zsh"
    assert await asker.call("agents.get", agentId=shell.id) == agents[shell.id]
    assert (await asker.refused("agents.get", agentId="c_none")).code is ErrorCode.NOT_FOUND


async def test_a_command_is_a_turn_with_its_events_in_order(asker: Any, shell: Any) -> None:
    asker.subscribe("agents.status", "agents.turn", "agents.changed")
    await asker.call("terminals.run", agentId=shell.id, command="true")
    told = [(name, data.get("status") or data.get("phase")) for name, data in asker.events]
    assert told == [
        ("agents.status", "working"),
        ("agents.turn", "start"),
        ("agents.status", "finished"),
        ("agents.turn", "end"),
    ]
    info = await asker.call("agents.get", agentId=shell.id)
    assert info["status"] == "finished"
    assert info["lastTurn"]["endedAs"] == "finished"
    assert "turnStartedAt" not in info
    await asker.call("terminals.run", agentId=shell.id, command="exit 0")
    assert asker.told("agents.status")[-1]["status"] == "exited"
    assert (await asker.call("agents.get", agentId=shell.id))["lastTurn"] == info["lastTurn"]


async def test_renaming_adding_and_removing_tell_the_whole_list(
    asker: Any, shell: Any, page: Any, new_shell: NewShell
) -> None:
    asker.subscribe("agents.changed")
    await page.call("canvas.updateCard", cardId=shell.id, title="Tests")
    assert [agent["name"] for agent in asker.told("agents.changed")[-1]["agents"]] == ["Tests"]
    other = await new_shell()
    assert [agent["id"] for agent in asker.told("agents.changed")[-1]["agents"]] == [shell.id, other.id]
    await page.call("canvas.removeCard", cardId=other.id)
    assert [agent["id"] for agent in asker.told("agents.changed")[-1]["agents"]] == [shell.id]
    assert len(asker.told("agents.changed")) == 3


async def test_output_comes_without_sequences_and_before_the_exit(app: App, asker: Any, shell: Any) -> None:
    order: list[str] = []

    async def emit(_card: CardId, output: str, value: Any, _cause: Cause | None) -> int:
        order.append(f"{output} {value['data']['exitCode']}: {'all' in asker.text()}")
        return 1

    app.terminals.hooks.emit = emit
    asker.subscribe("agents.output", agents=(shell.id,))
    await asker.call(
        "terminals.run", agentId=shell.id, command="printf '\\033[1m%s\\033[0m\\n' {1..3000}; echo all; (exit 3)"
    )
    await until(lambda: order)
    assert order == ["exit 3: True"]
    text = asker.text()
    assert "\x1b" not in text
    assert "\n1\n2\n3\n" in text
    assert "\n3000\nall\n" in text
    assert all(len(data["text"]) <= 65_536 for data in asker.told("agents.output"))


async def test_commands_need_permission_and_an_arrow(app: App, asker: Any, shell: Any, workspace_id: str) -> None:
    home = WorkspaceId(workspace_id)
    asks: list[tuple[str, dict[str, Any], str]] = [
        ("terminals.run", {"command": "true"}, "terminals.write"),
        ("terminals.write", {"text": "x"}, "terminals.write"),
        ("agents.readScreen", {}, "agents.output"),
    ]
    app.grants.set(home, PackageId("dev:asker"), [])
    for method, params, permission in asks:
        error = await asker.refused(method, agentId=shell.id, **params)
        assert (error.code, error.data) == (ErrorCode.PERMISSION_DENIED, {"permission": permission})
    app.grants.set(home, PackageId("dev:asker"), PERMISSIONS)
    (arrow,) = app.graph.arrows_at(CardId(shell.id))
    await app.canvas.commit(home, lambda _: [RemoveArrow(arrow.id)])
    for method, params, _ in asks:
        assert (await asker.refused(method, agentId=shell.id, **params)).code is ErrorCode.NOT_CONNECTED


@pytest.mark.usefixtures("standing_clock")
async def test_a_card_runs_no_more_than_30_commands_a_minute(asker: Any, shell: Any) -> None:
    for _ in range(30):
        await asker.refused("terminals.run", agentId=shell.id, command="\x01")
    error = await asker.refused("terminals.run", agentId=shell.id, command="true")
    assert error.code is ErrorCode.RATE_LIMITED
    assert isinstance(error.data, dict)
    assert error.data["retryAfterMs"] > 0


def _delivery(app: App, asker: Any, shell: Any, command: str, *, by_owner: bool = False) -> Delivery:
    return Delivery(
        asker.caller.workspace_id,
        None if by_owner else asker.id,
        "out",
        app.graph.card(shell.id),
        "command",
        "ns:text",
        "ns:text",
        command,
        app.clock.now_ms(),
        Cause(ChainId("h_1"), 4, 17),
    )


class _Exits:
    """Collects what leaves the exit port."""

    def __init__(self, app: App) -> None:
        self.seen: list[tuple[Any, Cause | None]] = []
        app.terminals.hooks.emit = self._emit

    async def _emit(self, _card: CardId, output: str, value: Any, cause: Cause | None) -> int:
        assert (output, value["type"]) == ("exit", "exit")
        self.seen.append((value["data"], cause))
        return 1


async def test_a_value_at_the_command_port_runs_and_its_exit_carries_the_cause(
    app: App, asker: Any, shell: Any
) -> None:
    exits = _Exits(app)
    await app.terminals.receive(_delivery(app, asker, shell, "echo from a card; (exit 2)"))
    await until(lambda: exits.seen)
    assert exits.seen == [({"command": "echo from a card; (exit 2)", "exitCode": 2}, Cause(ChainId("h_1"), 4, 17))]
    assert "\nfrom a card" in await shell.screen(lines=100)


async def test_what_a_person_types_gives_exit_events_too(app: App, shell: Any) -> None:
    exits = _Exits(app)
    await shell.run("true")
    await shell.type("ls /no/such/place; false\r")
    await until(lambda: len(exits.seen) == 2)
    assert exits.seen[1] == ({"command": "ls /no/such/place; false", "exitCode": 1}, None)


async def test_a_command_hidden_from_the_history_is_hidden_from_cards(
    app: App, new_shell: NewShell, shell_id: str, home: Any
) -> None:
    (home / ".bashrc").write_text("HISTCONTROL=ignoreboth PS1='ready> '\n")
    (home / ".zshrc").write_text("setopt hist_ignore_space; PS1='ready> '\n")
    exits = _Exits(app)
    shell = await new_shell(shell_id)
    await shell.run("echo shown")
    await until(lambda: shell.runtime["status"] == "finished")
    await shell.until_screen(lambda text: text.split("\n")[-1] == "ready>")
    await shell.type(" export KEY=secret\r")
    await until(lambda: len(exits.seen) == 2)
    await shell.until_screen(lambda text: text.split("\n")[-1] == "ready>")
    await shell.type("echo shown\r")
    await until(lambda: len(exits.seen) == 3)
    assert [data["command"] for data, _ in exits.seen] == ["echo shown", "", "echo shown"]


async def test_a_value_that_comes_while_a_command_runs_is_refused(app: App, asker: Any, shell: Any) -> None:
    await app.terminals.receive(_delivery(app, asker, shell, "read line"))
    await until(lambda: shell.runtime["status"] == "working")
    with pytest.raises(CallError) as refusal:
        await app.terminals.receive(_delivery(app, asker, shell, "true"))
    assert refusal.value.code is ErrorCode.BUSY
    with pytest.raises(CallError) as refusal:
        await app.terminals.receive(_delivery(app, asker, shell, "x" * 20_001))
    assert refusal.value.code is ErrorCode.TOO_LARGE


@pytest.mark.usefixtures("standing_clock")
async def test_values_at_the_port_count_with_the_cards_commands(app: App, asker: Any, shell: Any) -> None:
    for _ in range(29):
        await asker.refused("terminals.run", agentId=shell.id, command="\x01")
    await app.terminals.receive(_delivery(app, asker, shell, "true"))
    with pytest.raises(CallError) as refusal:
        await app.terminals.receive(_delivery(app, asker, shell, "true"))
    assert refusal.value.code is ErrorCode.RATE_LIMITED
    await until(lambda: shell.runtime["status"] == "finished")
    await app.terminals.receive(_delivery(app, asker, shell, "true", by_owner=True))


async def test_an_exit_event_lets_a_card_run_the_next_command_at_once(app: App, asker: Any, shell: Any) -> None:
    outputs: list[str] = []

    async def emit(_card: CardId, _output: str, value: Any, _cause: Cause | None) -> int:
        if value["data"]["command"] == "true":
            result = await asker.call("terminals.run", agentId=shell.id, command="echo next")
            outputs.append(result["output"])
        return 1

    app.terminals.hooks.emit = emit
    await shell.run("true")
    await until(lambda: outputs)
    assert outputs == ["next\n"]


async def test_the_owner_can_send_a_command_to_the_port_and_the_journal_tells_commands(
    page: Any, shell: Any, workspace_id: str
) -> None:
    sent = await page.call("ports.deliver", to=shell.id, data="echo by port")
    assert sent == {"delivered": 1, "outcome": "accepted"}
    await until(lambda: shell.runtime.get("status") == "finished")
    await shell.run("echo by call")
    await shell.refused("\x01")
    entries = (await page.call("journal.list", workspaceId=workspace_id, cardId=shell.id))["entries"]
    told = [
        (entry["kind"], entry["outcome"], entry["code"], entry["preview"])
        for entry in entries
        if entry["to"] == shell.id
    ]
    assert told[1:] == [
        ("command", "accepted", None, "echo by call"),
        ("delivery", "accepted", None, "echo by port"),
    ]
    assert told[0][:3] == ("command", "refused", "INVALID_PARAMS")


async def test_the_owner_is_told_that_the_port_is_busy(page: Any, shell: Any) -> None:
    await page.call("ports.deliver", to=shell.id, data="read line")
    await until(lambda: shell.runtime.get("status") == "working")
    error = await page.refused("ports.deliver", to=shell.id, data="echo second")
    assert error.code is ErrorCode.BUSY
