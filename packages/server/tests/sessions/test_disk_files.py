"""The files of a workspace on disk keep the contract, stay inside, and tell what changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.features.sessions.disk_files import DiskFiles
from cardloom_protocol.session import BadRequest, Conflict, NotFound, SessionError, opened
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.testing import contract_workspace
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.memory_backend import MemoryBackend
from cardloom_sdk.testing.session_clients import HostClient

ABOUT_FILES = "workspace.files.write"
ROWS = [row for row in rows() if row.check.__module__ == contract_workspace.__name__ and ABOUT_FILES in row.needs]
CAP_S = 60.0


class OneWorkspace:
    """A workspace over one folder."""

    def __init__(self, files: DiskFiles) -> None:
        self.files = files


@pytest.fixture
async def files(tmp_path: Path) -> AsyncIterator[DiskFiles]:
    folder = tmp_path / "work"
    folder.mkdir()
    made = DiskFiles(str(folder))
    yield made
    await made.close()


@pytest.mark.parametrize("row", ROWS, ids=[row.check.__name__ for row in ROWS])
async def test_files_on_disk_keep_the_contract(row: Row, files: DiskFiles) -> None:
    backend: Any = MemoryBackend()
    backend.workspace = OneWorkspace(files)
    async with asyncio.timeout(CAP_S):
        await row.check(Subject(HostClient(BackendHost(backend)), {}))


async def test_links_never_lead_out(files: DiskFiles, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "inside.txt").write_text("x")
    os.symlink(tmp_path / "secret.txt", folder / "out.txt")
    os.symlink(tmp_path, folder / "up")
    os.symlink("inside.txt", folder / "in.txt")
    for path in ("out.txt", "up/secret.txt"):
        with pytest.raises(SessionError) as refused:
            await files.read(path)
        assert refused.value.code == "bad_request"
        assert str(tmp_path) not in refused.value.message
    with pytest.raises(SessionError):
        await files.write("up/new.txt", "x")
    with pytest.raises(SessionError):
        await files.write("out.txt", "x")
    assert (tmp_path / "secret.txt").read_text() == "secret"
    assert (await files.read("in.txt"))["content"] == "x"
    await files.delete("out.txt")
    assert (tmp_path / "secret.txt").exists()


async def test_half_a_character_is_no_path(files: DiskFiles) -> None:
    await files.write("a.txt", "x")
    for refused in (
        files.list("\ud800"),
        files.stat("\ud800"),
        files.read("in/\ud800.txt"),
        files.write("\ud800", "x"),
        files.delete("\ud800"),
        files.rename("\ud800", "b.txt"),
        files.rename("a.txt", "\ud800"),
    ):
        with pytest.raises(BadRequest, match="half a character"):
            await refused
    assert (await files.read("a.txt"))["content"] == "x"


async def test_protected_names_stay_as_they_are(files: DiskFiles, tmp_path: Path) -> None:
    hook = tmp_path / "work" / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\n")
    for work in (files.write(".git/hooks/pre-commit", "x"), files.delete(".git"), files.rename(".git", "git")):
        with pytest.raises(SessionError):
            await work
    assert hook.read_text() == "#!/bin/sh\n"


async def test_what_version_control_leaves_out_is_marked(files: DiskFiles, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / ".gitignore").write_text("*.log\nbuild/\n")
    for name in ("a.log", "b.txt"):
        (folder / name).write_text("x")
    (folder / "build").mkdir()
    marks = {entry["name"]: entry.get("ignored", False) for entry in await files.list("")}
    assert marks == {".gitignore": False, "a.log": True, "b.txt": False, "build": True}


async def test_a_deleted_file_lies_whole_in_the_trash(files: DiskFiles, tmp_path: Path) -> None:
    await files.write("deep/er/a.txt", "kept")
    await files.delete("deep/er/a.txt")
    (found,) = (tmp_path / "work" / ".nr-trash").glob("*/deep/er/a.txt")
    assert found.read_text() == "kept"


async def test_only_what_matters_is_told(files: DiskFiles, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / ".gitignore").write_text("*.log\n")
    told: list[str] = []
    news = asyncio.Event()

    def listen(event: Any) -> None:
        told.extend(event["paths"])
        news.set()

    async def until(path: str) -> None:
        async with asyncio.timeout(CAP_S):
            while path not in told:
                news.clear()
                await news.wait()

    unsubscribe = files.watch(listen)
    await until("")
    told.clear()
    (folder / "ignored.log").write_text("x")
    (folder / "seen.txt").write_text("x")
    await until("seen.txt")
    await files.delete("seen.txt")
    await until(".nr-trash")
    assert "ignored.log" not in told
    assert not any(path.startswith(".nr-trash/") for path in told)
    unsubscribe()


async def test_the_engine_works_in_the_workspaces_that_are_open(app: App, page: Any, workspace_id: str) -> None:
    current: Any = opened(await page.call("session.workspace"))
    assert current["id"] == workspace_id
    entry: Any = opened(await page.call("session.writeFile", path="from-chat.txt", content="x", ifRevision=None))
    listed: Any = opened(await page.call("session.files"))
    assert {"from-chat.txt": 1}.items() <= {one["name"]: one.get("size") for one in listed}.items()
    assert current["path"]
    with pytest.raises(Conflict):
        opened(await page.call("session.writeFile", path="from-chat.txt", content="y", ifRevision=None))
    assert entry["revision"]
    with pytest.raises(NotFound):
        opened(await page.call("session.switchWorkspace", id="ghost"))


async def test_a_workspace_that_is_switched_is_told_to_every_page(page: Any, clients: Any, tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    made = await page.call("workspace.create", name="Another", path=str(tmp_path / "another"))
    other = await clients.page()
    opened(await page.call("session.switchWorkspace", id=made["id"]))
    await other.event("session.engineChanged", lambda _: True)
    current: Any = opened(await other.call("session.workspace"))
    assert current["id"] == made["id"]
