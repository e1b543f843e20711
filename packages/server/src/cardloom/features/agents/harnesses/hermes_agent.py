"""Hermes Agent: webhooks that a managed folder of our own asks it for.

A managed setting wins over the person's, a list as a whole: their own outgoing webhooks are quiet in this process.
Spec: harnesses, Hermes Agent. Decisions 22, 23.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ..facts import (
    Answered,
    Asked,
    Fact,
    HookContext,
    HookResult,
    ModelSeen,
    Question,
    Replied,
    Resumed,
    SessionSeen,
    Subagent,
    SubagentStarted,
    SubagentStopped,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice
from ..state import Rules
from .hooking import MCP_NAME, mcp_headers
from .payloads import Payload, iso_ms, one_line, table, text
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec, LayerFile

MANAGED_FOLDER: Final = "managed"
ASK_TOOL: Final = "clarify"
ASK_HOLD_MS: Final = 700
WEBHOOK: Final = "webhook"
"""The event's name in the address; each payload says which event it is."""

EVENTS: Final = (
    "pre_llm_call",
    "post_llm_call",
    "pre_approval_request",
    "post_approval_response",
    "pre_tool_call",
    "post_tool_call",
    "subagent_start",
    "subagent_stop",
    "post_api_request",
    "on_session_end",
    "on_session_reset",
)


def launch(spec: LaunchSpec) -> Launch:
    argv = [spec.program]
    if spec.session_id:
        argv += ["--resume", spec.session_id]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.dangerous:
        argv.append("--yolo")
    # JSON is YAML too.
    config = LayerFile(f"{MANAGED_FOLDER}/config.yaml", json.dumps(_config(spec), indent=1))
    environment = {"HERMES_MANAGED_DIR": f"{spec.layer}/{MANAGED_FOLDER}"}
    return Launch(tuple(argv), environment, ("HERMES_SAFE_MODE",), (config,), session_id=spec.session_id)


def _config(spec: LaunchSpec) -> dict[str, Any]:
    outbound = {"name": MCP_NAME, "url": f"{spec.hook_url}/{WEBHOOK}", "events": list(EVENTS), "timeout": 2}
    config: dict[str, Any] = {"hooks": {"outbound": [outbound]}}
    if spec.mcp is not None:
        config["mcp_servers"] = {MCP_NAME: {"url": spec.mcp.url, "headers": mcp_headers(spec.mcp)}}
    return config


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    """Understand a webhook. It may come twice; its delivery's number tells."""
    name = text(payload, "hook_event_name") or event
    return HookResult(
        tuple(_facts(name, payload, table(payload, "extra"))),
        at_ms=_at_ms(payload),
        delivery=text(payload, "delivery_id"),
    )


_MAX_TIME_S: Final = 1e12


def _at_ms(payload: Payload) -> int | None:
    at = payload.get("timestamp")
    if isinstance(at, int | float) and not isinstance(at, bool):
        return round(at * 1000) if abs(at) < _MAX_TIME_S else None
    return iso_ms(at)


def _facts(event: str, payload: Payload, extra: Payload) -> Iterator[Fact]:
    match event:
        case "pre_llm_call":
            yield from _session(payload, extra)
            yield TurnStarted()
        case "pre_approval_request":
            yield Asked(_approval(payload, extra))
        case "post_approval_response":
            # A refusal goes back to the model: the turn goes on.
            yield Answered(text(extra, "tool_call_id"))
        case "pre_tool_call" if text(payload, "tool_name") == ASK_TOOL:
            words = text(table(payload, "tool_input"), "question", "prompt") or "a question"
            yield Asked(Question("question", one_line(words), words, ASK_TOOL))
        case "post_tool_call" if text(payload, "tool_name") == ASK_TOOL:
            yield Resumed()
        case "post_llm_call":
            reply = text(extra, "assistant_response")
            if reply is not None:
                yield Replied(reply)
        case "post_api_request":
            model = text(extra, "model")
            if model is not None:
                yield ModelSeen(model)
        case "on_session_end":
            yield _end(extra)
        case "on_session_reset":
            yield from _session(payload, extra)
        case "subagent_start" | "subagent_stop":
            yield from _subagent(event, extra)
        case _:
            pass


def _session(payload: Payload, extra: Payload) -> Iterator[Fact]:
    session_id = text(extra, "new_session_id") or text(payload, "session_id")
    if session_id is not None:
        yield SessionSeen(session_id)


def _approval(payload: Payload, extra: Payload) -> Question:
    tool = text(payload, "tool_name")
    action = text(extra, "command", "description") or text(table(payload, "tool_input"), "command") or tool or "a tool"
    detail = one_line(f"{tool} — {action}" if tool and tool != action else action)
    return Question("permission", detail, action, tool, text(extra, "tool_call_id"))


def _end(extra: Payload) -> TurnEnded:
    if extra.get("interrupted") is True:
        return TurnEnded("interrupted")
    if extra.get("failed") is True:
        return TurnEnded("failed", text(extra, "error", "turn_exit_reason") or "the turn failed")
    return TurnEnded("done")


def _subagent(event: str, extra: Payload) -> Iterator[Fact]:
    child_id = text(extra, "child_session_id")
    if child_id is None:
        return
    if event == "subagent_start":
        yield SubagentStarted(Subagent(child_id, one_line(text(extra, "child_role") or "sub-agent", 48)))
    else:
        yield SubagentStopped(child_id)


def answer(question: Question, choice: Choice) -> Delivery | None:
    if question.kind == "question":
        return None
    keys = {"approve": b"o", "always": b"a", "deny": b"d"}
    return (KeyWrite(keys[choice]), KeyWrite(b"\r", 200))


HARNESS: Final = Harness(
    id="hermes-agent",
    detection=Detection(("hermes",), install="pip install hermes-agent"),
    abilities=Abilities(
        status_from=("webhooks", "keys"),
        questions=True,
        resume=True,
        first_prompt=False,
        model_choice=True,
        dangerous=True,
        mcp=True,
        subagents=True,
        reply="hook",
        answers="keys",
        always=True,
    ),
    rules=Rules(ask_hold_ms=ASK_HOLD_MS, escape="goes-on"),
    launch=launch,
    read_hook=read_hook,
    interrupt=(KeyWrite(b"\x03"),),
    answer=answer,
)
