"""Claude Code: hooks in a settings file of our own, its program status, its transcript.

Spec: harnesses, Claude Code; agents' programs as they are, Claude Code. Decisions 22, 23, 27.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ..facts import (
    Asked,
    Fact,
    HookContext,
    HookResult,
    Question,
    Resumed,
    Subagent,
    SubagentsAre,
    SubagentStarted,
    SubagentStopped,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice, TitleSaid
from ..state import Rules
from .claude_log import read_log
from .hooking import MCP_NAME, hook_groups, mcp_headers, post_file, question_of, result, session_facts
from .payloads import Payload, one_line, tables, text
from .shape import (
    Abilities,
    Delivery,
    Detection,
    Harness,
    KeyWrite,
    Launch,
    LaunchSpec,
    LayerFile,
    StartDialog,
    Version,
)

SETTINGS_FILE: Final = "settings.json"
MCP_FILE: Final = "mcp.json"
HOOK_TIMEOUT_S: Final = 10
NAMES_UNKNOWN_EVENTS: Final[Version] = (2, 1, 101)
"""From here on an event's name that a build does not know no longer voids the whole file."""

EVENTS: Final[dict[str, Version]] = {
    "UserPromptSubmit": (1, 0, 54),
    "Stop": (1, 0, 41),
    "SubagentStop": (1, 0, 41),
    "SessionStart": (1, 0, 62),
    "PostToolUse": (1, 0, 41),
    "Notification": (1, 0, 41),
    "SubagentStart": (2, 0, 43),
    "PermissionRequest": (2, 0, 45),
    "PostToolUseFailure": (2, 1, 0),
    "StopFailure": (2, 1, 78),
    "PermissionDenied": (2, 1, 89),
}
"""Every event we listen to, and the first version that knows it."""

ALLOW: Final = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
)
ASKING_TOOLS: Final = frozenset(("AskUserQuestion", "ExitPlanMode"))
"""Tools whose permission prompt *is* a question to the person: never answered by rule."""

FINAL: Final = frozenset(("completed", "failed", "killed", "stopped", "cancelled"))
ASKING_NOTICES: Final = frozenset(("elicitation_dialog", "worker_permission_prompt"))
WORKING_GLYPHS: Final = frozenset("◐◑◒◓⠂⠐⠁⠈⠠⠄")
READY_GLYPH: Final = "✳"


def launch(spec: LaunchSpec) -> Launch:
    version = spec.version or NAMES_UNKNOWN_EVENTS
    events = [name for name, since in EVENTS.items() if version >= min(since, NAMES_UNKNOWN_EVENTS)]
    settings: dict[str, Any] = {"hooks": hook_groups(spec, events, HOOK_TIMEOUT_S)}
    files = [post_file(spec), LayerFile(SETTINGS_FILE, json.dumps(settings))]
    argv = [spec.program, "--settings", f"{spec.layer}/{SETTINGS_FILE}"]
    if spec.mcp is not None:
        server = {"type": "http", "url": spec.mcp.url, "headers": mcp_headers(spec.mcp)}
        files.append(LayerFile(MCP_FILE, json.dumps({"mcpServers": {MCP_NAME: server}})))
        argv += ["--mcp-config", f"{spec.layer}/{MCP_FILE}"]
    if spec.model:
        argv += ["--model", spec.model]
    session_id = spec.session_id or spec.new_session_id
    argv += ["--resume" if spec.session_id else "--session-id", session_id]
    if spec.prompt:
        argv += ["--", spec.prompt] if spec.prompt.startswith("-") else [spec.prompt]
    return Launch(tuple(argv), files=tuple(files), session_id=session_id, prompt_given=bool(spec.prompt))


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    if event == "PermissionRequest" and context.dangerous and text(payload, "tool_name") not in ASKING_TOOLS:
        return result(payload, (), ALLOW)
    return result(payload, _facts(event, payload, context))


def _facts(event: str, payload: Payload, context: HookContext) -> Iterator[Fact]:
    subagent_id = text(payload, "agent_id")
    match event:
        case "SessionStart":
            yield from session_facts(payload, fresh=text(payload, "source") == "startup")
        case "UserPromptSubmit" if subagent_id is None:
            yield from session_facts(payload)
            yield TurnStarted()
        case "PermissionRequest":
            yield Asked(_question(payload))
        case "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
            yield Resumed(question_of(payload).about)
        case "Notification":
            yield from _notice(payload, context)
        case "Stop":
            yield from session_facts(payload)
            if "background_tasks" in payload:
                yield SubagentsAre(tuple(_background(payload)))
            yield TurnEnded("done", reply=text(payload, "last_assistant_message"))
        case "StopFailure":
            yield TurnEnded("failed", text(payload, "error_details", "error", "message") or "the model failed")
        case "SubagentStart" if subagent_id is not None:
            yield SubagentStarted(Subagent(subagent_id, one_line(text(payload, "agent_type") or "sub-agent", 48)))
        case "SubagentStop" if subagent_id is not None:
            yield SubagentStopped(subagent_id)
        case _:
            pass


def _question(payload: Payload) -> Question:
    asking = text(payload, "tool_name") in ASKING_TOOLS
    can_always = bool(payload.get("permission_suggestions")) and not asking
    return question_of(payload, kind="question" if asking else "permission", can_always=can_always)


def _notice(payload: Payload, context: HookContext) -> Iterator[Fact]:
    """A notice comes seconds after what it tells of; old builds do not say which kind it is."""
    kind, message = text(payload, "notification_type"), text(payload, "message") or ""
    if kind in ASKING_NOTICES:
        asks_person = kind == "elicitation_dialog"
        yield Asked(Question("question" if asks_person else "permission", one_line(message), message))
    elif context.dangerous or (kind is None and "waiting for your input" in message):
        return
    elif kind in (None, "permission_prompt"):
        yield Asked(Question("permission", one_line(message), message), sure=False)


def _background(payload: Payload) -> Iterator[Subagent]:
    for task in tables(payload, "background_tasks"):
        task_id = text(task, "id")
        if text(task, "type") == "subagent" and task_id is not None and text(task, "status") not in FINAL:
            yield Subagent(task_id, one_line(text(task, "agent_type", "description") or "sub-agent", 48))


def read_title(title: str) -> TitleSaid:
    glyph, _, rest = title.partition(" ")
    if glyph and (glyph[0] == READY_GLYPH or glyph[0] in WORKING_GLYPHS):
        name = rest.strip()
        return TitleSaid("ready" if glyph[0] == READY_GLYPH else "working", None if name in OWN_NAMES else name)
    return TitleSaid(None, None if title in OWN_NAMES else title)


OWN_NAMES: Final = frozenset(("", "Claude Code"))


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "deny":
        return (KeyWrite(b"\x1b"),)
    if question.kind == "question":
        return None
    if choice == "always":
        return (KeyWrite(b"2"),) if question.can_always else None
    return (KeyWrite(b"1"),)


HARNESS: Final = Harness(
    id="claude-code",
    detection=Detection(("claude",), min_version=(1, 0, 54), install="npm install -g @anthropic-ai/claude-code"),
    abilities=Abilities(
        status_from=("hooks", "program status", "transcript", "title", "keys"),
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
        tried="2.1.332",
    ),
    rules=Rules(),
    launch=launch,
    read_hook=read_hook,
    answer=answer,
    asking=r"❯ \d\. ",
    read_title=read_title,
    read_log=read_log,
    missing=("NoconversationfoundwithsessionID",),
    dialogs=(StartDialog("Quicksafetycheck", (KeyWrite(b"\x1b[B", 200), KeyWrite(b"\r", 200))),),
)
