"""Files of a workspace through the whole server: what cards and the owner get, and what they are refused."""

# ruff: noqa: ASYNC221, ASYNC240 - the files are the tests' own and few, and mounting takes no time

from __future__ import annotations

import base64
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.limits import limit

from .conftest import Filer

MIB = 1 << 20


async def test_a_file_is_described(filer: Filer, folder: Path) -> None:
    (folder / "a.txt").write_text("hello")
    info = (folder / "a.txt").stat()
    assert await filer.call("fs.stat", path="a.txt") == {
        "path": "a.txt",
        "type": "file",
        "size": 5,
        "mtimeMs": info.st_mtime_ns / 1e6,
    }
    assert (await filer.call("fs.stat", path=""))["type"] == "directory"
    assert (await filer.call("fs.stat", path="./a.txt"))["path"] == "a.txt"
    (folder / "sub").mkdir()
    assert (await filer.call("fs.stat", path=".\\sub\\"))["path"] == "sub"


async def test_what_is_missing_is_an_error_with_its_reason_and_the_path_as_given(filer: Filer, folder: Path) -> None:
    (folder / "a.txt").write_text("x")
    (folder / "sub").mkdir()
    for method, path, reason in (
        ("fs.stat", "none", "not_found"),
        ("fs.read", "sub", "is_a_directory"),
        ("fs.list", "a.txt", "not_a_directory"),
        ("fs.stat", "a.txt/b", "not_a_directory"),
        ("fs.mkdir", "sub", "exists"),
        ("fs.mkdir", "none/sub", "not_found"),
        ("fs.trash", "none", "not_found"),
    ):
        error = await filer.refused(method, path=path)
        assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": reason})
        assert repr(path) in error.message
        assert str(folder) not in error.message


async def test_a_list_names_files_with_sizes_and_folders_without(filer: Filer, folder: Path) -> None:
    (folder / "b").mkdir()
    (folder / "b" / "c.txt").write_text("123")
    (folder / "a.txt").write_text("12")
    assert await filer.call("fs.list", path="") == {
        "entries": [{"path": "a.txt", "type": "file", "size": 2}, {"path": "b", "type": "directory"}],
        "truncated": False,
    }
    assert await filer.call("fs.list", path="", recursive=True, maxEntries=3) == {
        "entries": [
            {"path": "a.txt", "type": "file", "size": 2},
            {"path": "b", "type": "directory"},
            {"path": "b/c.txt", "type": "file", "size": 3},
        ],
        "truncated": False,
    }
    assert await filer.call("fs.list", path="b", maxEntries=1) == {
        "entries": [{"path": "b/c.txt", "type": "file", "size": 3}],
        "truncated": False,
    }


async def test_a_long_list_is_cut_and_says_so(filer: Filer, folder: Path) -> None:
    for number in range(12):
        (folder / f"{number:02}").write_text("")
    found = await filer.call("fs.list", path="", maxEntries=10)
    assert (len(found["entries"]), found["truncated"]) == (10, True)
    assert (await filer.call("fs.list", path="", maxEntries=12))["truncated"] is False


async def test_a_recursive_list_leaves_git_and_node_modules_out_unless_asked_for_inside(
    filer: Filer, folder: Path
) -> None:
    for inside in (".git/hooks", "node_modules/left/node_modules/pad", "src/node_modules/x"):
        (folder / inside).mkdir(parents=True)
    listed = await filer.call("fs.list", path="", recursive=True)
    assert [entry["path"] for entry in listed["entries"]] == ["src"]
    listed = await filer.call("fs.list", path="node_modules", recursive=True)
    assert [entry["path"] for entry in listed["entries"]] == [
        "node_modules/left",
        "node_modules/left/node_modules",
        "node_modules/left/node_modules/pad",
    ]
    assert [entry["path"] for entry in (await filer.call("fs.list", path=""))["entries"]] == [
        ".git",
        "node_modules",
        "src",
    ]


async def test_a_list_does_not_enter_links_and_leaves_out_what_leads_nowhere(
    filer: Filer, folder: Path, tmp_path: Path
) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "x").write_text("1")
    for name, target in (("in", "real"), ("file", "real/x"), ("out", tmp_path), ("broken", "none"), ("loop", "loop")):
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "fifo")
    listed = await filer.call("fs.list", path="", recursive=True)
    assert listed["entries"] == [
        {"path": "file", "type": "file", "size": 1},
        {"path": "in", "type": "directory"},
        {"path": "real", "type": "directory"},
        {"path": "real/x", "type": "file", "size": 1},
    ]
    assert (await filer.call("fs.list", path="in"))["entries"] == [{"path": "in/x", "type": "file", "size": 1}]


async def test_a_file_is_read_as_text_or_base64_whole_or_its_beginning(filer: Filer, folder: Path) -> None:
    (folder / "a.txt").write_bytes("añb€".encode())
    assert await filer.call("fs.read", path="a.txt") == {
        "data": "añb€",
        "encoding": "utf8",
        "size": 7,
        "truncated": False,
    }
    assert await filer.call("fs.read", path="a.txt", maxBytes=6) == {
        "data": "añb",  # the cut went through the euro sign
        "encoding": "utf8",
        "size": 7,
        "truncated": True,
    }
    (folder / "b.bin").write_bytes(b"\x00\xff\xfe")
    found = await filer.call("fs.read", path="b.bin", encoding="base64")
    assert base64.b64decode(found["data"]) == b"\x00\xff\xfe"
    assert (await filer.call("fs.read", path="b.bin"))["data"] == "\x00\ufffd\ufffd"


async def test_ten_mebibytes_travel_as_base64_and_more_are_cut(filer: Filer, folder: Path) -> None:
    content = os.urandom(limit("fsReadBytes"))
    (folder / "big").write_bytes(content)
    found = await filer.call("fs.read", path="big", encoding="base64")
    assert base64.b64decode(found["data"]) == content
    (folder / "bigger").write_bytes(content + b"x")
    found = await filer.call("fs.read", path="bigger", encoding="base64")
    assert (found["size"], found["truncated"]) == (len(content) + 1, True)
    assert base64.b64decode(found["data"]) == content


async def test_a_text_that_grows_on_the_wire_is_too_large_for_the_owner_as_well(
    filer: Filer, page: Any, workspace_id: str, folder: Path
) -> None:
    (folder / "zeros").write_bytes(bytes(4 * MIB))  # each becomes six characters of JSON
    assert (await filer.refused("fs.read", path="zeros")).code is ErrorCode.TOO_LARGE
    assert (await page.refused("files.read", workspaceId=workspace_id, path="zeros")).code is ErrorCode.TOO_LARGE
    found = await page.call("files.read", workspaceId=workspace_id, path="zeros", encoding="base64")
    assert base64.b64decode(found["data"]) == bytes(4 * MIB)


async def test_base64_writes_end_near_nine_mebibytes_and_the_error_says_so(filer: Filer) -> None:
    fits = base64.b64encode(bytes(9 * MIB - 1024)).decode()
    assert (await filer.call("fs.write", path="big", data=fits, encoding="base64"))["size"] == 9 * MIB - 1024
    error = await filer.refused("fs.write", path="big", data="A" * (12 * MIB), encoding="base64")
    assert error.code is ErrorCode.TOO_LARGE
    assert "9 MiB" in error.message


async def test_a_text_over_ten_mebibytes_is_too_large(filer: Filer, folder: Path) -> None:
    error = await filer.refused("fs.write", path="big", data="€" * (4 * MIB))
    assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": "too_large"})
    assert list(folder.iterdir()) == []


async def test_a_file_is_written_whole_and_described(filer: Filer, folder: Path) -> None:
    made = await filer.call("fs.write", path="a.txt", data="one")
    assert made == await filer.call("fs.stat", path="a.txt")
    assert (folder / "a.txt").read_text() == "one"
    await filer.call("fs.write", path="a.txt", data=base64.b64encode(b"\xff\x00").decode(), encoding="base64")
    assert (folder / "a.txt").read_bytes() == b"\xff\x00"
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


async def test_writing_keeps_mode_and_owner_and_never_rights_to_run_as_somebody(filer: Filer, folder: Path) -> None:
    file = folder / "run.sh"
    file.write_text("old")
    file.chmod(0o4750)
    owner = (1234, 2345) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(file, *owner)
    file.chmod(0o4750)
    await filer.call("fs.write", path="run.sh", data="new")
    info = file.stat()
    assert (stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid) == (0o750, *owner)


async def test_a_disk_that_takes_no_more_is_an_error_and_the_old_file_stays(filer: Filer, folder: Path) -> None:
    await filer.call("fs.write", path="f", data="old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        error = await filer.refused("fs.write", path="f", data="x" * 200_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": "io"})
    assert "'f'" in error.message
    assert str(folder) not in error.message
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("f", "old")]


async def test_a_full_disk_says_so(filer: Filer, folder: Path) -> None:
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("mounting a small disk takes root on Linux")
    (folder / "disk").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(folder / "disk")]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("nothing may be mounted here")
    try:
        await filer.call("fs.write", path="disk/f", data="old")
        error = await filer.refused("fs.write", path="disk/f", data="x" * 200_000)
        assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": "io"})
        assert "the disk is full" in error.message
        assert (await filer.call("fs.read", path="disk/f"))["data"] == "old"
    finally:
        subprocess.run(["umount", str(folder / "disk")], check=True)


async def test_missing_folders_are_made_when_asked_for(filer: Filer, folder: Path) -> None:
    error = await filer.refused("fs.write", path="a/b/c.txt", data="x")
    assert error.data == {"reason": "not_found"}
    assert (await filer.call("fs.write", path="a/b/c.txt", data="x", createDirs=True))["path"] == "a/b/c.txt"
    assert (folder / "a/b/c.txt").read_text() == "x"
    assert (await filer.call("fs.mkdir", path="a/d"))["type"] == "directory"


async def test_a_write_that_expects_an_older_file_is_a_conflict_with_the_current_time(
    filer: Filer, folder: Path
) -> None:
    first = await filer.call("fs.write", path="a.txt", data="one")
    second = await filer.call("fs.write", path="a.txt", data="two", ifMtimeMs=first["mtimeMs"])
    assert second["mtimeMs"] > first["mtimeMs"]
    error = await filer.refused("fs.write", path="a.txt", data="three", ifMtimeMs=first["mtimeMs"])
    assert error.code is ErrorCode.FS_ERROR
    assert error.data == {"reason": "conflict", "conflict": True, "mtimeMs": second["mtimeMs"]}
    assert (folder / "a.txt").read_text() == "two"
    (folder / "a.txt").unlink()
    error = await filer.refused("fs.write", path="a.txt", data="three", ifMtimeMs=second["mtimeMs"])
    assert error.data == {"reason": "conflict", "conflict": True, "mtimeMs": None}
    assert list(folder.iterdir()) == []


async def test_writing_through_a_link_inside_writes_its_target_and_keeps_the_link(filer: Filer, folder: Path) -> None:
    (folder / "real.txt").write_text("old")
    (folder / "relative").symlink_to("real.txt")
    (folder / "absolute").symlink_to(folder / "real.txt")
    for name in ("relative", "absolute"):
        made = await filer.call("fs.write", path=name, data=name)
        assert made["path"] == name
        assert (folder / name).is_symlink()
        assert (folder / "real.txt").read_text() == name
        assert (await filer.call("fs.read", path=name))["data"] == name


async def test_what_is_thrown_away_goes_to_the_trash(filer: Filer, folder: Path, trashed: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "x").write_text("kept")
    (folder / "real").write_text("stays")
    (folder / "link").symlink_to("real")
    assert await filer.call("fs.trash", path="sub") is None
    assert await filer.call("fs.trash", path="link") is None
    assert (trashed / "sub" / "x").read_text() == "kept"
    assert os.readlink(trashed / "link" / "link") == "real"
    assert [path.name for path in folder.iterdir()] == ["real"]


@pytest.mark.usefixtures("standing_clock")
async def test_sixty_things_a_minute_may_be_thrown_away(filer: Filer, folder: Path, trashed: Path) -> None:
    for number in range(60):
        (folder / str(number)).write_text("")
        await filer.call("fs.trash", path=str(number))
    assert (await filer.refused("fs.trash", path="60")).code is ErrorCode.RATE_LIMITED
    assert len(list(trashed.iterdir())) == 60


async def test_what_the_trash_does_not_take_stays_where_it_was(filer: Filer, folder: Path, app: App) -> None:
    def refuse(_: str) -> None:
        raise OSError(5, "no trash here")

    app.files.trash.send = refuse
    (folder / "a").write_text("kept")
    error = await filer.refused("fs.trash", path="a")
    assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": "io"})
    assert (folder / "a").read_text() == "kept"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "C:\\x", "a/../b", "nul", "a\x00b", "\ud800", "a//b", "x."])
async def test_a_text_that_is_no_path_of_a_workspace_is_denied(filer: Filer, path: str) -> None:
    for method in ("fs.stat", "fs.list", "fs.read", "fs.mkdir", "fs.trash"):
        error = await filer.refused(method, path=path)
        assert (error.code, error.data) == (ErrorCode.FS_DENIED, {"reason": "path"})
    assert (await filer.refused("fs.write", path=path, data="")).data == {"reason": "path"}


async def test_protected_files_can_be_read_and_never_written(filer: Filer, folder: Path, trashed: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[core]")
    (folder / "docs").symlink_to(".git")
    (folder / "AGENTS.md").write_text("be kind")
    for path in (".git/config", "docs/config", "AGENTS.md", "agents.MD", "sub/.vscode/tasks.json", "GIT~1/config"):
        for method, more in (("fs.write", {"data": "x", "createDirs": True}), ("fs.mkdir", {}), ("fs.trash", {})):
            error = await filer.refused(method, path=path, **more)
            assert (error.code, error.data) == (ErrorCode.FS_DENIED, {"reason": "protected"}), (method, path)
    assert (await filer.call("fs.read", path="docs/config"))["data"] == "[core]"
    assert sorted(path.name for path in folder.iterdir()) == [".git", "AGENTS.md", "docs"]


async def test_the_workspace_folder_itself_is_not_written(filer: Filer, folder: Path) -> None:
    changes: tuple[tuple[str, dict[str, Any]], ...] = (("fs.write", {"data": ""}), ("fs.mkdir", {}), ("fs.trash", {}))
    for method, more in changes:
        error = await filer.refused(method, path=".", **more)
        assert (error.code, error.data) == (ErrorCode.FS_DENIED, {"reason": "path"})


async def test_permissions_are_asked_for(filer: Filer, folder: Path) -> None:
    (folder / "a").write_text("x")
    filer.grant("fs.read")
    assert (await filer.call("fs.read", path="a"))["data"] == "x"
    assert (await filer.refused("fs.write", path="a", data="")).data == {"permission": "fs.write"}
    filer.grant()
    assert (await filer.refused("fs.list", path="")).data == {"permission": "fs.read"}
    filer.grant("fs.write")
    assert (await filer.call("fs.read", path="a"))["data"] == "x"


async def test_a_workspace_around_the_home_folder_or_our_data_gives_no_access(
    page: Any, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "homes" / "me"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for number, path in enumerate(("/", home, home.parent, tmp_path, app.settings.data_folder)):
        made = await page.call("workspace.create", name=f"w{number}", path=str(path))
        for method in ("files.list", "files.stat", "files.trash", "files.watch"):
            error = await page.refused(method, workspaceId=made["id"], path="x")
            assert (error.code, error.data) == (ErrorCode.FS_DENIED, {"reason": "closed"})
            assert str(tmp_path) not in error.message
    inside = home / "project"
    inside.mkdir()
    (inside / "a").write_text("x")
    made = await page.call("workspace.create", name="inside", path=str(inside))
    assert (await page.call("files.read", workspaceId=made["id"], path="a"))["data"] == "x"


async def test_the_owner_has_the_same_files_by_the_same_rules(
    page: Any, workspace_id: str, folder: Path, trashed: Path
) -> None:
    here = {"workspaceId": workspace_id}
    await page.call("files.mkdir", **here, path="sub")
    made = await page.call("files.write", **here, path="sub/a.txt", data="one")
    assert await page.call("files.stat", **here, path="sub/a.txt") == made
    assert (await page.call("files.read", **here, path="sub/a.txt"))["data"] == "one"
    assert [one["path"] for one in (await page.call("files.list", **here, path="", recursive=True))["entries"]] == [
        "sub",
        "sub/a.txt",
    ]
    await page.call("files.trash", **here, path="sub")
    assert (trashed / "sub" / "a.txt").exists()
    assert (await page.refused("files.write", **here, path=".git/x", data="")).data == {"reason": "protected"}
    assert (await page.refused("files.read", workspaceId="w_none", path="a")).code is ErrorCode.NOT_FOUND


async def test_a_workspace_whose_folder_is_gone_says_so(filer: Filer, folder: Path) -> None:
    folder.rmdir()
    error = await filer.refused("fs.list", path="")
    assert (error.code, error.data) == (ErrorCode.FS_ERROR, {"reason": "not_found"})
    assert str(folder) not in error.message


async def test_content_that_is_no_text_or_no_base64_is_refused(filer: Filer, folder: Path) -> None:
    for data, encoding in (("\ud800", "utf8"), ("a", "base64"), ("é", "base64"), ("Zm9v\n", "base64")):
        error = await filer.refused("fs.write", path="a", data=data, encoding=encoding)
        assert error.code is ErrorCode.INVALID_PARAMS
        assert error.data[0]["path"] == "/data"  # type: ignore[index, call-overload]
    assert list(folder.iterdir()) == []
