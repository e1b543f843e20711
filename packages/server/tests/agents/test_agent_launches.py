"""How each harness is started, interrupted and answered: never by the user's own files, never with secrets in sight."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from cardloom.features.agents.facts import Question
from cardloom.features.agents.harnesses import acp, claude_code, codex_cli, opencode
from cardloom.features.agents.harnesses.shape import ApiCall, Harness, KeyWrite, Launch, LaunchSpec, McpServer
from cardloom.features.agents.harnesses.table import HARNESSES
from cardloom_protocol.agents import HARNESSES as NAMED

TOKEN, HOOK_TOKEN = "mcp-secret", "hook-secret"
SPEC = LaunchSpec(
    agent_id="c1",
    program="/usr/bin/agent",
    cwd="/home/user/my project",
    layer="/data/layers/c1",
    new_session_id="6f1d1f7e-2f0e-4c3b-9a51-0a8f4f6f0a11",
    hook_url=f"http://127.0.0.1:4321/hooks/{HOOK_TOKEN}/c1",
    poster=("/usr/bin/python3", "-I", "-S", "/app/posting.py"),
    environment={"HOME": "/home/user"},
    mcp=McpServer("http://127.0.0.1:4321/mcp", TOKEN),
    model="some-model",
    prompt="Fix the test.",
    arguments=("--fast",),
    layer_is_roots=True,
)
ALL = pytest.mark.parametrize("harness", HARNESSES.values(), ids=lambda harness: harness.id)
PERMISSION = Question("permission", "run x", "run x", id="call-1")


def file_of(launch: Launch, path: str) -> str:
    return next(file.text for file in launch.files if file.path == path)


def test_every_named_harness_that_is_no_shell_can_be_started() -> None:
    assert set(HARNESSES) == {named.id for named in NAMED.values() if named.kind == "ai"}


@ALL
def test_no_secret_is_in_arguments(harness: Harness) -> None:
    words = " ".join(harness.launch(SPEC).argv)
    assert TOKEN not in words
    assert HOOK_TOKEN not in words


@ALL
def test_layer_files_stay_in_the_layer_and_no_file_of_the_user_is_named(harness: Harness) -> None:
    launch = harness.launch(SPEC)
    for file in launch.files:
        assert not PurePosixPath(file.path).is_absolute()
        assert ".." not in PurePosixPath(file.path).parts
    named = [word for word in (*launch.argv, *launch.environment.values()) if word.startswith("/")]
    ours = (SPEC.layer, SPEC.program, SPEC.poster[0], "/etc/")
    assert all(word.startswith(ours) for word in named), named


@ALL
def test_a_launch_gives_what_its_row_promises(harness: Harness) -> None:
    able, launch = harness.abilities, harness.launch(SPEC)
    everything = "\n".join([*launch.argv, *launch.environment.values(), *(file.text for file in launch.files)])
    assert SPEC.program in launch.argv
    assert launch.prompt_given == able.first_prompt == any("Fix the test." in word for word in launch.argv)
    assert ("some-model" in everything) == able.model_choice
    assert (TOKEN in everything) == able.mcp
    dangerous = harness.launch(replace(SPEC, dangerous=True))
    assert (dangerous != launch) == (able.dangerous and harness is not claude_code.HARNESS)
    resumed = harness.launch(replace(SPEC, session_id="the-session"))
    assert (resumed.session_id == "the-session") == able.resume
    everywhere = " ".join((*resumed.argv, *(file.text for file in resumed.files)))
    assert ("the-session" in everywhere) == able.resume


@ALL
def test_answers_are_keys_or_calls_as_its_row_promises(harness: Harness) -> None:
    able = harness.abilities
    for choice in ("approve", "deny"):
        delivery = harness.answer(PERMISSION, choice)
        assert (delivery is None) == (able.answers == "none")
        assert isinstance(delivery, ApiCall) == (able.answers == "api")
    assert (harness.answer(PERMISSION, "always") is not None) == able.always


def test_every_harness_that_can_be_always_answered_refuses_where_the_question_cannot() -> None:
    asked = replace(PERMISSION, can_always=False)
    assert claude_code.answer(asked, "always") is None
    assert acp.answer(asked, "always") is None


def test_a_question_for_words_is_answered_in_the_terminal_alone() -> None:
    question = replace(PERMISSION, kind="question")
    for harness_id in ("claude-code", "codex-cli", "opencode", "qwen-code"):
        assert HARNESSES[harness_id].answer(question, "approve") is None
        assert HARNESSES[harness_id].answer(question, "deny") == (KeyWrite(b"\x1b"),)


def test_row_43_opencode_is_interrupted_by_two_escapes_apart() -> None:
    for harness_id in ("opencode", "kilo-code"):
        first, second = HARNESSES[harness_id].interrupt
        assert (first.data, second.data) == (b"\x1b", b"\x1b")
        assert second.pause_ms >= 250


def test_a_refusal_in_kilo_takes_two_keys() -> None:
    assert HARNESSES["kilo-code"].answer(PERMISSION, "deny") == (KeyWrite(b"\x1b"), KeyWrite(b"\r", 250))


@pytest.mark.parametrize(
    ("harness_id", "line"),
    [
        ("claude-code", " ❯ 1. Yes"),
        ("codex-cli", "› 1. Yes, proceed (y)"),
        ("opencode", "  ┃  △ Permission required"),
        ("kilo-code", "  ┃  △ Permission required"),
        ("qwen-code", "   › 1. Yes, allow once"),
        ("gemini-cli", "│ ● 1. Allow once"),
        ("pi", " → Yes"),
    ],
)
def test_a_drawn_dialog_is_known_by_a_line_of_it(harness_id: str, line: str) -> None:
    """Seen with the programs themselves, at the versions that each row was tried with."""
    assert re.search(HARNESSES[harness_id].asking, line)
    assert not re.search(HARNESSES[harness_id].asking, "I would like to run 1. Yes and 2. No")


def test_always_takes_the_keys_of_each_dialog() -> None:
    """Seen with Codex 0.171.0 and OpenCode 1.18.33, whose second choice asks once more."""
    patch = replace(PERMISSION, tool="apply_patch")
    assert codex_cli.answer(PERMISSION, "always") == (KeyWrite(b"p"),)
    assert codex_cli.answer(patch, "always") == (KeyWrite(b"a"),)
    keys = opencode.answer(PERMISSION, "always")
    assert isinstance(keys, tuple)
    assert [key.data for key in keys] == [b"\x1b[C", b"\r", b"\r"]
    assert opencode.answer(replace(PERMISSION, subagent="explorer"), "deny") == (
        KeyWrite(b"\x1b"),
        KeyWrite(b"\r", 250),
    )


def test_claude_posts_each_event_with_the_file_that_holds_the_address() -> None:
    launch = claude_code.launch(SPEC)
    hooks = json.loads(file_of(launch, "settings.json"))["hooks"]
    assert set(hooks) == set(claude_code.EVENTS)
    command = hooks["Stop"][0]["hooks"][0]["command"]
    assert command == "/usr/bin/python3 -I -S /app/posting.py /data/layers/c1/post.json Stop"
    assert json.loads(file_of(launch, "post.json")) == {"url": SPEC.hook_url}
    assert launch.argv[-3:] == ("--session-id", SPEC.new_session_id, "Fix the test.")
    resumed = claude_code.launch(replace(SPEC, session_id="s", prompt=None))
    assert resumed.argv[-2:] == ("--resume", "s")


def test_claude_is_not_given_events_that_void_the_settings_of_an_old_build() -> None:
    old = json.loads(file_of(claude_code.launch(replace(SPEC, version=(2, 1, 70))), "settings.json"))["hooks"]
    assert "PermissionRequest" in old
    assert "StopFailure" not in old
    newer = json.loads(file_of(claude_code.launch(replace(SPEC, version=(2, 1, 101))), "settings.json"))["hooks"]
    assert "StopFailure" in newer


def test_paths_with_spaces_and_dollars_survive_the_shell() -> None:
    launch = claude_code.launch(replace(SPEC, layer="/data/a $HOME `x`/c1"))
    command = json.loads(file_of(launch, "settings.json"))["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert "'/data/a $HOME `x`/c1/post.json'" in command


@pytest.mark.parametrize("harness_id", ["claude-code", "codex-cli", "cursor", "pi"])
def test_a_prompt_that_looks_like_an_option_is_none(harness_id: str) -> None:
    assert HARNESSES[harness_id].launch(replace(SPEC, prompt="--help")).argv[-2:] == ("--", "--help")


def settings_of(launch: Launch) -> dict[str, object]:
    """Codex' settings as it reads them from its command line."""
    given = [launch.argv[at + 1] for at, word in enumerate(launch.argv) if word == "-c"]
    return {name: tomllib.loads(f"value={value}")["value"] for name, _, value in (one.partition("=") for one in given)}


def test_codex_trusts_exactly_our_hooks() -> None:
    settings = settings_of(codex_cli.launch(SPEC))
    hooks, state = settings["hooks"], settings["hooks.state"]
    assert isinstance(hooks, dict)
    assert isinstance(state, dict)
    assert set(hooks) == set(codex_cli.HOOKS)
    assert len(state) == len(hooks)
    command = hooks["Stop"][0]["hooks"][0]["command"]
    trusted = state["/<session-flags>/config.toml:stop:0:0"]["trusted_hash"]
    assert trusted == codex_cli.trust_hash("stop", None, command, 10)
    assert settings["projects"] == {SPEC.cwd: {"trust_level": "trusted"}}


@pytest.mark.parametrize(
    ("label", "matcher", "command", "expected"),
    [
        ("stop", None, "echo hi", "bfacd2ac32f50a02273be5e5139bce873be2be18aed3f7228a6c4b3c28b1beb1"),
        (
            "pre_tool_use",
            "request_user_input",
            "echo pre",
            "32c75132a7b520ce49ca7629ad9f9ccd0e203093fa3992a3f504f75a8d6f8deb",
        ),
    ],
)
def test_the_trust_hash_is_the_one_that_codex_computes(
    label: str, matcher: str | None, command: str, expected: str
) -> None:
    """Recorded from Codex 0.171.0, which lists its hooks with their hashes."""
    assert codex_cli.trust_hash(label, matcher, command, 5) == f"sha256:{expected}"


def test_codex_reads_its_token_from_the_environment() -> None:
    launch = codex_cli.launch(SPEC)
    assert settings_of(launch)["mcp_servers.cardloom"] == {
        "url": "http://127.0.0.1:4321/mcp",
        "bearer_token_env_var": "CARDLOOM_MCP_TOKEN",
    }
    assert launch.environment == {"CARDLOOM_MCP_TOKEN": TOKEN}


def test_a_programs_review_of_requests_is_seen_in_the_settings() -> None:
    assert codex_cli.reviewed('model = "x"\napprovals_reviewer = "auto_review"\n')
    assert not codex_cli.reviewed('# approvals_reviewer = "auto_review"\napprovals_reviewer = "user"\n')


THEIRS = """{
  // mine
  "plugin": ["mine.js",], /* "plugin": [] */
  "mcp": {"docs": {"url": "https://x/{}//y"}},
}"""


def test_a_launch_says_which_settings_it_must_know() -> None:
    environment = {"HOME": "/home/user", "OPENCODE_CONFIG": "/oc.json", "KILO_CONFIG": "/kilo.json"}
    read = {harness.id: harness.reads(environment) for harness in HARNESSES.values() if harness.reads(environment)}
    assert read == {
        "codex-cli": ("/home/user/.codex/config.toml",),
        "opencode": ("/oc.json",),
        "kilo-code": ("/kilo.json",),
        "qwen-code": ("/etc/qwen-code/settings.json",),
        "gemini-cli": ("/etc/gemini-cli/settings.json",),
    }
    config = {"/home/user/.codex/config.toml": 'approvals_reviewer = "auto_review"'}
    assert codex_cli.launch(replace(SPEC, layers_below=config)).reviewed
    assert not codex_cli.launch(SPEC).reviewed


def test_opencode_keeps_the_file_that_the_user_names() -> None:
    spec = replace(
        SPEC, environment={"OPENCODE_CONFIG": "/home/user/oc.jsonc"}, layers_below={"/home/user/oc.jsonc": THEIRS}
    )
    launch = opencode.launch(spec)
    config = json.loads(file_of(launch, "opencode.json"))
    assert config["plugin"] == ["mine.js", "file:///data/layers/c1/cardloom-plugin.js"]
    assert config["mcp"]["docs"] == {"url": "https://x/{}//y"}
    assert config["mcp"]["cardloom"]["headers"] == {"Authorization": f"Bearer {TOKEN}"}
    assert launch.environment == {"OPENCODE_CONFIG": "/data/layers/c1/opencode.json", "OPENCODE_PURE": "false"}


def test_kilo_reads_its_own_variables() -> None:
    assert set(HARNESSES["kilo-code"].launch(SPEC).environment) == {"KILO_CONFIG", "KILO_PURE"}


@pytest.mark.parametrize("text", ["", "nonsense", "[1]", '{"open": ', '"'])
def test_a_file_that_cannot_be_read_hides_nothing(text: str) -> None:
    assert opencode.uncommented(text) == {}


@pytest.mark.parametrize(("harness_id", "folder"), [("qwen-code", "/etc/qwen-code"), ("gemini-cli", "/etc/gemini-cli")])
def test_the_system_file_that_ours_stands_in_for_still_counts(harness_id: str, folder: str) -> None:
    theirs = json.dumps(
        {"hooks": {"Stop": [{"hooks": []}], "BeforeAgent": [{"hooks": []}]}, "telemetry": {"on": False}}
    )
    spec = replace(SPEC, layers_below={f"{folder}/settings.json": theirs})
    launch = HARNESSES[harness_id].launch(spec)
    settings = json.loads(file_of(launch, "settings.json"))
    event = "Stop" if harness_id == "qwen-code" else "BeforeAgent"
    assert [len(settings["hooks"][event]), settings["hooks"][event][0]] == [2, {"hooks": []}]
    assert settings["telemetry"] == {"on": False}
    assert settings["mcpServers"]["cardloom"]["httpUrl"] == "http://127.0.0.1:4321/mcp"
    assert f"{folder}/system-defaults.json" in launch.environment.values()


def test_gemini_gets_no_settings_that_it_would_warn_of() -> None:
    launch = HARNESSES["gemini-cli"].launch(replace(SPEC, layer_is_roots=False))
    assert (launch.environment, launch.files) == ({}, ())
    assert launch.argv[-2:] == ("--session-id", SPEC.new_session_id)
    assert launch.session_id == SPEC.new_session_id
    continued = HARNESSES["gemini-cli"].launch(replace(SPEC, session_id="s"))
    assert "--session-id" not in continued.argv


def test_hermes_posts_to_us_by_a_managed_folder() -> None:
    launch = HARNESSES["hermes-agent"].launch(SPEC)
    (outbound,) = json.loads(file_of(launch, "managed/config.yaml"))["hooks"]["outbound"]
    assert outbound["url"] == f"{SPEC.hook_url}/webhook"
    assert launch.environment == {"HERMES_MANAGED_DIR": "/data/layers/c1/managed"}
    assert launch.unset == ("HERMES_SAFE_MODE",)


def test_pi_asks_unless_it_is_dangerous() -> None:
    launch = HARNESSES["pi"].launch
    assert json.loads(file_of(launch(SPEC), "post.json"))["ask"] is True
    assert json.loads(file_of(launch(replace(SPEC, dangerous=True)), "post.json"))["ask"] is False
    assert launch(replace(SPEC, version=(0, 73, 1), session_id="s")).argv[3:5] == ("--session", "s")


def test_an_agent_of_the_client_protocol_is_given_an_option_it_offered() -> None:
    options = [{"optionId": "x", "kind": "allow_always"}, {"optionId": "y", "kind": "reject_once"}]
    assert [acp.option_for(list(options), choice) for choice in ("approve", "always", "deny")] == ["x", "x", "y"]
    assert acp.option_for([], "deny") is None
