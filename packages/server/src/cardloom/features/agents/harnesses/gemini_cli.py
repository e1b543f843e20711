"""Gemini CLI: its title and its log; hooks in a system settings file of our own where it takes one.

It takes system settings from folders alone that root owns and nobody else writes, and warns of any other on its screen
(seen with 0.61.0). So only a server that runs as root gives it hooks and the canvas's tools. Spec: harnesses, Gemini
CLI; agents' programs as they are, Gemini. Decisions 22, 23.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from ..facts import (
    Asked,
    EndsAs,
    Fact,
    HookContext,
    HookResult,
    Question,
    Resumed,
    SessionSeen,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice, LogView, TitleSaid, TitleState
from ..state import Rules
from .hooking import result
from .layered_settings import SettingsFamily, launch_with, system_settings
from .payloads import Payload, about, iso_ms, json_line, one_line, table, tables, text
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec

FAMILY: Final = SettingsFamily(
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "/etc/gemini-cli",
    ("SessionStart", "BeforeAgent", "AfterAgent", "AfterTool", "Notification"),
)
"""Not AfterModel: it runs once a piece of an answer and slows the stream."""

GLYPHS: Final[dict[str, TitleState]] = {"◇": "ready", "✦": "working", "✋": "asking"}


def launch(spec: LaunchSpec) -> Launch:
    made = launch_with(spec, FAMILY)
    if spec.session_id is None:
        made = replace(made, argv=(*made.argv, "--session-id", spec.new_session_id), session_id=spec.new_session_id)
    return made if spec.layer_is_roots else replace(made, environment={}, files=())


def reads(environment: Mapping[str, str]) -> tuple[str, ...]:
    return (system_settings(environment, FAMILY),)


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return result(payload, _facts(event, payload))


def _facts(event: str, payload: Payload) -> Iterator[Fact]:
    match event:
        case "SessionStart":
            yield from _session(payload)
        case "BeforeAgent":
            yield from _session(payload)
            yield TurnStarted()
        case "Notification" if text(payload, "notification_type") == "ToolPermission":
            yield Asked(_question(payload))
        case "AfterTool":
            command = text(table(payload, "tool_input"), "command")
            yield Resumed(about("shell", command) if command else None)
        case "AfterAgent":
            # Its prompt_response repeats pieces of the answer; the log has it whole.
            yield TurnEnded("done")
        case _:
            pass


def _session(payload: Payload) -> Iterator[Fact]:
    session_id = text(payload, "session_id")
    if session_id is not None:
        yield SessionSeen(session_id, text(payload, "transcript_path"))


def _question(payload: Payload) -> Question:
    details = table(payload, "details")
    command = text(details, "command")
    action = (
        command or text(details, "filePath", "fileName", "toolName", "title") or text(payload, "message") or "a tool"
    )
    tool = "shell" if command else text(details, "toolName", "type")
    detail = one_line(f"{tool} — {action}" if tool and tool != action else action)
    return Question("permission", detail, action, tool, about("shell", command) if command else None)


def read_title(title: str) -> TitleSaid:
    return TitleSaid(GLYPHS.get(title[:1]))


_ERROR: Final = re.compile(r"^✕ \[API Error: (.*)", re.MULTILINE)


def read_output(recent: str) -> tuple[Fact, ...]:
    """See that the turn will end as a failed one, which the title does not tell."""
    errors = _ERROR.findall(recent)
    return (EndsAs("failed", one_line(errors[-1])),) if errors else ()


def read_log(view: LogView, line: str) -> LogView:
    """Fold one line. Updates (`$set`) and lines without tokens repeat what was there before."""
    entry = json_line(line)
    if entry is None:
        return view
    at_ms = iso_ms(entry.get("timestamp"))
    match entry.get("type"):
        case "user":
            return replace(view, phase="busy", phase_at_ms=at_ms, turn_started_at_ms=at_ms)
        case "gemini" if isinstance(entry.get("tokens"), dict):
            words = text(entry, "content")
            calls = bool(tables(entry, "toolCalls"))
            view = replace(view, phase="busy" if calls else "answered", phase_at_ms=at_ms)
            view = replace(view, assistant_at_ms=at_ms, model=text(entry, "model") or view.model)
            return replace(view, reply=words, reply_at_ms=at_ms) if words else view
        case "info" if text(entry, "content") == "Request cancelled.":
            return replace(view, phase="interrupted", phase_at_ms=at_ms)
        case _:
            return view


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "deny":
        return (KeyWrite(b"\x1b"),)
    return (KeyWrite(b"2"),) if choice == "always" else (KeyWrite(b"\r"),)


HARNESS: Final = Harness(
    id="gemini-cli",
    detection=Detection(("gemini",), install="npm install -g @google/gemini-cli", node_from=20),
    abilities=Abilities(
        status_from=("title", "hooks", "transcript", "output", "keys"),
        questions=True,
        resume=True,
        first_prompt=True,
        model_choice=True,
        dangerous=True,
        mcp=True,
        subagents=False,
        reply="log",
        answers="keys",
        always=True,
        tried="0.61.0",
    ),
    rules=Rules(ends_when_interrupted=True),
    launch=launch,
    reads=reads,
    read_hook=read_hook,
    answer=answer,
    asking=r"● \d\. ",
    read_title=read_title,
    read_log=read_log,
    read_output=read_output,
    missing=("Errorresumingsession", "Invalidsessionidentifier"),
    clear_line=(KeyWrite(b"\x15"),),
)
