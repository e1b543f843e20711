"""Qwen Code: hooks in a system settings file of our own; its notice of rest proves refusals and interruptions.

Spec: harnesses, Qwen Code; agents' programs as they are, Qwen. Decisions 22, 23, 28b.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from ..facts import (
    Answered,
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
    Waiting,
)
from ..signals import Choice, LogView, TitleSaid
from ..state import Rules
from .hooking import question_of, result, session_facts
from .layered_settings import SettingsFamily, launch_with, system_settings
from .payloads import Payload, iso_ms, json_line, one_line, table, tables, text
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec

FAMILY: Final = SettingsFamily(
    "QWEN_CODE_SYSTEM_SETTINGS_PATH",
    "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
    "/etc/qwen-code",
    (
        "SessionStart",
        "UserPromptSubmit",
        "PermissionRequest",
        "PreToolUse",
        "PostToolUseFailure",
        "Notification",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
    ),
)


def launch(spec: LaunchSpec) -> Launch:
    return launch_with(spec, FAMILY)


def reads(environment: Mapping[str, str]) -> tuple[str, ...]:
    return (system_settings(environment, FAMILY),)


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return result(payload, _facts(event, payload))


def _facts(event: str, payload: Payload) -> Iterator[Fact]:
    subagent_id = text(payload, "agent_id")
    match event:
        case "SessionStart":
            yield from session_facts(payload)
        case "UserPromptSubmit" if subagent_id is None:
            yield from session_facts(payload)
            # It also comes with an empty prompt when a tool's result goes back to the model.
            yield TurnStarted() if text(payload, "submitted_prompt", "prompt") else Resumed()
        case "PermissionRequest":
            yield Asked(question_of(payload))
        case "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
            yield Resumed(question_of(payload).about)
        case "Notification":
            yield from _notice(payload)
        case "Stop" if subagent_id is None:
            yield TurnEnded("done", reply=text(payload, "last_assistant_message"))
        case "StopFailure":
            yield TurnEnded("failed", text(payload, "error", "message") or "the model failed")
        case "SubagentStart" if subagent_id is not None:
            yield SubagentStarted(Subagent(subagent_id, one_line(text(payload, "agent_type") or "sub-agent", 48)))
        case "SubagentStop" if subagent_id is not None:
            yield SubagentStopped(subagent_id)
        case "control_request" | "control_response":
            yield from _control(event, payload)
        case _:
            pass


def _notice(payload: Payload) -> Iterator[Fact]:
    message = text(payload, "message") or ""
    match text(payload, "notification_type"):
        case "idle_prompt":
            yield Waiting()
        case "permission_prompt":
            yield Asked(Question("permission", one_line(message), message), sure=False)
        case _:
            pass


def _control(event: str, payload: Payload) -> Iterator[Fact]:
    """The events that it writes beside its screen, where it is started with a file for them."""
    request = table(payload, "request")
    if event == "control_response":
        response = table(payload, "response")
        yield Answered(text(payload, "request_id") or text(response, "request_id"))
    elif text(request, "subtype") == "can_use_tool":
        question = question_of({"tool_name": request.get("tool_name"), "tool_input": request.get("input")})
        request_id = text(payload, "request_id")
        yield Asked(replace(question, about=request_id, id=request_id))


def read_title(title: str) -> TitleSaid:
    """`◐ Qwen - folder` while it works; what it shows at rest does not tell a question from an end."""
    return TitleSaid("working" if title.startswith("◐") else None)


def read_log(view: LogView, line: str) -> LogView:
    entry = json_line(line)
    if entry is None or entry.get("isSidechain") is True:
        return view
    at_ms = iso_ms(entry.get("timestamp"))
    parts = tables(table(entry, "message"), "parts")
    words = "".join(text(one, "text") or "" for one in parts if one.get("thought") is not True)
    match entry.get("type"):
        case "user" if entry.get("provenance") in (None, "real_user") and not words.startswith("/"):
            return replace(view, phase="busy", phase_at_ms=at_ms, turn_started_at_ms=at_ms)
        case "assistant":
            calls = any("functionCall" in one for one in parts)
            view = replace(view, phase="busy" if calls else "answered", phase_at_ms=at_ms, assistant_at_ms=at_ms)
            view = replace(view, model=text(entry, "model") or view.model)
            return replace(view, reply=words, reply_at_ms=at_ms) if words else view
        case "tool_result":
            return replace(view, phase="busy", phase_at_ms=at_ms)
        case _:
            return view


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "deny":
        return (KeyWrite(b"\x1b"),)
    if question.kind == "question":
        return None
    return (KeyWrite(b"2"),) if choice == "always" else (KeyWrite(b"\r"),)


HARNESS: Final = Harness(
    id="qwen-code",
    detection=Detection(("qwen",), install="npm install -g @qwen-code/qwen-code", node_from=22),
    abilities=Abilities(
        status_from=("hooks", "transcript", "title", "keys"),
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
        tried="0.24.4",
    ),
    rules=Rules(),
    launch=launch,
    reads=reads,
    read_hook=read_hook,
    answer=answer,
    asking=r"› \d\. ",
    read_title=read_title,
    read_log=read_log,
    missing=("Nosavedsessionfound",),
    clear_line=(KeyWrite(b"\x15"),),
)
