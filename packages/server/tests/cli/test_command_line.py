"""The command line as a person and a script use it: as a process, against a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.main import get_command

from cardloom.cli.canvas import _value
from cardloom.cli.commands import app
from cardloom.cli.console import table, visible

from .running_cli import CAP_S, Cli


def listed_commands(cli: Cli) -> list[str]:
    code, out, _ = cli("--help")
    assert code == 0
    return re.findall(r"^  ([a-z]+) ", out.partition("Commands:")[2], re.MULTILINE)


def test_help_names_every_command_and_first_how_to_begin(cli: Cli) -> None:
    commands = listed_commands(cli)
    assert commands[:4] == ["up", "demo", "open", "status"]
    promised = ["cards", "connect", "send", "call", "journal", "fs", "mcp", "doctor", "token", "card", "agents", "chat"]
    assert set(promised) <= set(commands)


def test_the_readme_shows_every_command(cli: Cli) -> None:
    readme = (Path(__file__).parents[4] / "README.md").read_text("utf-8")
    table = readme.partition("## The command line")[2].partition("## ")[0]
    shown = set(re.findall(r"cardloom ([a-z]+)", table))
    assert shown == set(listed_commands(cli))


def test_help_and_version_import_neither_server_nor_sdk() -> None:
    probe = (
        "import sys\nsys.argv = ['cardloom', sys.argv[1]]\nfrom cardloom.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('websockets', 'uvicorn', 'starlette', 'apsw', 'rich', 'cardloom_sdk', 'asyncio')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    for option in ("--help", "--version"):
        found = subprocess.run([sys.executable, "-c", probe, option], capture_output=True, text=True, check=True)
        assert found.stdout.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "command",
    [
        ["cards"],
        ["open"],
        ["connect", "a", "b"],
        ["send", "a", "b"],
        ["call", "workspace.list"],
        ["journal", "list"],
        ["journal", "replay"],
        ["mcp", "token", "a"],
        ["status"],
    ],
)
def test_without_a_server_every_command_says_how_to_start_one(cli: Cli, command: list[str]) -> None:
    code, out, err = cli(*command)
    assert code == 3
    assert "cardloom up" in out + err
    assert "Traceback" not in err


def test_without_a_server_json_tells_it_too(cli: Cli) -> None:
    assert cli.json("cards", code=3)["error"]["code"] == "UNAVAILABLE"
    assert cli.json("status", code=3)["running"] is False


def test_what_a_killed_server_left_behind_is_seen_through(cli: Cli, start_server: Any) -> None:
    server = start_server()
    server.wait_until_open()
    server.kill()
    code, _, err = cli("cards")
    assert (code, "No Cardloom server answers at http://127.0.0.1:" in err) == (3, True)


def test_status_tells_where_the_server_is(served: Cli, tmp_path: Path) -> None:
    status = served.json("status")
    assert status["running"] is True
    assert status["workspaces"][0]["path"] == str(tmp_path / "project")
    assert psutil.pid_exists(status["pid"])
    code, out, _ = served("status")
    assert (code, status["url"] in out, "project  open, 0 cards" in out) == (0, True, True)


def test_open_makes_an_address_that_works_once(served: Cli) -> None:
    first = served.json("open", "--no-open")
    assert first["opened"] is False
    assert "#code=" in first["url"]
    assert served.json("open", "--no-open")["url"] != first["url"]


def test_the_key_is_shown_only_when_asked_for(served: Cli) -> None:
    key = (served.home / "owner.key").read_text().strip()
    assert served("token") == (0, str(served.home / "owner.key"), "")
    assert served("token", "--show")[1] == key
    assert served.json("token") == {"path": str(served.home / "owner.key"), "exists": True}


def test_cards_are_listed_with_where_they_send(served: Cli, cards: dict[str, str]) -> None:
    served("connect", "To-do list", "Note")
    code, out, _ = served("cards")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith(cards["todo"]))
    assert line.split()[1:] == ["todo", "To-do", "list", "0/0", "done", "Note"]
    assert [card["id"] for card in served.json("cards")[0]["cards"]] == [cards[k] for k in ("note", "todo", "sticky")]


def test_arrows_are_drawn_by_name_or_id_one_way_or_both(served: Cli, cards: dict[str, str]) -> None:
    assert served.json("connect", "to-do LIST", cards["note"])["direction"] == "forward"
    assert served.json("connect", "Note", "Sticky", "--two-way")["direction"] == "both"
    code, _, err = served("connect", "Note", "Note")
    assert (code, err.startswith("cardloom: ")) == (1, True)


def test_an_arrow_that_carries_nothing_by_itself_is_drawn_and_said_to_be_so(served: Cli, cards: dict[str, str]) -> None:
    served("call", "canvas.addCard", json.dumps({"workspaceId": cards["home"], "kind": "terminal", "x": 0, "y": 0}))
    code, out, _ = served("connect", "Terminal", "To-do list")
    assert (code, out.splitlines()[1:]) == (
        0,
        ["Nothing passes along it by itself: no input there takes what is sent. Requests and reads may."],
    )
    assert len(served("connect", "Note", "To-do list")[1].splitlines()) == 1


def test_names_that_fit_several_cards_are_refused_with_their_ids(served: Cli, cards: dict[str, str]) -> None:
    params = {"workspaceId": cards["home"], "kind": "note", "x": 0, "y": 0}
    other = served.json("call", "canvas.addCard", json.dumps(params))["id"]
    code, _, err = served("send", "Note", "x")
    assert code == 1
    assert cards["note"] in err
    assert other in err
    assert served("send", other, "x")[0] == 0


def test_an_unknown_card_is_answered_with_those_there_are(served: Cli, cards: dict[str, str]) -> None:
    code, _, err = served("send", "Nope", "x")
    assert (code, err) == (1, "cardloom: There is no card 'Nope'. There are: Note, Sticky, To-do list")


def test_values_are_json_or_else_text(served: Cli, cards: dict[str, str]) -> None:
    assert served("send", "To-do list", '[{"text": "milk"}]')[:2] == (0, "To-do list took it.")
    assert served("send", "To-do list", "bread")[0] == 0
    assert served("send", "Note", "--text", "[1]")[0] == 0
    assert served("send", "Note", "-", given="from a pipe")[0] == 0
    assert served("send", "Note", "- eggs")[0] == 0
    shown = {card["kind"]: card for card in served.json("cards")[0]["cards"]}
    assert [item["text"] for item in shown["todo"]["content"]["items"]] == ["milk", "bread"]
    assert shown["note"]["content"]["text"] == "[1]\n\nfrom a pipe\n\n- eggs"


@pytest.mark.parametrize("command", [["send", "Note", "-"], ["call", "workspace.list", "-"], ["chat", "-"]])
def test_input_that_is_no_text_is_refused_and_changes_nothing(
    served: Cli, cards: dict[str, str], command: list[str]
) -> None:
    before = served.json("cards")[0]["cards"]
    ended = served.bytes_in(*command, given=b"caf\xe9")
    assert (ended[0], ended[2]) == (2, "cardloom: The input is no UTF-8 text: byte 4 is 0xe9.")
    assert served.json("cards")[0]["cards"] == before


def test_an_argument_that_is_no_text_is_refused(served: Cli, cards: dict[str, str]) -> None:
    code, _, err = served("send", "Note", os.fsdecode(b"caf\xe9"))
    assert (code, err) == (2, "cardloom: The argument is no UTF-8 text: byte 4 is 0xe9.")


def test_a_value_that_does_not_fit_is_refused_with_its_place(served: Cli, cards: dict[str, str]) -> None:
    code, _, err = served("send", "To-do list", '[{"text": "x", "status": "broken"}]')
    assert (code, "/0/status" in err) == (1, True)
    error = served.json("send", "To-do list", '[{"text": "x", "status": "broken"}]', code=1)["error"]
    assert (error["code"], error["data"][0]["path"]) == ("INVALID_PARAMS", "/0/status")


def test_an_input_can_be_named(served: Cli, cards: dict[str, str]) -> None:
    assert served("send", "Note", "new", "--input", "replace")[0] == 0
    code, _, err = served("send", "Note", "new", "-i", "nope")
    assert (code, "nope" in err) == (1, True)


def test_any_method_can_be_called(served: Cli) -> None:
    assert json.loads(served("call", "host.capabilities")[1])["protocol"] == 1
    assert served("call", "workspace.list", "-", given="{}")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["workspace.lst"], 1, "Did you mean workspace.list"),
        (["workspace.list", "{"], 2, "not JSON"),
        (["workspace.list", "[1]"], 2, "JSON object"),
        (["workspace.open", "{}"], 1, "/workspaceId"),
    ],
)
def test_a_call_that_cannot_work_says_why(served: Cli, arguments: list[str], code: int, words: str) -> None:
    found = served("call", *arguments)
    assert (found[0], words in found[2]) == (code, True), found


def test_the_journal_is_listed_and_replayed(served: Cli, cards: dict[str, str]) -> None:
    assert served("journal", "list")[1] == "The journal is empty."
    served("send", "Note", "hello")
    code, out, _ = served("journal", "list", "--card", "Note")
    assert (code, out.splitlines()[0].split()) == (0, ["#", "TIME", "FROM", "TO", "OUTCOME", "VALUE"])
    assert out.splitlines()[1].split()[3:] == ["you", "Note.append", "accepted", "hello"]
    replay = served.json("journal", "replay")
    assert (replay["replayed"], replay["differences"]) == (1, [])


def test_with_several_workspaces_one_must_be_chosen(served: Cli, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    served("call", "workspace.create", json.dumps({"name": "Second", "path": str(tmp_path / "second")}))
    code, _, err = served("journal", "list")
    assert (code, "--workspace" in err, "Second" in err) == (1, True, True)
    assert served("journal", "list", "-w", "second")[0] == 0
    assert len(served.json("cards")) == 2
    assert len(served.json("cards", "--workspace", "Second")) == 1


def test_wrong_usage_exits_with_two(cli: Cli) -> None:
    assert cli("fly")[0] == 2
    assert cli("send", "only-a-card")[0] == 2
    assert cli("journal", "list", "--limit", "0")[0] == 2


def test_doctor_looks_at_everything(cli: Cli) -> None:
    report = cli.json("doctor")
    assert report["ok"] is True
    assert [check["name"] for check in report["checks"]] == [
        "Python",
        "Data folder",
        "Owner's key",
        "Database",
        "Server",
        "Shells",
        "Terminal screens",
        "git",
        "Page",
        "Packages",
    ]
    manifests = (Path(__file__).parents[4] / "examples/cards").glob("*/*-card.json")
    examples, came = [path.parent.name for path in manifests], report["checks"][-1]["detail"]
    assert len(examples) > 5
    assert [name for name in examples if name not in came] == []


def test_doctor_finds_a_key_that_others_can_read_and_a_damaged_database(cli: Cli) -> None:
    cli.home.mkdir()
    (cli.home / "owner.key").write_text("k" * 40)
    (cli.home / "owner.key").chmod(0o644)
    (cli.home / "cardloom.db").write_bytes(b"no database at all" * 100)
    code, out, _ = cli("doctor")
    assert code == 1
    assert "FAIL  Owner's key" in out
    assert "chmod 600" in out
    assert "FAIL  Database" in out


def test_doctor_sees_the_running_server(served: Cli) -> None:
    code, out, _ = served("doctor")
    assert code == 0
    assert "runs at http://127.0.0.1:" in out
    assert "MB, sound" in out


def test_a_server_tells_a_program_where_it_is(cli: Cli, tmp_path: Path) -> None:
    cli.environment["CARDLOOM_PORT"] = "1600"
    server = cli.start("up", str(tmp_path), "--json", "--no-open")
    try:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        assert told["pid"] == server.pid
        assert told["page"].startswith(told["url"] + "/#code=")
        assert told["dataFolder"] == str(cli.home)
        assert cli.json("up", str(tmp_path), code=1)["error"]["code"] == "UNAVAILABLE"
    finally:
        server.terminate()
        server.communicate(timeout=CAP_S)
    assert cli.json("up", str(tmp_path / "none"), code=1)["error"]["code"] == "FS_ERROR"


def test_a_folder_that_is_gone_under_ones_feet_is_said(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    command = f"cd {place} && rmdir {place} && exec {sys.executable} -m cardloom up --no-open"
    ended = subprocess.run(
        ["sh", "-c", command], env=cli.environment, capture_output=True, text=True, timeout=CAP_S, check=False
    )
    assert ended.returncode == 1
    assert "does not exist any more" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_half_a_character_in_a_title_is_shown_as_what_is_kept(served: Cli, cards: dict[str, str]) -> None:
    title = json.dumps({"cardId": cards["note"], "title": "a\ud800"})
    assert served("call", "canvas.updateCard", title)[0] == 0
    code, out, _ = served("cards")
    assert (code, "a\ufffd" in out) == (0, True)
    titles = [card["title"] for card in served.json("cards")[0]["cards"]]
    assert "a\ufffd" in titles


def test_a_title_moves_no_cursor_and_makes_no_line_of_its_own(served: Cli, cards: dict[str, str]) -> None:
    title = json.dumps({"cardId": cards["note"], "title": "a\x1b[2J\r\nb\u202e"})
    assert served("call", "canvas.updateCard", title)[0] == 0
    shown = "a\\u001b[2J\\u000d\\u000ab\ufffd"
    _, out, _ = served("cards")
    assert shown in out
    _, _, err = served("connect", "nobody", "nobody")
    assert "\\u001b[2J" in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ('"12"', "12"),
        ("twelve", "twelve"),
        ("[1, 2", "[1, 2"),
        ("NaN", "NaN"),
        ("null", None),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_typed_value_is_json_where_it_is_that(text: str, value: Any) -> None:
    assert _value(text) == value


@pytest.mark.parametrize("text", ["- eggs", "-\teggs", "-5", "-.5", "---", "--- end", "-", "eggs"])
@pytest.mark.parametrize(
    ("command", "before"),
    [(["send"], ["Note"]), (["prompt"], ["Agent"]), (["chat"], []), (["fs", "write"], ["a.md"])],
)
def test_a_text_that_begins_with_a_dash_is_a_text(command: list[str], before: list[str], text: str) -> None:
    found: Any = get_command(app)
    for name in command:
        found = found.commands[name]
    params = found.make_context(command[-1], [*before, text, "--json"]).params
    assert next(params[name] for name in ("value", "text") if params.get(name)) == text
    assert params["json"]


def test_an_option_that_there_is_not_is_no_text() -> None:
    command: Any = get_command(app)
    with pytest.raises(Exception, match="No such option: --inptu"):
        command.commands["send"].make_context("send", ["Note", "--inptu", "add"])


def test_tables_are_as_wide_as_they_need_to_be() -> None:
    assert table(("A", "LONG"), [("wide cell", "x"), ("", "y")]) == "A          LONG\nwide cell  x\n           y"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("é 漢 👩\u200d💻", "é 漢 👩\u200d💻"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("over\rwritten\x08\x7f\x9b", "over\\u000dwritten\\u0008\\u007f\\u009b"),
        ("\u202eback\u2066", "\\u202eback\\u2066"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_json_would_write_it(text: str, shown: str) -> None:
    assert visible(text) == shown
