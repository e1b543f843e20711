"""An agent that speaks the Agent Client Protocol: what passes over its pipe are the facts, nothing is guessed.

The program in its terminal is ours (`acp_terminal`): it holds the pipe, shows the conversation and posts each message
as an event: its method's name with dots, `session.prompt` for our own request and `session.prompt:result` or
`session.prompt:error` for what came of it. Spec: issue 4, harnesses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from ..facts import (
    Answered,
    Asked,
    Fact,
    HookContext,
    HookResult,
    ModelSeen,
    Question,
    Replied,
    SessionSeen,
    Titled,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice
from ..state import Rules
from .hooking import MCP_NAME, POST_FILE
from .payloads import Payload, one_line, table, tables, text
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec, LayerFile

TERMINAL: Final = "cardloom.features.agents.acp_terminal"
FAILED_STOPS: Final = frozenset(("max_tokens", "max_turn_requests", "refusal"))
OPTION_KINDS: Final[dict[Choice, tuple[str, ...]]] = {
    "approve": ("allow_once", "allow_always"),
    "always": ("allow_always",),
    "deny": ("reject_once", "reject_always"),
}


def launch(spec: LaunchSpec) -> Launch:
    mcp = None if spec.mcp is None else {"name": MCP_NAME, "url": spec.mcp.url, "token": spec.mcp.token}
    told = LayerFile(POST_FILE, json.dumps({"url": spec.hook_url, "session": spec.session_id, "mcp": mcp}))
    talk = (spec.poster[0], "-I", "-m", TERMINAL, f"{spec.layer}/{POST_FILE}")
    return Launch((*talk, spec.program, *spec.arguments), files=(told,), session_id=spec.session_id)


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return HookResult(tuple(_facts(event.replace(".", "/"), payload)), session_id=text(payload, "sessionId"))


def _facts(event: str, payload: Payload) -> Iterator[Fact]:
    match event:
        case "session/new:result" | "session/load":
            session_id = text(payload, "sessionId")
            if session_id is not None:
                yield SessionSeen(session_id)
            model = text(table(payload, "models"), "currentModelId")
            if model is not None:
                yield ModelSeen(model)
        case "session/prompt":
            yield TurnStarted()
        case "session/prompt:result":
            yield _end(text(payload, "stopReason"), text(payload, "reply"))
        case "session/prompt:error":
            yield TurnEnded("failed", one_line(text(payload, "message") or "the agent failed"))
        case "session/request_permission":
            yield Asked(_question(payload))
        case "session/request_permission:result":
            yield Answered(text(payload, "toolCallId"))
        case "session/update":
            yield from _update(table(payload, "update"))
        case _:
            pass


def _end(stop_reason: str | None, reply: str | None) -> TurnEnded:
    if stop_reason == "cancelled":
        return TurnEnded("interrupted", reply=reply)
    if stop_reason in FAILED_STOPS:
        return TurnEnded("failed", stop_reason.replace("_", " "), reply)
    return TurnEnded("done", reply=reply)


def _update(update: Payload) -> Iterator[Fact]:
    match text(update, "sessionUpdate"):
        case "session_info_update":
            title = text(update, "title")
            if title is not None:
                yield Titled(title)
        case "agent_message":
            words = text(table(update, "content"), "text")
            if words is not None:
                yield Replied(words)
        case _:
            pass


def _question(payload: Payload) -> Question:
    call = table(payload, "toolCall")
    given = table(call, "rawInput")
    tool = text(call, "title", "kind") or "a tool"
    locations = tables(call, "locations")
    action = text(given, "command", "path", "file_path") or (text(locations[0], "path") if locations else None) or tool
    call_id = text(call, "toolCallId")
    can_always = any(text(one, "kind") == "allow_always" for one in tables(payload, "options"))
    detail = one_line(tool if action == tool else f"{tool} — {action}")
    return Question("permission", detail, action, tool, call_id, call_id, can_always=can_always)


def option_for(options: Sequence[Payload], choice: Choice) -> str | None:
    """The id of the offered option that means this choice; None where none does, which cancels the request."""
    for kind in OPTION_KINDS[choice]:
        for option in options:
            if text(option, "kind") == kind:
                return text(option, "optionId")
    return None


def answer(question: Question, choice: Choice) -> Delivery | None:
    """The key that our program in its terminal takes for the choice."""
    if choice == "always" and not question.can_always:
        return None
    return (KeyWrite({"approve": b"y", "always": b"a", "deny": b"n"}[choice]),)


HARNESS: Final = Harness(
    id="acp",
    detection=Detection(()),
    abilities=Abilities(
        status_from=("protocol",),
        questions=True,
        resume=True,
        first_prompt=False,
        model_choice=False,
        dangerous=False,
        mcp=True,
        subagents=False,
        reply="api",
        answers="keys",
        always=True,
    ),
    rules=Rules(silence_ms=None, escape="goes-on"),
    launch=launch,
    read_hook=read_hook,
    answer=answer,
)
