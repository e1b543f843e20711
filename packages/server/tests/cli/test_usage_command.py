"""`cardloom usage` without a server: sums as text, JSON and CSV, of folders anywhere and where agents keep logs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import apsw
import pytest
from typer.testing import CliRunner

from cardloom.cli.commands import app
from cardloom.features.usage.ledger import SCHEMA

from .running_cli import Cli

SAMPLES = Path(__file__).parents[1] / "usage" / "samples"


class Runner:
    """Runs the command; gives exit code and output."""

    def __call__(self, *arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["usage", *arguments])
        return result.exit_code, result.output


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("CARDLOOM_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "QWEN_RUNTIME_DIR", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Runner()


def test_a_folder_with_logs_of_several_agents_is_summed_by_agent(run: Runner) -> None:
    code, text = run(str(SAMPLES), "--by", "agent", "--json")
    found = json.loads(text)
    assert code == 0
    assert {row["harness"]: row["requests"] for row in found["rows"]} == {
        "claude-code": 22,
        "pi": 8,
        "codex-cli": 7,
        "gemini-cli": 7,
        "qwen-code": 7,
    }
    assert (found["total"]["requests"], found["total"]["unpriced"], found["partial"]) == (51, 14, True)
    assert found["skipped"] == []


@pytest.mark.parametrize(("by", "rows"), [("day", 1), ("model", 3), ("session", 8)])
def test_rows_stand_for_what_is_asked(run: Runner, by: str, rows: int) -> None:
    found = json.loads(run(str(SAMPLES), "--by", by, "--json")[1])
    assert len(found["rows"]) == rows
    assert sum(row["totalTokens"] for row in found["rows"]) == found["total"]["totalTokens"]


def test_a_table_says_what_is_not_reported_and_what_has_no_price(run: Runner) -> None:
    code, text = run(str(SAMPLES), "--by", "agent")
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert code == 0
    assert lines["Qwen"] == ["Qwen", "Code", "qwen-code", "7", "7,310", "12,288", "–", "327", "19,925", "no", "price"]
    assert lines["total"][-1].endswith("+")
    assert "14 of 51 requests have no price" in text
    assert "genai-prices" in text


def test_csv_leaves_empty_what_is_not_reported(run: Runner) -> None:
    rows = list(csv.DictReader(io.StringIO(run(str(SAMPLES), "--by", "model", "--csv")[1])))
    by_model = {row["model"]: row for row in rows}
    assert by_model["gemini-2.5-pro"]["cache_write"] == ""
    assert by_model["claude-sonnet-4-5"]["cost_micro_usd"] == "119929"


def test_logs_are_found_where_agents_keep_them_and_outlive_their_deletion(run: Runner, tmp_path: Path) -> None:
    log = tmp_path / "home/.claude/projects/-p/S.jsonl"
    log.parent.mkdir(parents=True)
    (source,) = (SAMPLES / "claude" / "home").rglob("*.jsonl")
    log.write_bytes(source.read_bytes())
    first = run("--json")[1]
    log.unlink()
    assert json.loads(run("--json")[1]) == json.loads(first)
    assert json.loads(first)["total"]["requests"] == 8
    assert (tmp_path / "data/usage.db").exists()


def test_a_damaged_index_is_told_once(cli: Cli) -> None:
    cli.home.mkdir()
    (cli.home / "usage.db").write_bytes(b"no database at all " * 100)
    code, out, err = cli("usage")
    (line,) = err.splitlines()
    (kept,) = cli.home.glob("usage.damaged-*.db")
    assert (code, bool(out)) == (0, True)
    assert line == f"The usage index was damaged. It is kept as {kept}; the logs are read anew."


def test_since_leaves_out_what_was_before(run: Runner) -> None:
    assert json.loads(run(str(SAMPLES), "--since", "2026-11-30", "--json")[1])["total"]["requests"] == 51
    assert json.loads(run(str(SAMPLES), "--since", "2026-12-01", "--json")[1])["total"]["requests"] == 0
    for text in ("yesterday", "0d", "-1d", "12345d", "2026-02-30", "99999-01-01", "0001-01-01", "", "7d\n"):
        code, said = run(str(SAMPLES), "--since", text)
        assert (code, f"--since is {text!r}" in said) == (2, True)


def test_a_request_is_explained_by_its_lines_and_the_parts_of_its_cost(run: Runner) -> None:
    code, text = run(str(SAMPLES), "--explain", "msg_c3a85d8c60d94235b1a4b5fd")
    assert code == 0
    assert "line 37: {'input_tokens': 1020" in text
    assert "line 38: {'input_tokens': 1020" in text
    assert "cache write: 302 × 3.75 $/M = 0.0011325 $" in text
    assert "= 0.0054369 $, 5437 micro-dollars" in text
    found = json.loads(run(str(SAMPLES), "--explain", "msg_c3a85d8c60d94235b1a4b5fd", "--json")[1])
    assert [(seen["counted"], [line["line"] for line in seen["lines"]]) for seen in found] == [(True, [37, 38])]


def test_an_unknown_request_or_folder_is_refused_in_words(run: Runner, tmp_path: Path) -> None:
    assert run(str(SAMPLES), "--explain", "nothing") == (1, "cardloom: no request's id begins with 'nothing'\n")
    assert run(str(tmp_path / "none")) == (2, f"cardloom: {tmp_path}/none does not exist\n")
    for name in ("notes.txt", "other.jsonl"):
        (tmp_path / name).write_text('{"n":1}\n')
        assert run(str(tmp_path / name)) == (2, f"cardloom: {tmp_path}/{name} is no log that can be read\n")
    code, said = run(str(tmp_path / ("x" * 5000)))
    assert (code, "File name too long" in said) == (2, True)


def test_agents_of_canvases_are_named_and_senders_told_without_a_server(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    database = apsw.Connection(str(tmp_path / "data" / "cardloom.db"))
    for statement in SCHEMA:
        database.execute(statement)
    sessions = json.loads(run(str(SAMPLES), "--by", "session", "--json")[1])["rows"]
    session = next(row["session"] for row in sessions if row["agent"] == "claude-code")
    database.execute("INSERT INTO agent_sessions VALUES ('claude-code', ?, 'c_1', 'w_1', 'Builder')", (session,))
    database.execute("INSERT INTO agent_senders VALUES ('c_1', 0, 'c_2', 'Inspector')")
    database.close()
    by_agent = json.loads(run(str(SAMPLES), "--by", "agent", "--json")[1])["rows"]
    builder = next(row for row in by_agent if row["agent"] == "Builder")
    by_sender = {row["sender"]: row for row in json.loads(run(str(SAMPLES), "--by", "sender", "--json")[1])["rows"]}
    assert set(by_sender) == {"person", "Inspector"}
    assert by_sender["Inspector"]["requests"] == builder["requests"] > 0
    assert by_sender["person"]["requests"] == sum(row["requests"] for row in by_agent) - builder["requests"]


def test_what_cannot_be_read_is_told_with_its_place(run: Runner, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "S.jsonl"
    log.parent.mkdir()
    log.write_bytes(b'{"type":"mode","sessionId":"S"}\n{"type":"assistant","half\n')
    text = run(str(tmp_path / "logs"))[1]
    assert f"Not counted: {log}: malformed, 1×, first at byte 32" in text
    assert json.loads(run(str(tmp_path / "logs"), "--json")[1])["partial"]
    assert run(str(tmp_path / "data"))[0] == 2


def test_one_log_is_summed_without_its_neighbours(run: Runner, tmp_path: Path) -> None:
    logs = logged(tmp_path / "logs", answer("m1"), name="a[1].jsonl")
    logged(tmp_path / "logs", answer("m2"), name="a1.jsonl")
    found = json.loads(run(str(logs / "a[1].jsonl"), "--json")[1])
    assert (found["total"]["requests"], found["skipped"]) == (1, [])


def test_a_folder_without_logs_has_no_requests(run: Runner, tmp_path: Path) -> None:
    assert run(str(tmp_path)) == (0, "No requests were found.\n")


def test_models_without_a_name_are_one(run: Runner, tmp_path: Path) -> None:
    logs = logged(tmp_path / "logs", answer("m1", model=""), answer("m2"))
    found = json.loads(run(str(logs), "--by", "model", "--json")[1])
    assert [(row["model"], row["requests"]) for row in found["rows"]] == [("unknown", 2)]


def logged(folder: Path, *lines: bytes, name: str = "S.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(b"".join(lines))
    return folder


def answer(key: str, **message: str) -> bytes:
    usage = {"input_tokens": 1, "output_tokens": 2}
    line = {"sessionId": message.pop("session", "S"), "type": "assistant", "timestamp": "2026-11-30T05:33:26.453Z"}
    return json.dumps({**line, "message": {"id": key, "usage": usage, **message}}).encode() + b"\n"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", " =1", "\uff1d1"], ids=repr)
def test_a_spreadsheet_runs_no_name_of_the_csv(run: Runner, tmp_path: Path, name: str) -> None:
    logs = logged(tmp_path / "logs", answer("m1", model=name))
    (row,) = csv.DictReader(io.StringIO(run(str(logs), "--by", "model", "--csv")[1]))
    assert row["model"] == f"'{name}"


def test_names_that_a_terminal_would_obey_stay_on_their_line(run: Runner, tmp_path: Path) -> None:
    forged = "m\nNot counted: nothing\x1b[2J"
    logs = logged(tmp_path / "logs", answer("m1", model=forged, session=forged), b"{broken\n", name="a\nb.jsonl")
    for text in (run(str(logs), "--by", "model")[1], run(str(logs), "--explain", "m1")[1]):
        assert "\x1b" not in text
        assert not any(line.startswith(("Not counted: nothing", "b.jsonl")) for line in text.splitlines())


def test_csv_tells_what_was_not_counted_beside_the_rows(run: Runner, tmp_path: Path) -> None:
    logs = logged(tmp_path / "logs", answer("m1", model="x"), b"{broken\n")
    result = CliRunner().invoke(app, ["usage", str(logs), "--csv"])
    assert len(list(csv.DictReader(io.StringIO(result.stdout)))) == 1
    assert "malformed, 1×" in result.stderr


def test_many_logs_that_cannot_be_counted_are_told_together(run: Runner, tmp_path: Path) -> None:
    for number in range(60):
        logs = logged(tmp_path / "logs", answer("m1"), b"{broken\n", name=f"{number}.jsonl")
    text = run(str(logs))[1]
    assert text.count("Not counted: ") == 50
    assert "Not counted in other logs: malformed, 10×" in text


@pytest.mark.parametrize("others", [["--json"], ["--explain", "m1"]])
def test_csv_goes_with_no_other_form(run: Runner, tmp_path: Path, others: list[str]) -> None:
    code, text = run(str(logged(tmp_path / "logs", answer("m1"))), "--csv", *others)
    assert (code, "--csv" in text) == (2, True)


def database(path: Path, *statements: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


MESSAGE = json.dumps(
    {
        "role": "assistant",
        "providerID": "anthropic",
        "modelID": "claude-haiku-4-5",
        "cost": 0.25,
        "time": {"created": 1_796_000_000_000, "completed": 1_796_000_004_000},
        "tokens": {"input": 120, "output": 49, "reasoning": 38},
    }
)


def test_a_request_of_a_database_is_explained_by_its_row(run: Runner, tmp_path: Path) -> None:
    database(
        tmp_path / "logs/opencode.db",
        "CREATE TABLE session (id, parent_id)",
        "CREATE TABLE message (id, session_id, time_updated, data)",
        f"INSERT INTO message VALUES ('msg_1', 's', 1, '{MESSAGE}')",
    )
    database(
        tmp_path / "logs/state.db",
        "CREATE TABLE sessions (id, started_at, input_tokens, output_tokens)",
        "INSERT INTO sessions VALUES ('h1', 1796000000.5, 7, 8)",
    )
    text = run(str(tmp_path / "logs"), "--explain", "msg_1")[1]
    assert "row msg_1: {'tokens': {'input': 120, 'output': 49, 'reasoning': 38}, 'cost': 0.25}" in text
    assert "recorded by the harness: 0.25 $" in text
    (seen,) = json.loads(run(str(tmp_path / "logs"), "--explain", "session:h1", "--json")[1])
    assert seen["lines"] == [{"row": "session:h1", "counts": {"input_tokens": 7, "output_tokens": 8}}]


def test_a_request_of_a_document_is_explained_by_its_own_part(run: Runner, tmp_path: Path) -> None:
    messages = [
        {"id": f"g{number}", "type": "gemini", "timestamp": "2026-11-30T05:33:26Z", "tokens": {"input": number}}
        for number in (1, 2)
    ]
    document = json.dumps({"sessionId": "S", "projectHash": "h", "messages": messages}, indent=1).encode()
    text = run(str(logged(tmp_path / "logs", document, name="session-1.json")), "--explain", "g2")[1]
    assert "row g2: {'input': 2}" in text


def test_lines_that_are_gone_are_said_to_be_gone(run: Runner, tmp_path: Path) -> None:
    log = logged(tmp_path / "home/.claude/projects/-p", b"\n", answer("m1")) / "S.jsonl"
    assert "line 2: {'input_tokens': 1" in run("--explain", "m1")[1]
    log.unlink()
    assert "byte 1, no longer there" in run("--explain", "m1")[1]
