"""Python cards as real processes of a real server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from cardloom.app import App
from cardloom_protocol.ids import CardId
from cardloom_sdk import Card, Client, Server
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.card_run import EXIT_REPLACED, be
from cardloom_sdk.channel import dial

from .conftest import CAP_S, ECHO

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")


@pytest.fixture(autouse=True)
def serving(listening: Any, app: App) -> Any:
    """A socket for the programs to connect to."""
    assert app.cards.programs is not None
    return listening


async def running_card(desk: Any, shelf: Any, program: str, **manifest: Any) -> str:
    """A card whose program the owner let run."""
    card_id: str = await desk.put(shelf.add("probe", program, **manifest))
    await desk.answer(accepted=True)
    await desk.until_status(card_id, "running")
    return card_id


async def gone(*pids: int) -> None:
    """Wait until processes have ended."""
    there = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    _, left = await asyncio.to_thread(psutil.wait_procs, there, CAP_S)
    assert left == []


async def test_the_first_start_asks_and_then_values_flow(desk: Any, shelf: Any) -> None:
    permissions = [{"id": "cards.connected", "reason": "Writes notes."}, {"id": "agents.read", "optional": True}]
    card_id = await desk.put(shelf.add("probe", ECHO, permissions=permissions))
    dialog = await desk.answer(accepted=True)
    assert (dialog["kind"], dialog["cardId"], dialog["data"]["name"]) == ("startProgram", card_id, "Probe")
    assert [(row["id"], row["risk"], row["reason"]) for row in dialog["data"]["permissions"]] == [
        ("cards.connected", "medium", "Writes notes.")
    ]
    await desk.until_status(card_id, "running")
    note = await desk.add("note")
    await desk.page.call("canvas.connect", a=card_id, b=note)
    await desk.page.call("ports.deliver", to=card_id, data="hello")
    await desk.until(lambda: desk.card(note)["content"]["text"] == "hello!")
    assert "heard hello" in await desk.log(card_id)
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected"}


async def test_a_second_card_of_the_package_starts_without_asking(desk: Any, shelf: Any) -> None:
    await running_card(desk, shelf, ECHO)
    second = await desk.put(shelf.add("probe", ECHO))
    await desk.until_status(second, "running")
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


async def test_a_refused_program_waits_until_it_is_started_by_hand(desk: Any, shelf: Any) -> None:
    card_id = await desk.put(shelf.add("probe", ECHO))
    await desk.answer(accepted=False)
    await desk.until(lambda: desk.runtime(card_id).get("error"))
    assert desk.runtime(card_id)["status"] == "waiting"
    assert desk.app.cards.programs.pid(CardId(card_id)) is None
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    await desk.page.call("card.restart", cardId=card_id)
    await desk.answer(accepted=True)
    await desk.until_status(card_id, "running")


async def test_two_cards_of_one_package_ask_once(desk: Any, shelf: Any) -> None:
    package_id = shelf.add("probe", ECHO)
    one, two = await desk.put(package_id), await desk.put(package_id)
    await desk.answer(accepted=True)
    for card_id in (one, two):
        await desk.until_status(card_id, "running")
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


async def test_a_new_version_that_requires_more_asks_again(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    shelf.add("probe", ECHO, version="2.0.0", permissions=["agents.output"])
    await desk.page.call("card.restart", cardId=card_id)
    dialog = await desk.answer(accepted=True)
    assert [row["id"] for row in dialog["data"]["permissions"]] == ["agents.output"]
    await desk.until_status(card_id, "running")
    assert desk.card(card_id)["content"]["version"] == "2.0.0"


async def test_a_program_that_crashes_is_started_again_and_says_why_in_its_log(desk: Any, shelf: Any) -> None:
    card_id = await desk.put(shelf.add("probe", 'import sys\nsys.exit("the pantry is empty")\n'))
    await desk.answer(accepted=True)
    runtime = await desk.until_status(card_id, "failed")
    assert runtime["error"] == "exit code 1: the pantry is empty"
    await desk.until(lambda: desk.runtime(card_id)["restarts"] == 1)
    log = await desk.log(card_id)
    assert log[0] == "the pantry is empty"
    assert log[1].startswith("The program ended (exit code 1); starting it again in 0.")


async def test_a_killed_program_comes_back(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    os.kill(desk.pid(card_id), signal.SIGKILL)
    runtime = await desk.until_status(card_id, "failed")
    assert runtime["error"].startswith("ended by SIGKILL")
    runtime = await desk.until_status(card_id, "running")
    assert runtime["restarts"] == 1


async def test_a_program_that_ends_well_is_left_alone(desk: Any, shelf: Any) -> None:
    card_id = await desk.put(shelf.add("probe", 'print("done")\n'))
    await desk.answer(accepted=True)
    runtime = await desk.until_status(card_id, "stopped")
    assert (runtime["restarts"], runtime["error"]) == (0, None)
    assert await desk.log(card_id) == ["done"]


async def test_stopping_and_restarting_by_hand(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    pid = desk.pid(card_id)
    card = await desk.page.call("card.stop", cardId=card_id)
    assert card["runtime"]["status"] == "stopped"
    await gone(pid)
    await desk.page.call("card.restart", cardId=card_id)
    await desk.until_status(card_id, "running")
    assert desk.pid(card_id) != pid
    await desk.until(lambda: (desk.card(card_id)["chrome"]["status"] or {}).get("text") == "reloaded")


async def test_removing_the_card_ends_its_program_and_undo_starts_it_anew(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    pid = desk.pid(card_id)
    await desk.page.call("canvas.removeCard", cardId=card_id, force=True)
    await gone(pid)
    restored = await desk.page.call("canvas.restore", workspaceId=desk.id, cardIds=[card_id], arrowIds=[])
    assert restored["restarted"] == [card_id]
    await desk.until_status(card_id, "running")


async def test_closing_the_workspace_ends_its_programs_and_opening_starts_them(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    pid = desk.pid(card_id)
    await desk.page.call("workspace.close", workspaceId=desk.id)
    await gone(pid)
    assert desk.runtime(card_id)["status"] == "stopped"
    await desk.page.call("workspace.open", workspaceId=desk.id)
    await desk.until_status(card_id, "running")


CHILD = (
    """
    import subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print("child", child.pid)
"""
    + ECHO
)


async def child_of(desk: Any, card_id: str) -> int:
    found: list[int] = []

    def heard() -> bool:
        lines = desk.app.cards.logs.lines(CardId(card_id))
        found.extend(int(line["text"].split()[1]) for line in lines if line["text"].startswith("child "))
        return bool(found)

    await desk.until(heard)
    return found[-1]


async def test_what_a_program_started_ends_with_it(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, CHILD)
    child = await child_of(desk, card_id)
    await desk.page.call("card.stop", cardId=card_id)
    await gone(child)


async def test_what_a_crashed_program_started_ends_too(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, CHILD)
    child = await child_of(desk, card_id)
    os.kill(desk.pid(card_id), signal.SIGKILL)
    await gone(child)


STUBBORN = """
    import signal
    from pathlib import Path
    from cardloom_sdk import Card

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    card = Card(Path(__file__).parent)

    @card.on_ready
    def ready():
        import time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("stuck")
        time.sleep(600)

    card.run()
"""


async def test_a_program_that_will_not_end_is_ended(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, STUBBORN)
    await desk.until(lambda: any(line["text"] == "stuck" for line in desk.app.cards.logs.lines(CardId(card_id))))
    pid = desk.pid(card_id)
    await desk.page.call("card.stop", cardId=card_id)
    await gone(pid)


PEEK = (
    """
    import json, os, sys
    named = ("CARDLOOM_CARD_TOKEN", "CARDLOOM_WORKSPACE", "CLAUDECODE", "CARDLOOM_SECRET")
    print(json.dumps({name: os.environ.get(name) for name in named}))
"""
    + ECHO
)


async def seen(desk: Any, card_id: str) -> dict[str, Any]:
    for line in await desk.log(card_id):
        if line.startswith("{"):
            peek: dict[str, Any] = json.loads(line)
            return peek
    raise AssertionError(await desk.log(card_id))


async def test_the_token_is_in_the_environment_alone_and_the_folder_needs_a_permission(
    desk: Any, shelf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CARDLOOM_SECRET", "x")
    card_id = await running_card(desk, shelf, PEEK)
    peek = await seen(desk, card_id)
    token = peek["CARDLOOM_CARD_TOKEN"]
    assert len(token) >= 32
    command = psutil.Process(desk.pid(card_id)).cmdline()
    assert not any(token in word for word in command)
    assert [peek[name] for name in ("CARDLOOM_WORKSPACE", "CLAUDECODE", "CARDLOOM_SECRET")] == [None] * 3


async def test_with_fs_read_the_program_is_told_the_folder(desk: Any, shelf: Any, tmp_path: Path) -> None:
    card_id = await running_card(desk, shelf, PEEK, permissions=["fs.read"])
    assert (await seen(desk, card_id))["CARDLOOM_WORKSPACE"] == str(tmp_path / "project")


async def test_a_second_connection_of_one_card_replaces_the_first_with_notice(
    desk: Any, serving: Any, shelf: Any
) -> None:
    shelf.add("probe", ECHO)
    made = await desk.page.call(
        "card.run", workspaceId=desk.id, manifest=json.loads((shelf.folder / "probe/cardloom-card.json").read_text())
    )
    first, second = Card(), Card()
    lives = []
    for card in (first, second):
        ready = asyncio.Event()
        card.on_ready(ready.set)
        lives.append(asyncio.create_task(be(card, lambda: dial(serving.url, "/ws/card", made["token"]), BackOff())))
        async with asyncio.timeout(CAP_S):
            await ready.wait()
    async with asyncio.timeout(CAP_S):
        ended = await lives[0]
    assert ended.exit_code == EXIT_REPLACED
    assert (first.connected, second.connected) == (False, True)
    assert desk.runtime(made["cardId"])["status"] == "external"
    await desk.page.call("canvas.removeCard", cardId=made["cardId"], force=True)
    async with asyncio.timeout(CAP_S):
        assert (await lives[1]).exit_code == 0


async def test_a_program_that_prints_without_end_costs_a_bounded_log(desk: Any, shelf: Any) -> None:
    card_id = await desk.put(shelf.add("probe", 'while True:\n    print("y" * 100)\n'))
    await desk.answer(accepted=True)
    await desk.until(
        lambda: any("were left out" in line["text"] for line in desk.app.cards.logs.lines(CardId(card_id)))
    )
    await desk.page.call("card.stop", cardId=card_id)
    assert len(await desk.log(card_id)) <= 1000


async def test_a_package_that_vanished_is_said_to_be_missing(desk: Any, shelf: Any) -> None:
    card_id = await running_card(desk, shelf, ECHO)
    (shelf.folder / "probe" / "cardloom-card.json").unlink()
    await desk.page.call("card.restart", cardId=card_id)
    runtime = await desk.until_status(card_id, "failed")
    assert runtime["error"] == "Its package is not installed here."


HUNG = """
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("hung")
    while True:
        pass
"""


async def test_no_program_outlives_a_killed_server_not_even_one_that_hangs(
    start_server: Any, shelf: Any, tmp_path: Path
) -> None:
    shelf.add("hung", HUNG)
    server = start_server()
    await asyncio.to_thread(server.wait_until_open)
    found = Server(f"http://127.0.0.1:{server.port}", lambda: server.key)
    async with Client(lambda: found) as client:
        home = client.hello["workspaces"][0]["id"]
        dialogs: asyncio.Queue[Any] = asyncio.Queue()
        client.on("dialog.opened", dialogs.put_nowait)
        printed = asyncio.Event()

        def hear(log: Any) -> None:
            if any(line["text"] == "hung" for line in log["lines"]):
                printed.set()

        client.on("card.log", hear)
        canvas = await client.subscribe(home)
        radar = next(one for one in client.hello["packages"] if one["name"] == "test-radar")
        source = str(shelf.folder / "hung")
        review = await client.call("package.inspect", {"source": source})
        hung = await client.call("package.install", {"source": source, "treeHash": review["treeHash"]})
        place = {"workspaceId": home, "kind": "custom", "x": 0, "y": 0}
        one, other = [
            (await client.call("canvas.addCard", {**place, "packageId": package["packageId"]}))["id"]
            for package in (radar, hung)
        ]
        async with asyncio.timeout(CAP_S):
            for _ in (one, other):
                dialog = (await dialogs.get())["dialog"]
                await client.call("dialog.answer", {"dialogId": dialog["id"], "accepted": True})
            await printed.wait()
        await canvas.wait_for(
            lambda shown: (shown.cards[one]["runtime"] or {}).get("status") == "running", timeout_ms=60_000
        )
        programs = [child.pid for child in psutil.Process(server.process.pid).children(recursive=True)]
        assert len(programs) >= 2
        server.kill()
        await gone(*programs)
