"""Each built-in tool does its work through the dispatcher, and reaches no card that no arrow joins."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from cardloom.transport.mcp.builtin import BUILT_INS
from cardloom.transport.mcp.canvas_tools import CANVAS_TOOLS
from cardloom.transport.mcp.file_tools import FILE_TOOLS
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.callers import AGENT_METHODS, Caller, CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId
from cardloom_protocol.manifest.names import BUILTIN_TOOLS
from cardloom_protocol.methods import CANVAS_METHODS, CARD_METHODS

from .seat import CAP_S, Seat, refused, seat_of, tools_of, use

# A watch begins in a thread, so one test looks again and again.
# ruff: noqa: ASYNC110


@pytest.fixture
async def seat(desk: Any, listening: Any) -> Seat:
    return await seat_of(desk, listening)


@pytest.fixture
async def client(seat: Seat) -> AsyncIterator[Client]:
    """A client that lives in a task of its own: it has to end in the one that began it."""
    begun: asyncio.Queue[Client] = asyncio.Queue()
    done = asyncio.Event()

    async def live() -> None:
        async with seat.client("legacy") as client:
            begun.put_nowait(client)
            await done.wait()

    living = asyncio.create_task(live())
    async with asyncio.timeout(CAP_S):
        yielded = await begun.get()
    yield yielded
    done.set()
    await living


async def test_notes(desk: Any, seat: Seat, client: Client) -> None:
    note = await desk.add("note", content={"text": "one"})
    assert not {"note_read", "note_write", "note_append"} & set(await tools_of(client))
    await seat.join(note)
    assert await use(client, "note_read") == "one"
    assert await use(client, "note_append", text="two") == "OK"
    assert desk.card(note)["content"]["text"] == "one\n\ntwo"
    assert await use(client, "note_write", text="new") == "OK"
    assert await use(client, "note_read") == "new"
    assert (await refused(client, "note_write")).startswith("INVALID_PARAMS")


async def test_two_notes_are_told_apart(desk: Any, seat: Seat, client: Client) -> None:
    one, two = await desk.add("note", title="A"), await desk.add("note", title="B")
    await seat.join(one)
    await seat.join(two)
    await use(client, "note_write", card="B", text="b")
    assert [desk.card(card)["content"].get("text", "") for card in (one, two)] == ["", "b"]
    assert "choose one" in await refused(client, "note_read")


async def test_to_do_lists(desk: Any, seat: Seat, client: Client) -> None:
    todo = await desk.add("todo")
    await seat.join(todo)
    await use(client, "todo_add", text="a")
    await use(client, "todo_add", text="b", status="active")
    items = json.loads(await use(client, "todo_read"))["items"]
    assert [(item["text"], item["status"]) for item in items] == [("a", "pending"), ("b", "active")]
    await use(client, "todo_set", id=items[0]["id"], status="done")
    await use(client, "todo_remove", id=items[1]["id"])
    assert [(item["text"], item["status"]) for item in desk.card(todo)["content"]["items"]] == [("a", "done")]
    await use(client, "todo_write", items=[{"text": "x"}, {"text": "y", "status": "error"}])
    assert [item["text"] for item in desk.card(todo)["content"]["items"]] == ["x", "y"]
    assert (await refused(client, "todo_remove", id="i_none")).startswith("NOT_FOUND")


async def test_task_boards(desk: Any, seat: Seat, client: Client) -> None:
    board = await desk.add("kanban")
    await seat.join(board)
    await use(client, "kanban_write", columns=["Now", "Later"], tasks=[{"text": "a", "column": "Later"}])
    await use(client, "kanban_add", text="b")
    read = json.loads(await use(client, "kanban_read"))
    titles = {column["id"]: column["title"] for column in read["columns"]}
    placed = {task["text"]: titles[task["column"]] for task in read["tasks"]}
    assert placed == {"a": "Later", "b": "Now"}
    ids = {task["text"]: task["id"] for task in read["tasks"]}
    await use(client, "kanban_move", id=ids["b"], column="Later")
    await use(client, "kanban_remove", id=ids["a"])
    (left,) = desk.card(board)["content"]["tasks"]
    assert (left["text"], titles[left["column"]]) == ("b", "Later")
    assert "'Now'" in await refused(client, "kanban_move", id=ids["b"], column="Never")


async def test_terminals(
    desk: Any, seat: Seat, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # a shell without anybody's start-up files
    shell = await desk.add("terminal", content={"shell": "shell-bash"})
    assert "terminal_run" not in await tools_of(client), "its own terminal is no joined one"
    await seat.join(shell)
    ran = json.loads(await use(client, "terminal_run", command="echo wo''ven"))
    assert (ran["exitCode"], ran["output"].strip()) == (0, "woven")
    assert "woven" in await use(client, "terminal_read")
    assert await use(client, "terminal_send_keys", text="true", submit=True) == "OK"


async def test_agents(desk: Any, seat: Seat, client: Client) -> None:
    other = await desk.add("terminal", title="Codex")
    await seat.join(other)
    assert "agent_send" not in await tools_of(client), "a shell is no agent"
    directory = desk.app.directory
    info = replace(directory.get(other), kind="ai", status=AgentStatus.WORKING)
    directory.put(desk.id, CardId(other), info)
    assert {"agent_read", "agent_send", "agent_wait"} <= set(await tools_of(client))
    nobody_there = ("UNAVAILABLE", "NOT_FOUND")  # the terminal only says of itself that an agent sits at it
    assert (await refused(client, "agent_read")).startswith(nobody_there)
    assert (await refused(client, "agent_send", text="hi")).startswith(nobody_there)
    assert (await refused(client, "agent_wait", timeoutMs=1000)).startswith("TIMEOUT")
    waiting = asyncio.create_task(use(client, "agent_wait"))
    directory.put(desk.id, CardId(other), replace(info, status=AgentStatus.FINISHED))
    assert json.loads(await waiting) == {"status": "finished"}


async def test_the_canvas_is_listed_with_what_the_agent_may_use(desk: Any, seat: Seat, client: Client) -> None:
    near, far = await desk.add("note", title="Near"), await desk.add("todo", title="Far")
    await seat.join(near)
    listed = json.loads(await use(client, "canvas_list"))
    assert listed["self"] == seat.id
    connected = {card["id"]: card["connected"] for card in listed["cards"]}
    assert connected == {seat.id: False, near: True, far: False}
    assert [(arrow["a"], arrow["b"], arrow["pending"]) for arrow in listed["arrows"]] == [(seat.id, near, False)]
    (peer,) = json.loads(await use(client, "ports_list"))["peers"]
    assert peer["cardId"] == near


async def test_an_arrow_that_an_agent_draws_waits_for_the_owner(desk: Any, seat: Seat, client: Client) -> None:
    note = await desk.add("note")
    made = json.loads(await use(client, "canvas_connect", b=note, direction="both"))
    assert made["pending"] is True
    arrow = desk.app.graph.arrow(made["arrowId"])
    assert (arrow.drawn_by.kind, arrow.drawn_by.id, arrow.direction) == ("agent", seat.id, "both")
    assert (await refused(client, "note_read")).startswith("NOT_FOUND")
    assert await use(client, "canvas_disconnect", arrow=arrow.id) == "OK"
    owners = await seat.join(note)
    assert (await refused(client, "canvas_disconnect", arrow=owners)).startswith("NOT_FOUND")
    assert desk.app.graph.find_arrow(owners) is not None
    assert (await refused(client, "canvas_connect", b="c_none")).startswith("NOT_FOUND")


async def test_an_agent_reaches_no_other_canvas(desk: Any, seat: Seat, client: Client, tmp_path: Any) -> None:
    (tmp_path / "other").mkdir()
    made = await desk.page.call("workspace.create", name="Other", path=str(tmp_path / "other"))
    far = await desk.page.call("canvas.addCard", workspaceId=made["id"], kind="note", x=0, y=0)
    assert (await refused(client, "canvas_connect", b=far["id"])).startswith("NOT_FOUND")
    assert far["id"] not in await use(client, "canvas_list")


async def test_an_agent_removes_what_it_added_and_nothing_else(desk: Any, seat: Seat, client: Client) -> None:
    mine = await desk.add("note")
    await seat.join(mine)
    made = json.loads(await use(client, "canvas_spawn_card", kind="note", title="Found", text="hi", connect=True))
    assert made["pending"] is True
    card = desk.card(made["cardId"])
    assert (card["name"], card["content"]["text"]) == ("Found", "hi")
    assert (await refused(client, "canvas_remove_card", id=mine)).startswith("NOT_FOUND")
    assert await use(client, "canvas_remove_card", id=made["cardId"]) == "OK"
    assert desk.app.graph.find_card(made["cardId"]) is None
    assert desk.app.graph.find_card(mine) is not None
    assert (await refused(client, "canvas_spawn_card", kind="terminal")).startswith("INVALID_PARAMS")


async def test_files_of_the_workspace_are_read_and_written_behind_the_fence(
    desk: Any, seat: Seat, client: Client
) -> None:
    folder = Path(desk.app.graph.workspace(desk.id).path)
    (folder / "README.md").write_text("# Tides\n")
    (folder / ".git").mkdir()
    (folder / "away").symlink_to(folder.parent)
    assert await use(client, "fs_read", path="README.md") == "# Tides\n"
    assert json.loads(await use(client, "fs_read", path="README.md", maxBytes=3))["truncated"] is True
    assert json.loads(await use(client, "fs_read", path="README.md", encoding="base64"))["data"] == "IyBUaWRlcwo="
    await use(client, "fs_mkdir", path="notes")
    before = json.loads(await use(client, "fs_write", path="notes/a.md", data="one"))
    assert json.loads(await use(client, "fs_stat", path="notes/a.md")) == before
    await use(client, "fs_write", path="notes/a.md", data="two", ifMtimeMs=before["mtimeMs"])
    conflict = await refused(client, "fs_write", path="notes/a.md", data="three", ifMtimeMs=before["mtimeMs"])
    assert conflict.startswith("FS_ERROR")
    now = json.loads(await use(client, "fs_stat", path="notes/a.md"))["mtimeMs"]
    assert json.loads(conflict.splitlines()[-1]) == {"reason": "conflict", "conflict": True, "mtimeMs": now}
    assert (folder / "notes" / "a.md").read_text() == "two"
    listed = json.loads(await use(client, "fs_list", recursive=True))["entries"]
    assert {"README.md", "notes/a.md"} <= {entry["path"] for entry in listed}
    for path in ("../outside", "/etc/passwd", "away/x", ".git/config", ".mcp.json"):
        assert (await refused(client, "fs_write", path=path, data="x")).startswith("FS_DENIED"), path
    assert (await refused(client, "fs_read", path="gone")).startswith("FS_ERROR")
    desk.app.files.trash.send = lambda path: Path(path).unlink()
    assert await use(client, "fs_trash", path="notes/a.md") == "OK"
    assert not (folder / "notes" / "a.md").exists()


async def test_an_agent_waits_for_what_changes_below_a_path(desk: Any, seat: Seat, client: Client) -> None:
    folder = Path(desk.app.graph.workspace(desk.id).path)
    (folder / "notes").mkdir()
    waiting = asyncio.create_task(use(client, "fs_watch", path="notes", timeoutMs=60_000))
    async with asyncio.timeout(60):
        while not desk.app.files.watches.of(lambda one: one.watch is not None):
            await asyncio.sleep(0.01)
    (folder / "notes" / "b.md").write_text("new")
    assert "notes/b.md" in {change["path"] for change in json.loads(await waiting)["changes"]}
    assert not desk.app.files.watches.any
    assert json.loads(await use(client, "fs_watch", timeoutMs=1000)) == {"changes": []}
    assert (await refused(client, "fs_watch", path="../outside")).startswith("FS_DENIED")


async def test_an_agents_text_reaches_the_clipboard_through_an_open_page(
    desk: Any, seat: Seat, client: Client, page: Any
) -> None:
    await page.call("client.presence", workspaceId=desk.id, active=True, cards=[])
    copying = asyncio.create_task(use(client, "clipboard_write", text="one\ntwo"))
    asked = await page.event("clipboard.write")
    assert asked["text"] == "one\ntwo"
    await page.call("clipboard.written", writeId=asked["writeId"], ok=True)
    assert await copying == "OK"


async def test_a_cards_tool_never_stands_in_for_a_built_in_one(desk: Any, seat: Seat, client: Client) -> None:
    tool = {"name": "read", "description": "Mine.", "inputSchema": {"type": "object"}}
    card = await desk.enter(name="fs", tools=[tool])
    await seat.join(card.id)
    assert (await tools_of(client))["fs_read"].description == FILE_TOOLS["fs_read"].description
    assert (await refused(client, "fs_read", path="gone")).startswith("FS_ERROR")


async def test_the_gate_itself_keeps_an_agent_to_its_methods_and_arrows(desk: Any, seat: Seat) -> None:
    note = await desk.add("note")
    caller = Caller(CallerKind.AGENT, ConnectionId("n_1"), CardId(seat.id), desk.id)

    async def refusal(method: str, **params: Any) -> ErrorCode:
        with pytest.raises(CallError) as refused:
            await desk.app.dispatcher.dispatch(method, params, caller)
        return refused.value.code

    edit = {"cardId": note, "baseRevision": 0, "text": "x"}
    assert await refusal("note.edit", **edit) is ErrorCode.NOT_CONNECTED
    assert await refusal("terminals.run", agentId=seat.id, command="ls") is ErrorCode.NOT_CONNECTED
    for method in {*CANVAS_METHODS, *CARD_METHODS} - set(AGENT_METHODS):
        assert await refusal(method) is ErrorCode.METHOD_NOT_FOUND, method


def test_every_built_in_tool_has_a_name_that_cards_cannot_take() -> None:
    assert {*BUILT_INS, *CANVAS_TOOLS} <= set(BUILTIN_TOOLS)
    assert set(AGENT_METHODS) <= {*CANVAS_METHODS, *CARD_METHODS}


def test_every_promised_tool_of_a_kind_of_card_is_there() -> None:
    kinds = ("note", "todo", "kanban", "canvas", "terminal", "agent", "ports")
    promised = {name for name in BUILTIN_TOOLS if name.partition("_")[0] in kinds}
    assert promised - {*BUILT_INS, *CANVAS_TOOLS} == {"agent_set_model", "agent_switch_harness"}, "of agents themselves"


def test_the_guide_names_every_built_in_tool() -> None:
    guide = (Path(__file__).parents[4] / "docs" / "guides" / "tools-for-agents.md").read_text("utf-8")
    assert [name for name in (*BUILT_INS, *CANVAS_TOOLS, *FILE_TOOLS) if f"`{name}`" not in guide] == []
