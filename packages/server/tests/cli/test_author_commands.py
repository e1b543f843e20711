"""Beginning, checking, testing and packing a card from the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardloom.cli.authoring import new_card, pack_card, run_card_tests, validate_card
from cardloom.cli.console import UsageError
from cardloom.host.archive import unpack
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import tree_hash

KINDS = pytest.mark.parametrize("python", [True, False], ids=["python", "html"])
GITHUB_TOKEN = "ghp" + "_" + "a1B2" * 9


def begin(parent: Path, *, python: bool, name: str = "tide-clock") -> Path:
    new_card(name, parent, "python" if python else "html")
    return parent / name


def faults(error: CallError) -> list[tuple[str, str]]:
    data: Any = error.data
    return [(fault["path"], fault["keyword"]) for fault in data]


def change_manifest(folder: Path, **fields: Any) -> None:
    path = next(folder.glob("*-card.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@KINDS
def test_a_new_card_can_be_installed_as_it_is(tmp_path: Path, python: bool) -> None:
    answer = validate_card(begin(tmp_path, python=python))
    assert answer.data["name"] == "tide-clock"
    assert answer.data["kind"] == ("python" if python else "frame")
    assert answer.data["warnings"] == []


def test_a_new_page_is_one_file_on_the_sdk_that_the_canvas_serves(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    assert sorted(one.name for one in folder.iterdir()) == ["README.md", "index.html", "neurosquad-card.json"]
    assert 'from "./__ns/sdk.js"' in (folder / "index.html").read_text()


def test_a_new_page_takes_no_press_before_it_can_count(tmp_path: Path) -> None:
    page = (begin(tmp_path, python=False) / "index.html").read_text()
    assert re.search('<button [^>]*id="add" disabled>', page)
    assert page.index('add.addEventListener("click"') < page.index("add.disabled = false")


def test_a_new_python_card_passes_its_own_tests_and_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=True)
    before = validate_card(folder).data["treeHash"]
    done = subprocess.run(
        [sys.executable, "-m", "cardloom", "card", "test", str(folder), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
        timeout=120,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, {"passed": True}), done
    assert "1 passed" in done.stderr
    assert validate_card(folder).data["treeHash"] == before


def test_a_failing_test_fails_the_command(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=True)
    (folder / "tests" / "test_card.py").write_text("def test_no() -> None:\n    assert False\n")
    answer = run_card_tests(folder, as_json=False)
    assert (answer.exit_code, answer.data) == (1, {"passed": False})


def test_a_card_without_tests_is_told_so(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=True)
    (folder / "tests" / "test_card.py").unlink()
    with pytest.raises(UsageError, match="has no tests"):
        run_card_tests(folder, as_json=False)


def test_a_page_without_tests_is_told_how_to_write_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="@cardloom/card-sdk/testing"):
        run_card_tests(begin(tmp_path, python=False), as_json=False)


@pytest.mark.skipif(shutil.which("npm") is None, reason="the tests of a page run with npm")
@pytest.mark.parametrize("code", [0, 3])
def test_the_tests_of_a_page_are_those_of_its_own_script(tmp_path: Path, code: int) -> None:
    folder = begin(tmp_path, python=False)
    (folder / "package.json").write_text(json.dumps({"scripts": {"test": f'node -e "process.exit({code})"'}}))
    answer = run_card_tests(folder, as_json=True)
    assert (answer.data, answer.exit_code) == ({"passed": code == 0}, 1 if code else 0)


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "tide-clock").mkdir()
    with pytest.raises(UsageError, match="there already"):
        new_card("tide-clock", tmp_path, "html")
    assert list((tmp_path / "tide-clock").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "why"),
    [(name, "lower-case letters, digits and dashes") for name in ("Tide", "../tide", "t", "tide clock", "9tide")]
    + [("canvas", "is reserved"), ("neurosquad-clock", "neurosquad")],
)
def test_a_name_that_no_card_can_have_makes_no_folder_and_is_told_in_words(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises((CallError, UsageError), match=why):
        new_card(name, tmp_path, "python")
    assert list(tmp_path.iterdir()) == []


def test_every_fault_of_a_manifest_is_told_at_its_place(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    change_manifest(folder, version="one", displayName="", extra=1)
    with pytest.raises(CallError) as caught:
        validate_card(folder)
    assert {path for path, _ in faults(caught.value)} >= {"/manifest/version", "/manifest/displayName"}
    assert len(faults(caught.value)) == 3


def test_a_missing_page_is_told_at_the_field_that_names_it(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    (folder / "index.html").unlink()
    with pytest.raises(CallError) as caught:
        validate_card(folder)
    assert faults(caught.value) == [("/manifest/entry", "file")]


@KINDS
def test_what_was_packed_unpacks_to_the_hash_that_was_told(tmp_path: Path, python: bool) -> None:
    folder = begin(tmp_path, python=python)
    answer = pack_card(folder, None, dry_run=False)
    assert answer.data["archive"] == str(tmp_path.resolve() / "tide-clock-0.1.0.tar.gz")
    files = unpack(Path(answer.data["archive"]), tmp_path / "unpacked").files
    assert sorted(files) == answer.data["files"]
    assert tree_hash(files) == answer.data["treeHash"] == validate_card(folder).data["treeHash"]


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for parent in (one, two):
        parent.mkdir()
        folder = begin(parent, python=True)
        pack_card(folder, parent / "packed.tar.gz", dry_run=False)
        os.utime(folder / "card.py", (1, 1))
        (folder / "card.py").chmod(0o600)
        pack_card(folder, parent / "again.tar.gz", dry_run=False)
    archives = [parent / name for parent in (one, two) for name in ("packed.tar.gz", "again.tar.gz")]
    assert len({archive.read_bytes() for archive in archives}) == 1


def test_a_dry_run_tells_everything_and_writes_nothing(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    answer = pack_card(folder, None, dry_run=True)
    assert answer.data["dryRun"] is True
    assert answer.data["treeHash"] in answer.text
    assert [one.name for one in tmp_path.iterdir()] == ["tide-clock"]


def test_what_repositories_and_package_managers_keep_is_not_packed(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    expected = pack_card(folder, None, dry_run=True).data["files"]
    for name in (".git", "node_modules"):
        (folder / name).mkdir()
        (folder / name / "inside.txt").write_text("x")
    assert pack_card(folder, None, dry_run=True).data["files"] == expected


@pytest.mark.parametrize("name", [".env", ".env.local", "deploy.pem", "keys/id_ed25519", ".npmrc", ".ssh/config"])
def test_a_file_with_the_name_of_a_credential_stops_the_packing(tmp_path: Path, name: str) -> None:
    folder = begin(tmp_path, python=False)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("x")
    with pytest.raises(CallError) as caught:
        pack_card(folder, None, dry_run=False)
    assert faults(caught.value) == [(f"/files/{name}", "credential")]
    assert not list(tmp_path.glob("*.tar.gz"))


@pytest.mark.parametrize("text", [GITHUB_TOKEN, "-----BEGIN " + "OPENSSH PRIVATE KEY-----", "AKIA" + "Q7" * 8])
def test_a_credential_inside_a_file_stops_the_packing_and_is_not_shown(tmp_path: Path, text: str) -> None:
    folder = begin(tmp_path, python=False)
    (folder / "notes.txt").write_text(f"token = '{text}'\n")
    with pytest.raises(CallError) as caught:
        pack_card(folder, None, dry_run=True)
    assert faults(caught.value) == [("/files/notes.txt", "credential")]
    assert text not in caught.value.message + json.dumps(caught.value.data)


def test_an_example_of_an_environment_file_may_be_packed(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    (folder / ".env.example").write_text("TOKEN=\n")
    assert ".env.example" in pack_card(folder, None, dry_run=True).data["files"]


def test_an_archive_inside_its_own_package_is_refused(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    with pytest.raises(UsageError, match="place outside"):
        pack_card(folder, folder / "out.tar.gz", dry_run=False)
    assert not (folder / "out.tar.gz").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = begin(tmp_path, python=False)
    with pytest.raises(CallError, match="cannot be written") as caught:
        pack_card(folder, tmp_path / "missing" / "out.tar.gz", dry_run=False)
    assert caught.value.code is ErrorCode.FS_ERROR


def test_a_folder_that_is_not_there_is_a_wrong_argument(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        validate_card(tmp_path / "nowhere")


EXAMPLES = sorted(path.parent for path in (Path(__file__).parents[4] / "examples" / "cards").glob("*/*-card.json"))


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_can_be_installed_from_a_copy(tmp_path: Path, folder: Path) -> None:
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache", "node_modules"))
    assert validate_card(copy).data["warnings"] == []
    assert pack_card(copy, None, dry_run=True).data["name"] == folder.name
