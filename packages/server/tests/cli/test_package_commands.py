"""Packages from the command line, against a real server."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.cli.packages import whole_source

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="questions are asked on a terminal")

CAP_S = 60


class Cards:
    """Runs `cardloom card …` in a folder, on one data folder."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "CARDLOOM_HOME": str(home), "PYTHONUTF8": "1"}

    def __call__(self, *arguments: str, typed: str | None = None) -> tuple[int, str, str]:
        """Exit code, output and errors. `typed` is typed on a terminal; without, nobody is there to ask."""
        terminal, stdin = pty.openpty()
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "cardloom", "card", *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL if typed is None else stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            if typed is not None:
                os.write(terminal, typed.encode())
            out, err = process.communicate(timeout=CAP_S)
        finally:
            os.close(stdin)
            os.close(terminal)
        return process.returncode, out.strip(), err.strip()

    def json(self, *arguments: str, code: int = 0) -> Any:
        found = self(*arguments, "--json")
        assert found[0] == code, found
        return json.loads(found[1])

    def write(self, version: str = "1.0.0", *, permissions: list[Any] | None = None, name: str = "pantry") -> Path:
        """A package in a folder beside."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_text(f"<!doctype html><title>{version}</title>")
        manifest = {
            "manifestVersion": 1,
            "protocol": 1,
            "name": "pantry-watch",
            "displayName": "Pantry Watch",
            "version": version,
            "author": {"name": "Ann"},
            "permissions": permissions or [],
        }
        (folder / "neurosquad-card.json").write_text(json.dumps(manifest))
        return folder


@pytest.fixture
def cards(tmp_path: Path, start_server: Callable[[], Any]) -> Cards:
    """A command line with a server running."""
    start_server().wait_until_open()
    place = tmp_path / "place"
    place.mkdir()
    return Cards(tmp_path / "data", place)


def installed(cards: Cards) -> list[dict[str, Any]]:
    return [one for one in cards.json("list") if one["source"] is not None]


def test_a_package_is_shown_asked_for_and_installed(cards: Cards) -> None:
    cards.write(permissions=[{"id": "network", "hosts": ["a.example.org"], "reason": "Reads prices."}])
    code, out, err = cards("install", "pantry", typed="y\n")
    assert (code, "is installed as file:pantry-" in out) == (0, True)
    assert "Pantry Watch 1.0.0 (pantry-watch) by Ann" in err
    assert "network a.example.org (medium risk) – Reads prices." in err
    assert "a page in a sandboxed frame" in err
    (package,) = installed(cards)
    assert package["treeHash"] in err
    code, out, _ = cards("list")
    row = next(line for line in out.splitlines() if line.startswith("pantry-watch "))
    assert row.split() == ["pantry-watch", "1.0.0", "frame", "-", str(cards.folder / "pantry"), package["packageId"]]


def test_without_a_yes_nothing_is_installed(cards: Cards) -> None:
    cards.write()
    code, _, err = cards("install", "./pantry", typed="\n")
    assert (code, "nothing was changed" in err) == (2, True)
    code, _, err = cards("install", "./pantry")
    assert (code, "--yes" in err) == (2, True)
    assert installed(cards) == []


def test_every_fault_of_a_package_is_printed_with_its_place(cards: Cards) -> None:
    folder = cards.write()
    (folder / "neurosquad-card.json").write_text(json.dumps({"manifestVersion": 2, "name": "X"}))
    code, _, err = cards("install", "pantry", "--yes")
    assert code == 1
    for place in ("/manifest/manifestVersion", "/manifest/name", "/manifest/version", "/manifest/displayName"):
        assert f"  {place}: " in err


def test_a_folder_can_be_linked_and_a_repository_installed_at_a_ref(cards: Cards) -> None:
    folder = cards.write()
    linked = cards.json("install", "pantry", "--dev", "--yes")
    assert (linked["dev"], linked["packageId"][:4]) == (True, "dev:")
    run = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"], ["tag", "v1"]):
        subprocess.run([*run, *arguments], cwd=folder, check=True)
    tagged = cards.json("install", "pantry", "--ref", "v1", "--yes")
    assert len(tagged["commit"]) == 40
    code, _, err = cards("install", "pantry", "--ref", "v9", "--yes")
    assert (code, "no branch or tag 'v9'" in err) == (1, True)
    code, _, err = cards("install", ".", "--folder", "pantry", "--yes")
    assert (code, "another package named pantry-watch" in err) == (0, True)


def test_an_update_is_shown_and_what_it_asks_for_is_asked_for(cards: Cards) -> None:
    cards.write()
    cards.json("install", "pantry", "--yes")
    assert cards("update")[1] == "Every package is current."
    assert "is installed and current" in cards("update", "pantry-watch")[1]
    cards.write("2.0.0", permissions=["agents.read"])
    assert "pantry-watch: 1.0.0 → 2.0.0" in cards("update")[1]
    code, out, err = cards("update", "pantry-watch", "--yes")
    assert (code, "stays off: agents.read" in out) == (0, True)
    assert "Pantry Watch 1.0.0 → 2.0.0" in err
    assert "  ~ index.html" in err
    assert "  + permission agents.read" in err
    assert "off: agents.read" in cards("list")[1]
    assert "is at 2.0.0 now." in cards("update", "pantry-watch", "--accept", "--yes")[1]
    assert "off:" not in cards("list")[1]
    cards.write("3.0.0", permissions=["agents.read", "usage.read"])
    code, out, _ = cards("install", "pantry", typed="y\ny\n")
    assert (code, "stays off" in out) == (0, False)
    assert "back at 2.0.0" in cards("rollback", "pantry-watch")[1]
    code, _, err = cards("update", "nothing")
    assert (code, "There is no package 'nothing'. There are: pantry-watch" in err) == (1, True)


def test_removing_asks_what_becomes_of_the_data(cards: Cards) -> None:
    cards.write()
    cards.json("install", "pantry", "--yes")
    code, _, err = cards("remove", "pantry-watch")
    assert (code, "--drop-data or --keep-data" in err) == (2, True)
    code, out, err = cards("remove", "pantry-watch", typed="y\n")
    assert (code, "with its data" in out, "stored as well?" in err) == (0, True, True)
    cards.json("install", "pantry", "--yes")
    assert "its data is kept" in cards("remove", "pantry-watch", "--keep-data")[1]
    assert installed(cards) == []


def test_catalogues_are_added_listed_read_again_and_forgotten(cards: Cards) -> None:
    entry = {
        "packageId": "pantry-watch",
        "name": "Pantry Watch",
        "repo": "acme/pantry",
        "version": "1.0.0",
        "commit": "a" * 40,
        "treeHash": "b" * 64,
    }
    path = cards.folder / "verified.json"
    path.write_text(json.dumps({"schemaVersion": 1, "cards": [entry, {}]}))
    code, out, _ = cards("catalogue", "add", "verified.json")
    assert (code, "vouches for 1 packages." in out, "entry 1/packageId" in out) == (0, True, True)
    assert f"acme/pantry@{'a' * 40}" in cards("catalogue", "list")[1]
    path.unlink()
    code, out, _ = cards("catalogue", "refresh")
    assert (code, f"there is no {path}" in out) == (1, True)
    assert cards("catalogue", "remove", str(path))[0] == 0
    assert "There are no catalogues." in cards("catalogue", "list")[1]


def test_what_is_here_is_named_by_its_whole_path_and_the_rest_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pantry").mkdir()
    assert whole_source("pantry") == str(tmp_path / "pantry")
    assert whole_source("./nowhere") == str(tmp_path / "nowhere")
    assert whole_source("nowhere.tar.gz") == str(tmp_path / "nowhere.tar.gz")
    assert whole_source("nowhere.json", (".json",)) == str(tmp_path / "nowhere.json")
    assert whole_source("acme/pantry.json") == "acme/pantry.json"
    assert whole_source("~/x") == str(Path.home() / "x")
    assert whole_source("acme/pantry") == "acme/pantry"
    assert whole_source("https://example.org/x") == "https://example.org/x"
