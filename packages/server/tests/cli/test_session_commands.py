"""`cardloom sessions` and `cardloom chat`: other programs' folders, our own sessions, a talk with a model."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.model_server.scenario import PLAIN_TEXT
from tests.model_server.serving import serving_models

from cardloom.features.sessions.backends.configured import FILE
from cardloom_protocol.session import NodeInput
from cardloom_sdk.stores import NrChatStore, PiStore

from .running_cli import CAP_S, Cli
from .test_attach_command import Person


@pytest.fixture
def talk(tmp_path: Path) -> str:
    """A session in a folder of nr-chat files; gives its id."""

    async def make() -> str:
        store = NrChatStore(tmp_path / "talks")
        session_id = (await store.create(info={"title": "Bread"}))["id"]
        await store.append_node(session_id, NodeInput("user", text="How long?"))
        await store.append_node(session_id, NodeInput("assistant", text="Fifty minutes.\n```\n200 °C\n```"))
        return session_id

    return asyncio.run(make())


def test_sessions_of_a_folder_are_listed_shown_and_exported(cli: Cli, tmp_path: Path, talk: str) -> None:
    store = ("--store", f"nr-chat:{tmp_path / 'talks'}")
    (listed,) = cli.json("sessions", "list", *store)
    assert (listed["id"], listed["title"]) == (talk, "Bread")
    code, text, _ = cli("sessions", "show", talk[:10], *store)
    assert code == 0
    assert text.splitlines()[:2] == ["user", "  How long?"]
    code, text, _ = cli("sessions", "export", talk, *store)
    assert text.startswith("# Bread\n\n## user\n\nHow long?\n\n## assistant")
    whole = json.loads(cli("sessions", "export", talk, "--as", "json", *store)[1])
    assert [node["role"] for node in whole["nodes"]] == ["user", "assistant"]


def test_a_session_is_copied_into_another_store_and_the_loss_is_told(cli: Cli, tmp_path: Path, talk: str) -> None:
    store = ("--store", f"nr-chat:{tmp_path / 'talks'}")
    told = cli.json("sessions", "convert", talk, "--to", f"pi:{tmp_path / 'pi'}", *store)
    assert told["messages"] == 2
    copied = asyncio.run(PiStore(tmp_path / "pi", cwd="/w").history(told["id"]))
    assert [message["role"] for message in copied] == ["user", "assistant"]
    (written,) = (tmp_path / "pi").rglob("*.jsonl")
    messages = [json.loads(line).get("message", {}) for line in written.read_text("utf-8").splitlines()]
    assert all("usage" in message for message in messages if message.get("role") == "assistant")
    code, text, _ = cli("sessions", "convert", talk, "--to", f"claude:{tmp_path / 'claude'}", *store)
    assert code == 0
    assert "Copied 2 messages" in text
    assert "Lost: " in text or "Nothing was lost." in text


def test_a_copy_into_what_is_no_folder_is_refused_in_words(cli: Cli, tmp_path: Path, talk: str) -> None:
    (tmp_path / "file").write_text("mine")
    for kind in ("pi", "claude", "nr-chat"):
        told = cli(
            "sessions",
            "convert",
            talk,
            "--store",
            f"nr-chat:{tmp_path / 'talks'}",
            "--to",
            f"{kind}:{tmp_path / 'file'}",
        )
        assert (told[0], str(tmp_path / "file") in told[2], "Traceback" in told[2]) == (1, True, False)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("list", "--store", "mars"), 2, "'mars' is no store"),
        (("list", "--store", "nr-chat"), 2, "nr-chat:FOLDER"),
        (("list", "--store", "pi:/no/such/folder"), 2, "is no folder"),
        (("list",), 1, "There are no sessions yet"),
        (("export", "x", "--as", "paper"), 2, "markdown or json"),
    ],
)
def test_what_makes_no_sense_is_said(cli: Cli, arguments: tuple[str, ...], code: int, words: str) -> None:
    found = cli("sessions", *arguments)
    assert (found[0], words in found[2]) == (code, True), found


def test_a_session_is_copied_into_a_new_data_folder_and_on_from_there(cli: Cli, tmp_path: Path, talk: str) -> None:
    told = cli.json("sessions", "convert", talk, "--store", f"nr-chat:{tmp_path / 'talks'}", "--to", "cardloom")
    assert (told["messages"], told["lost"]) == (2, [])
    assert cli.json("sessions", "list")[0]["title"] == "Bread"
    told = cli.json("sessions", "convert", told["id"], "--to", f"pi:{tmp_path / 'pi'}")
    assert told["lost"] == []
    assert cli.json("sessions", "list", "--store", f"pi:{tmp_path / 'pi'}")[0]["title"] == "Bread"


def test_a_damaged_database_is_told_and_left_where_it_is(cli: Cli) -> None:
    cli.home.mkdir(exist_ok=True)
    database = cli.home / "cardloom.db"
    database.write_bytes(b"no database at all " * 1000)
    code, _, error = cli("sessions", "list")
    assert (code, "cannot be read" in error, "Traceback" in error) == (1, True, False)
    assert database.read_bytes() == b"no database at all " * 1000


def test_an_unknown_session_is_not_found(cli: Cli, tmp_path: Path, talk: str) -> None:
    code, _, error = cli("sessions", "show", "nothing", "--store", f"nr-chat:{tmp_path / 'talks'}")
    assert code == 1
    assert "There is no session 'nothing'" in error


@pytest.fixture
def servers() -> list[Any]:
    """The servers that were started for a chat."""
    return []


@pytest.fixture
def chatting(cli: Cli, start_server: Any, servers: list[Any]) -> Iterator[Cli]:
    """A server whose engine talks to the scripted model."""
    cli.home.mkdir(exist_ok=True)
    with serving_models() as models:
        endpoints = [{"id": "scripted", "url": f"{models.url}/v1"}]
        document = {"engine": {"endpoints": endpoints, "defaultModel": "scripted/scripted-1"}}
        (cli.home / FILE).write_text(json.dumps(document))
        servers.append(start_server())
        servers[0].wait_until_open()
        yield cli


def test_a_word_to_the_engine_is_answered_and_kept(chatting: Cli) -> None:
    told = chatting.json("chat", "[[text]] hello")
    assert (told["text"], told["status"]) == (PLAIN_TEXT, "done")
    code, text, _ = chatting("chat", "[[text]] and again", "--session", told["sessionId"])
    assert (code, text) == (0, PLAIN_TEXT)
    shown = chatting.json("sessions", "show", told["sessionId"])  # read beside the server that runs
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant"] * 2


def test_without_a_model_a_chat_says_how_to_connect_one(cli: Cli, start_server: Any) -> None:
    start_server().wait_until_open()
    code, _, error = cli("chat", "hello")
    assert (code, "No endpoint offers a model." in error, "Connect a model" in error) == (1, True, True)
    assert cli.json("sessions", "list") == []


def test_a_question_that_nobody_can_answer_is_refused(chatting: Cli, tmp_path: Path) -> None:
    code, _, error = chatting("chat", "[[write:notes.txt]] please")
    assert "nobody can answer here" in error
    assert code in (0, 1)
    assert not (tmp_path / "project" / "notes.txt").exists()


def test_a_chat_ends_when_its_server_is_gone(chatting: Cli, servers: list[Any]) -> None:
    process = chatting.start("chat", "[[hold]] hello")
    assert process.stdout is not None
    assert process.stdout.read(1)  # it has begun to speak
    servers[0].kill()
    _, error = process.communicate(timeout=CAP_S)
    assert (process.returncode, "The server is away" in error) == (3, True)


def test_leaving_in_the_middle_ends_the_run_and_keeps_what_was_said(chatting: Cli) -> None:
    process = chatting.start("chat", "[[hold]] hello")
    assert process.stdout is not None
    assert process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=CAP_S)
    assert process.returncode == 130
    (session,) = chatting.json("sessions", "list")
    code, text, _ = chatting("chat", "[[text]] again", "--session", session["id"])  # refused while a run goes on
    assert (code, text) == (0, PLAIN_TEXT)
    roles = [message["role"] for message in chatting.json("sessions", "show", session["id"])["messages"]]
    assert roles == ["user", "assistant"] * 2


def test_a_conversation_answers_line_by_line_and_control_c_leaves_it(chatting: Cli) -> None:
    person = Person(chatting, "chat")
    try:
        person.sees("End with Ctrl-D")
        person.type(b"[[text]] hello\n")
        person.sees(f"{re.escape(PLAIN_TEXT)}\\s+> ")
        person.process.send_signal(signal.SIGINT)  # its terminal is nobody's, so that keys send no signals
        assert person.ends() == 130
    finally:
        person.close()


def test_a_failing_model_ends_the_command_with_its_words(chatting: Cli) -> None:
    code, _, error = chatting("chat", "[[401]] hello")
    assert code == 1
    assert "cardloom: " in error


def test_an_unknown_backend_and_session_are_said(chatting: Cli) -> None:
    code, _, error = chatting("chat", "hello", "--backend", "mars")
    assert (code, "mars" in error) == (1, True)
    code, _, error = chatting("chat", "hello", "--session", "none")
    assert (code, "none" in error) == (1, True)


def test_a_refused_word_leaves_no_empty_session_behind(chatting: Cli) -> None:
    code, _, error = chatting("chat", "hello", "--model", "scripted/ghost")
    assert (code, "ghost" in error) == (1, True)
    code, _, error = chatting("chat")  # no terminal to talk at
    assert (code, "needs a terminal" in error) == (1, True)
    assert chatting.json("sessions", "list") == []


def test_a_model_is_chosen_for_a_new_session_and_an_old_one(chatting: Cli) -> None:
    told = chatting.json("chat", "[[text]] hello", "--model", "scripted/scripted-1")
    assert told["status"] == "done"
    assert chatting.json("chat", "[[text]]", "--session", told["sessionId"], "--model", "scripted/scripted-1")["text"]
    code, _, error = chatting("chat", "[[text]]", "--session", told["sessionId"], "--model", "scripted/ghost")
    assert (code, "ghost" in error) == (1, True)


def test_a_running_server_keeps_its_sessions_to_itself(chatting: Cli, tmp_path: Path, talk: str) -> None:
    code, _, error = chatting(
        "sessions", "convert", talk, "--store", f"nr-chat:{tmp_path / 'talks'}", "--to", "cardloom"
    )
    assert (code, "keeps its sessions to itself" in error) == (1, True)
