"""Folders that vanish and disks that fill: each a clear error, nothing lost."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.features.canvas.folders import folder_problem
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A server that looks at its folders often."""
    return replace(Settings(tmp_path / "data"), folder_check_ms=20)


async def test_a_full_disk_refuses_the_edit_loses_nothing_and_heals(app: App, page: Any, workspace_id: str) -> None:
    note = await page.call("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0, content={"text": "kept"})
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    before = await page.call("canvas.snapshot", workspaceId=workspace_id)
    app.database.limit_pages(1)
    error = await page.refused(
        "canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0, content={"text": "x" * 200_000}
    )
    assert error.code is ErrorCode.UNAVAILABLE
    assert "full" in error.message
    assert await page.call("canvas.snapshot", workspaceId=workspace_id) == before
    assert [name for name, _ in page.events if name == "canvas.changed"] == []
    app.database.limit_pages(1_000_000)
    moved = await page.call("canvas.updateCard", cardId=note["id"], x=5)
    assert moved["x"] == 5
    assert {card.id for card in app.canvas.stored().cards} == {note["id"]}


async def test_a_folder_that_vanishes_is_told_and_so_is_its_return(
    page: Any, workspace_id: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    folder.rename(tmp_path / "away")
    change = await page.event("canvas.changed")
    problem = change["changes"][0]["fields"]["problem"]
    assert str(folder) in problem
    assert "does not exist" in problem
    listed = await page.event("workspace.changed", lambda data: data["workspaces"][0]["problem"])
    assert listed["workspaces"][0]["problem"] == problem
    note = await page.call("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
    assert note["id"], "the canvas itself goes on"
    (tmp_path / "away").rename(folder)
    await page.event("workspace.changed", lambda data: data["workspaces"][0]["problem"] is None)


async def test_a_workspace_over_something_that_is_no_folder_is_refused(page: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, reason in (("missing", "not_found"), ("file", "not_a_directory"), ("file/below", "not_found")):
        error = await page.refused("workspace.create", name="W", path=str(tmp_path / path))
        assert error.code is ErrorCode.FS_ERROR
        assert error.data == {"reason": reason}
        assert path in error.message
    error = await page.refused("workspace.create", name="W", path=str(tmp_path / "file"), createFolder=True)
    assert error.data == {"reason": "not_a_directory"}
    assert await page.call("workspace.list") == {"workspaces": []}


@pytest.mark.parametrize("path", ["relative", "", "a\0b", "/\ud800"])
async def test_a_path_that_cannot_be_meant_is_refused(page: Any, path: str) -> None:
    error = await page.refused("workspace.create", name="W", path=path)
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_missing_folder_is_made_when_asked_for(page: Any, tmp_path: Path) -> None:
    made = await page.call("workspace.create", name="W", path=str(tmp_path / "a" / "b"), createFolder=True)
    assert (tmp_path / "a" / "b").is_dir()
    assert made["problem"] is None
    assert made["open"] is True


async def test_removing_a_workspace_never_touches_its_folder(page: Any, workspace_id: str, tmp_path: Path) -> None:
    (tmp_path / "project" / "work.txt").write_text("mine")
    note = await page.call("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
    assert await page.call("workspace.remove", workspaceId=workspace_id) == {}
    assert (tmp_path / "project" / "work.txt").read_text() == "mine"
    assert (await page.refused("canvas.updateCard", cardId=note["id"], x=1)).code is ErrorCode.NOT_FOUND
    assert await page.call("workspace.list") == {"workspaces": []}


async def test_opening_closing_renaming_and_moving_a_workspace_is_told_to_every_page(
    clients: Any, page: Any, workspace_id: str, tmp_path: Path
) -> None:
    other = await clients.page()
    (tmp_path / "elsewhere").mkdir()
    closed = await page.call("workspace.close", workspaceId=workspace_id)
    assert closed["open"] is False
    assert await other.event("workspace.changed") == {"workspaces": [closed]}
    assert (await page.call("workspace.open", workspaceId=workspace_id))["open"] is True
    updated = await page.call(
        "workspace.update", workspaceId=workspace_id, name="New", path=str(tmp_path / "elsewhere"), strict=True
    )
    assert (updated["name"], updated["path"], updated["strict"]) == ("New", str(tmp_path / "elsewhere"), True)
    await other.event("workspace.changed", lambda data: data["workspaces"] == [updated])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_an_unreadable_folder_is_said_to_be_so(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    problem = folder_problem(str(tmp_path))
    tmp_path.chmod(0o700)
    assert problem is not None
    assert "permission denied" in problem


def test_each_trouble_with_a_folder_has_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert folder_problem(str(tmp_path)) is None
    assert "is not a folder" in (folder_problem(str(tmp_path / "file")) or "")
    for nothing in ("\0", "\ud800"):
        assert "names no folder" in (folder_problem(nothing) or "")

    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    assert "permission denied" in (folder_problem(str(tmp_path)) or "")
