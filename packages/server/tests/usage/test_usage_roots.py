"""Where logs are looked for, and whose a log is that lies anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardloom.features.usage.reading import LINE_READERS
from cardloom.features.usage.roots import UNREADABLE, list_logs, roots_of
from cardloom.features.usage.sniffing import HEAD_BYTES, harness_of
from cardloom_protocol.agents import HARNESSES

SAMPLES = Path(__file__).parent / "samples"
AGENTS = {name: harness for name, harness in HARNESSES.items() if harness.kind == "ai"}


def test_every_agent_is_read_or_said_not_to_be() -> None:
    read = {root.harness for root in roots_of(Path("/h"), {})}
    assert read | UNREADABLE == set(AGENTS)
    assert not read & UNREADABLE
    assert set(LINE_READERS) < read


@pytest.mark.parametrize(
    ("variable", "harness", "folder"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "/x/projects"),
        ("CODEX_HOME", "codex-cli", "/x/archived_sessions"),
        ("XDG_DATA_HOME", "opencode", "/x/opencode"),
        ("XDG_DATA_HOME", "kilo-code", "/x/kilo"),
        ("KILO_DATA_DIR", "kilo-code", "/x"),
        ("QWEN_RUNTIME_DIR", "qwen-code", "/x/projects"),
        ("PI_CODING_AGENT_DIR", "pi", "/x/sessions"),
        ("HERMES_HOME", "hermes-agent", "/x"),
    ],
)
def test_the_users_variables_say_where_logs_are(variable: str, harness: str, folder: str) -> None:
    places = {(root.harness, str(root.folder)) for root in roots_of(Path("/h"), {variable: "/x"})}
    assert (harness, folder) in places
    assert not [place for name, place in places if name == harness and place.startswith("/h")]


def test_several_folders_of_claude_are_read_once_each(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "projects").mkdir(parents=True)
        (tmp_path / name / "projects" / "S.jsonl").write_text("")
    listed = list_logs(roots_of(tmp_path, {"CLAUDE_CONFIG_DIR": f"{tmp_path}/a, {tmp_path}/b,{tmp_path}/a"}))
    assert [Path(log.path).parts[-3] for log in listed.logs] == ["a", "b"]


def test_links_to_folders_elsewhere_are_followed_once_and_those_around_in_circles_are_not(tmp_path: Path) -> None:
    projects, elsewhere = tmp_path / ".claude/projects", tmp_path / "disk/project"
    (projects / "-p").mkdir(parents=True)
    (elsewhere / "deeper").mkdir(parents=True)
    for log in (projects / "-p/A.jsonl", elsewhere / "B.jsonl", elsewhere / "deeper/C.jsonl"):
        log.write_text("")
    (projects / "-a").symlink_to(elsewhere)
    (projects / "-p/b").symlink_to(elsewhere)
    (elsewhere / "deeper/up").symlink_to(elsewhere)
    (elsewhere / "deeper/back").symlink_to(projects)
    (projects / "-p/home").symlink_to(tmp_path)
    (projects / "nowhere").symlink_to(tmp_path / "gone")
    listed = list_logs(roots_of(tmp_path, {}))
    assert sorted(Path(log.path).name for log in listed.logs) == ["A.jsonl", "B.jsonl", "C.jsonl"]
    assert listed.refused == []


@pytest.mark.parametrize(
    ("name", "harness"),
    [
        ("claude", "claude-code"),
        ("sub-claude", "claude-code"),
        ("codex", "codex-cli"),
        ("qwen", "qwen-code"),
        ("gemini", "gemini-cli"),
        ("pi", "pi"),
    ],
)
def test_a_log_is_told_by_its_first_lines_under_any_name(name: str, harness: str) -> None:
    for path in (SAMPLES / name / "home").rglob("*.jsonl"):
        text = path.read_bytes()[:HEAD_BYTES]
        assert harness_of("/any/name.jsonl", text) == harness
        assert harness_of("/any/name.jsonl", text.replace(b'": ', b'":').replace(b', "', b',"')) == harness


@pytest.mark.parametrize(
    ("path", "head", "harness"),
    [
        ("/a/opencode-beta.db", b"SQLite format 3\0", "opencode"),
        ("/a/kilo.db", b"SQLite format 3\0", "kilo-code"),
        ("/a/state.db", b"SQLite format 3\0", "hermes-agent"),
        ("/a/other.db", b"SQLite format 3\0", None),
        ("/a/oracle.jsonl", b'{"n": 1}', None),
        ("/a/notes.txt", b'{"sessionId":"S","type":"user"}', None),
        ("/a/s.json", b'{"sessionId":"S","projectHash":"h","messages":[]}', "gemini-cli"),
        ("/a/package.json", b'{"name":"x"}', None),
        ("/a/empty.jsonl", b"", None),
        ("/a/agent-1.jsonl", b'{"parentUuid":null,"isSidechain":true,"type":"user","message":{', "claude-code"),
    ],
)
def test_other_files_are_no_logs(path: str, head: bytes, harness: str | None) -> None:
    assert harness_of(path, head) == harness
