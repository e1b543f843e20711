"""Packages taken out of folders."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from cardloom.host.folder_copy import take_folder
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import TreeLimits, tree_hash


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "dist").mkdir(parents=True)
    (folder / "neurosquad-card.json").write_text("{}")
    (folder / "dist" / "app.js").write_text("app")
    return folder


def copied(source: Path, **more: int) -> tuple[dict[str, bytes], tuple[str, ...]]:
    into = source.parent / "into"
    into.mkdir()
    taken = take_folder(source, into, limits=TreeLimits(**more))
    found = {path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    assert taken.files == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
    assert taken.total_bytes == sum(map(len, found.values()))
    return found, taken.warnings


def test_all_files_are_taken_with_their_paths(source: Path) -> None:
    assert copied(source) == ({"neurosquad-card.json": b"{}", "dist/app.js": b"app"}, ())


def test_looking_alone_gives_the_same_tree_and_writes_nothing(source: Path) -> None:
    looked = take_folder(source, None)
    before = sorted(source.parent.rglob("*"))
    assert tree_hash(looked.files) == tree_hash(take_folder(source, None).files)
    assert sorted(source.parent.rglob("*")) == before
    into = source.parent / "into"
    into.mkdir()
    assert tree_hash(take_folder(source, into).files) == tree_hash(looked.files)


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__"])
def test_what_is_no_part_of_the_package_is_left_out_at_any_depth(source: Path, name: str) -> None:
    for above in (source, source / "dist"):
        (above / name).mkdir()
        (above / name / "config").write_text("x")
    assert set(copied(source)[0]) == {"neurosquad-card.json", "dist/app.js"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links_and_pipes_are_left_out_with_a_warning_and_not_followed(source: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    (source / "file").symlink_to(secret / "key")
    (source / "folder").symlink_to(secret)
    (source / "loop").symlink_to(source)
    os.mkfifo(source / "pipe")
    found, warnings = copied(source)
    assert set(found) == {"neurosquad-card.json", "dist/app.js"}
    assert [warning.split()[0] for warning in warnings] == ["'file'", "'folder'", "'loop'", "'pipe'"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["a:b", "nul.txt", "end.", "back\\slash", "__ns"])
def test_a_name_that_no_package_may_have_refuses_the_folder(source: Path, name: str) -> None:
    (source / name).mkdir()
    (source / name / "x").write_text("x")
    with pytest.raises(CallError) as refusal:
        copied(source)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_text_refuses_the_folder(source: Path) -> None:
    (source / os.fsdecode(b"\xff")).write_text("x")
    with pytest.raises(CallError, match="Unicode"):
        copied(source)


def test_folders_without_end_are_refused(source: Path) -> None:
    (source / "/".join("d" * 30)).mkdir(parents=True)
    with pytest.raises(CallError, match="20 folders deep"):
        copied(source)


@pytest.mark.parametrize("limits", [{"files": 1}, {"file_bytes": 2}, {"total_bytes": 4}])
def test_what_is_too_much_is_refused(source: Path, limits: dict[str, int]) -> None:
    with pytest.raises(CallError) as refusal:
        copied(source, **limits)
    assert refusal.value.code is ErrorCode.TOO_LARGE


def test_an_empty_folder_is_no_package(tmp_path: Path) -> None:
    with pytest.raises(CallError) as refusal:
        take_folder(tmp_path, None)
    assert refusal.value.code is ErrorCode.NOT_FOUND
