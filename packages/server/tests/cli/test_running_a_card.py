"""`cardloom card run`: a card from its folder, as its own process."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk import Client, find_server

from .running_cli import CAP_S, Cli

CARD = """
from pathlib import Path
from cardloom_sdk import Card

card = Card(Path(__file__).parent)

@card.on_message("in")
async def received(text):
    await card.set_status(f"heard {text}")

@card.on_ready
def ready():
    print("ready", flush=True)

card.run()
"""
MANIFEST = {
    "manifestVersion": 1,
    "protocol": 1,
    "version": "1.0.0",
    "name": "listener",
    "displayName": "Listener",
    "python": "card.py",
    "ports": {"inputs": [{"id": "in", "label": "In", "type": "ns:text"}]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a card."""
    made = tmp_path / "listener"
    made.mkdir()
    (made / "cardloom-card.json").write_text(json.dumps(MANIFEST))
    (made / "card.py").write_text(CARD)
    return made


@pytest.fixture
def run_card(cli: Cli, folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Runs the card until it is ready, and ends it with the test."""
    started = []

    def run() -> subprocess.Popen[str]:
        process = cli.start("card", "run", str(folder))
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def status_of(cli: Cli) -> Any:
    cards = cli.json("cards")[0]["cards"]
    return next(card for card in cards if card["type"] == "listener")


async def test_a_card_runs_from_its_folder_and_again_as_the_same_card(
    served: Cli, run_card: Callable[[], subprocess.Popen[str]]
) -> None:
    process = run_card()
    card = status_of(served)
    assert card["runtime"]["status"] == "external"
    assert served("send", "Listener", "hello")[0] == 0
    async with Client(lambda: find_server(served.home)) as client:
        canvas = await client.subscribe(card["workspaceId"])
        await canvas.wait_for(
            lambda shown: (shown.cards[card["id"]]["chrome"]["status"] or {}).get("text") == "heard hello",
            timeout_ms=60_000,
        )
        process.terminate()
        await canvas.wait_for(
            lambda shown: shown.cards[card["id"]]["runtime"]["status"] == "stopped", timeout_ms=60_000
        )
    assert process.wait(CAP_S) != 0
    await asyncio.to_thread(run_card)
    assert status_of(served)["id"] == card["id"]


@pytest.mark.parametrize("readme", ["README.md", "packages/sdk/README.md"])
def test_the_card_of_the_readme_does_what_it_says(
    cards: dict[str, str], served: Cli, folder: Path, run_card: Callable[[], subprocess.Popen[str]], readme: str
) -> None:
    text = (Path(__file__).parents[4] / readme).read_text("utf-8")
    manifest = next(block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "shouter" in block)
    program = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "def shout" in block)
    (folder / "cardloom-card.json").write_text(manifest)
    ready = "\n\n@card.on_ready\ndef ready():\n    print('ready', flush=True)\n\n\ncard.run()"
    (folder / "card.py").write_text(program.replace("\ncard.run()", ready))
    run_card()
    assert served("connect", "Shouter", cards["note"])[0] == 0
    assert served("send", "Shouter", "hello")[0] == 0
    params = json.dumps({"workspaceId": cards["home"], "cardId": cards["note"]})
    ends_at = time.monotonic() + CAP_S
    while not (entries := served.json("call", "journal.list", params)["entries"]):  # the card answers in its own time
        assert time.monotonic() < ends_at
    assert [(entry["outcome"], entry["preview"]) for entry in entries] == [("accepted", "HELLO")]


def test_a_card_survives_a_restart_of_the_server(
    cli: Cli, start_server: Any, run_card: Callable[[], subprocess.Popen[str]]
) -> None:
    server = start_server()
    server.wait_until_open()
    process = run_card()
    card_id = status_of(cli)["id"]
    server.kill()
    start_server(port=server.port).wait_until_open()
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    card = status_of(cli)
    assert (card["id"], card["runtime"]["status"]) == (card_id, "external")


@pytest.mark.parametrize("own", [1, 3, 4])
def test_a_program_that_ends_by_itself_is_not_run_again(served: Cli, folder: Path, own: int) -> None:
    (folder / "card.py").write_text(f"print('once')\nraise SystemExit({own})\n")
    code, out, _ = served("card", "run", str(folder))
    assert (code, out.count("once")) == (own, 1)


def test_a_card_that_cannot_run_says_why(served: Cli, folder: Path, tmp_path: Path) -> None:
    code, _, err = served("card", "run", str(tmp_path))
    assert (code, "cardloom-card.json: No such file" in err) == (2, True)
    (folder / "card.py").unlink()
    code, _, err = served("card", "run", str(folder))
    assert (code, "card.py is missing" in err) == (2, True)
    (folder / "cardloom-card.json").write_text(json.dumps({**MANIFEST, "name": "Bad Name"}))
    code, _, err = served("card", "run", str(folder))
    assert (code, "/name" in err) == (2, True)
    assert served.json("cards")[0]["cards"] == []
