"""Codex CLI: hooks and settings on its command line only, its program status, its rollout log.

Spec: harnesses, Codex CLI; agents' programs as they are, Codex. Decisions 22, 23.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from ..facts import (
    Asked,
    Fact,
    HookContext,
    HookResult,
    Question,
    Resumed,
    Subagent,
    SubagentStarted,
    SubagentStopped,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice, LogView, TitleSaid
from ..state import Rules
from .hooking import MCP_NAME, post_command, post_file, question_of, result, session_facts
from .payloads import Payload, iso_ms, json_line, one_line, table, text
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec

MCP_TOKEN: Final = "CARDLOOM_MCP_TOKEN"  # noqa: S105 - the variable's name
FLAGS_LAYER: Final = "/<session-flags>/config.toml"
"""How Codex calls what comes from its command line."""

ASK_TOOL: Final = "request_user_input"
SPINNER: Final = frozenset("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

HOOKS: Final[dict[str, tuple[str, str | None, int]]] = {
    "SessionStart": ("session_start", None, 10),
    "UserPromptSubmit": ("user_prompt_submit", None, 10),
    "PermissionRequest": ("permission_request", None, 10),
    "PreToolUse": ("pre_tool_use", ASK_TOOL, 10),
    "PostToolUse": ("post_tool_use", ASK_TOOL, 10),
    "Stop": ("stop", None, 10),
    "Interrupt": ("interrupt", None, 3),
    "SubagentStart": ("subagent_start", None, 10),
    "SubagentStop": ("subagent_stop", None, 10),
}
"""Every event we listen to: its label in trust records, the tools it is for, seconds.

A hook without a tool's name would start a program once a command.
"""


def launch(spec: LaunchSpec) -> Launch:
    argv = [spec.program]
    if spec.session_id:
        argv += ["resume", spec.session_id]
    if spec.dangerous:
        argv.append("--dangerously-bypass-approvals-and-sandbox")
    argv += _settings(spec)
    environment = {}
    if spec.mcp is not None:
        environment[MCP_TOKEN] = spec.mcp.token
        server = {"url": spec.mcp.url, "bearer_token_env_var": MCP_TOKEN}
        argv += ["-c", f"mcp_servers.{MCP_NAME}={toml(server)}"]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.prompt:
        argv += ["--", spec.prompt] if spec.prompt.startswith("-") else [spec.prompt]
    config = "".join(spec.layers_below.get(path, "") for path in reads(spec.environment))
    return Launch(
        tuple(argv),
        environment,
        files=(post_file(spec),),
        session_id=spec.session_id,
        prompt_given=bool(spec.prompt),
        reviewed=reviewed(config),
    )


def reads(environment: Mapping[str, str]) -> tuple[str, ...]:
    folder = environment.get("CODEX_HOME") or f"{environment.get('HOME', '')}/.codex"
    return (f"{folder}/config.toml",)


def _settings(spec: LaunchSpec) -> Iterator[str]:
    hooks: dict[str, object] = {}
    trusted: dict[str, object] = {}
    for event, (label, matcher, timeout_s) in HOOKS.items():
        command = post_command(spec, event)
        group: dict[str, object] = {"hooks": [{"type": "command", "command": command, "timeout": timeout_s}]}
        if matcher is not None:
            group["matcher"] = matcher
        hooks[event] = [group]
        trusted[f"{FLAGS_LAYER}:{label}:0:0"] = {"trusted_hash": trust_hash(label, matcher, command, timeout_s)}
    folder = spec.cwd if "\\" not in spec.cwd else spec.cwd.lower()
    for name, value in (
        ("hooks", hooks),
        ("hooks.state", trusted),
        ("projects", {folder: {"trust_level": "trusted"}}),
        ("tui.resume_cwd", "current"),
    ):
        yield "-c"
        yield f"{name}={toml(value)}"


def trust_hash(label: str, matcher: str | None, command: str, timeout_s: int) -> str:
    """The hash by which Codex knows a hook that was trusted, so that ours run without trusting a folder's own."""
    handler = {"type": "command", "command": command, "timeout": timeout_s, "async": False}
    group: dict[str, object] = {"event_name": label, "hooks": [handler]}
    if matcher is not None:
        group["matcher"] = matcher
    words = json.dumps(group, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(words.encode()).hexdigest()


def toml(value: object) -> str:
    """A value as TOML writes it on one line; JSON's texts are TOML's."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{toml(str(key))}={toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(toml(one) for one in value) + "]"
    return json.dumps(value).replace("\x7f", "\\u007f")


def reviewed(config_text: str) -> bool:
    """Whether a person's settings let a program answer permission requests."""
    return re.search(r'^\s*approvals_reviewer\s*=\s*["\']auto_review["\']', config_text, re.MULTILINE) is not None


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    """Understand a hook. The answer is always `{}`: Codex takes no other key."""
    return result(payload, _facts(event, payload, context))


def _facts(event: str, payload: Payload, context: HookContext) -> Iterator[Fact]:
    subagent_id = text(payload, "agent_id")
    match event:
        case "SessionStart":
            yield from session_facts(payload)
        case "UserPromptSubmit" if subagent_id is None:
            yield from session_facts(payload)
            yield TurnStarted()
        case "PermissionRequest" if not context.reviewed:
            yield Asked(question_of(_in_short(payload)))
        case "PreToolUse" if text(payload, "tool_name") == ASK_TOOL:
            yield Asked(question_of(_in_short(payload), kind="question"))
        case "PostToolUse":
            yield Resumed(question_of(_in_short(payload)).about)
        case "Stop" if subagent_id is None:
            yield TurnEnded("done", reply=text(payload, "last_assistant_message"))
        case "Interrupt" if subagent_id is None:
            yield TurnEnded("interrupted")
        case "SubagentStart" if subagent_id is not None:
            yield SubagentStarted(Subagent(subagent_id, one_line(text(payload, "agent_type") or "sub-agent", 48)))
        case "SubagentStop" if subagent_id is not None:
            yield SubagentStopped(subagent_id)
        case _:
            pass


def _in_short(payload: Payload) -> Payload:
    """The payload with only what request and result of one call share: the result lacks the request's reason."""
    tool_input = {name: value for name, value in table(payload, "tool_input").items() if name != "description"}
    return {**payload, "tool_input": tool_input}


_ERROR_CELL = re.compile(r"^\s*■ +(\S.*)$", re.MULTILINE)


def read_output(recent: str) -> tuple[Fact, ...]:
    """See the cell by which a turn that failed ends; it runs no hook."""
    cells = _ERROR_CELL.findall(recent)
    if not cells or "interrupted" in cells[-1]:
        return ()
    return (TurnEnded("failed", one_line(cells[-1])),)


def read_title(title: str) -> TitleSaid:
    """`⠋ thread | folder` while it works, `[ ! ] Action Required | …` while it asks (between spinner frames too)."""
    glyph, _, rest = title.partition(" ")
    if glyph in SPINNER:
        return TitleSaid("working", _thread(rest))
    if "Action Required" in title:
        return TitleSaid("asking")
    return TitleSaid("ready", _thread(title))


def _thread(title: str) -> str | None:
    name, found, _ = title.partition(" | ")
    return name.strip() or None if found else None


def read_log(view: LogView, line: str) -> LogView:
    """Fold one line of the rollout: where the turn stands, for ends and interruptions that no hook told."""
    entry = json_line(line)
    if entry is None:
        return view
    payload, at_ms = table(entry, "payload"), iso_ms(entry.get("timestamp"))
    kind = payload.get("type") if entry.get("type") == "event_msg" else entry.get("type")
    match kind:
        case "turn_context":
            return replace(view, model=text(payload, "model") or view.model)
        case "task_started":
            return replace(view, phase="busy", phase_at_ms=at_ms, turn_started_at_ms=at_ms, error=None)
        case "task_complete":
            reply = text(payload, "last_agent_message")
            view = replace(view, phase="ended", phase_at_ms=at_ms)
            return replace(view, reply=reply, reply_at_ms=at_ms) if reply else view
        case "turn_aborted":
            return replace(view, phase="interrupted", phase_at_ms=at_ms)
        case "agent_message":
            return replace(view, assistant_at_ms=at_ms)
        case _:
            return view


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "deny":
        return (KeyWrite(b"\x1b"),)
    if question.kind == "question":
        return None
    if choice == "always":
        # Commands are remembered by their beginning, changed files by their names.
        return (KeyWrite(b"a" if question.tool == "apply_patch" else b"p"),)
    return (KeyWrite(b"y"),)


HARNESS: Final = Harness(
    id="codex-cli",
    detection=Detection(("codex",), install="npm install -g @openai/codex"),
    abilities=Abilities(
        status_from=("hooks", "program status", "transcript", "output", "keys"),
        questions=True,
        resume=True,
        first_prompt=True,
        model_choice=True,
        dangerous=True,
        mcp=True,
        subagents=True,
        reply="hook",
        answers="keys",
        always=True,
        tried="0.171.0",
    ),
    rules=Rules(answer_letters="yap"),
    launch=launch,
    reads=reads,
    read_hook=read_hook,
    answer=answer,
    asking=r"› \d\. ",
    read_title=read_title,
    read_log=read_log,
    read_output=read_output,
    missing=("Nosavedsessionfound", "norolloutfoundforthread"),
)
