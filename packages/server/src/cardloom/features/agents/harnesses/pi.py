"""Pi: an extension of ours on its command line, its program status.

Spec: agents' programs as they are, pi. Decisions 22, 23.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ..facts import (
    Answered,
    Asked,
    Fact,
    HookContext,
    HookResult,
    Question,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice
from ..state import Rules
from .hooking import POST_FILE, action_of, session_facts
from .payloads import Payload, one_line, table, tables, text, whole
from .pi_extension import EXTENSION, EXTENSION_FILE
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec, LayerFile

RETRY_SETTLE_MS: Final = 10_000
"""Pi ends a turn that failed and begins it again by itself, seconds later."""
CHOOSES_IDS: Final = (1, 0, 0)
"""From this version on we choose a session's id."""


def launch(spec: LaunchSpec) -> Launch:
    chosen = spec.version is None or spec.version >= CHOOSES_IDS
    session_id = spec.session_id or (spec.new_session_id if chosen else None)
    argv = [spec.program, "--extension", f"{spec.layer}/{EXTENSION_FILE}"]
    if session_id is not None:
        argv += ["--session-id" if chosen else "--session", session_id]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.prompt:
        argv += ["--", spec.prompt] if spec.prompt[0] in "-@" and chosen else [spec.prompt]
    post = LayerFile(POST_FILE, json.dumps({"url": spec.hook_url, "ask": not spec.dangerous}))
    files = (post, LayerFile(EXTENSION_FILE, EXTENSION))
    return Launch(tuple(argv), files=files, session_id=session_id, prompt_given=bool(spec.prompt))


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return HookResult(tuple(_facts(event, payload)), session_id=text(payload, "session_id"), at_ms=whole(payload, "at"))


def _facts(event: str, payload: Payload) -> Iterator[Fact]:
    match event:
        case "session_start":
            yield from session_facts(payload)
        case "agent_start":
            yield from session_facts(payload)
            yield TurnStarted()
        case "agent_end":
            yield _end(payload)
        case "ask":
            yield Asked(_question(payload))
        case "answered":
            # A refusal goes back to the model: the turn goes on.
            yield Answered(text(payload, "id"))
        case _:
            pass


def _end(payload: Payload) -> TurnEnded:
    last = next((one for one in reversed(tables(payload, "messages")) if one.get("role") == "assistant"), {})
    reply = text(payload, "reply") or "".join(text(one, "text") or "" for one in tables(last, "content")) or None
    match text(payload, "stop_reason") or text(last, "stopReason"):
        case "aborted":
            return TurnEnded("interrupted", reply=reply)
        case "error":
            reason = text(payload, "error") or text(last, "errorMessage") or "the model failed"
            return TurnEnded("failed", one_line(reason), settle_ms=RETRY_SETTLE_MS)
        case _:
            return TurnEnded("done", reply=reply)


def _question(payload: Payload) -> Question:
    tool = text(payload, "tool") or "tool"
    action = action_of(tool, table(payload, "input"))
    call_id = text(payload, "id")
    return Question("permission", one_line(f"{tool} — {action}"), action, tool, call_id, call_id, can_always=False)


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "always":
        return None
    return (KeyWrite(b"\x1b" if choice == "deny" else b"\r"),)


HARNESS: Final = Harness(
    id="pi",
    detection=Detection(("pi",), install="npm install -g @earendil-works/pi-coding-agent", node_from=22),
    abilities=Abilities(
        status_from=("plugin", "program status", "keys"),
        questions=True,
        resume=True,
        first_prompt=True,
        model_choice=True,
        dangerous=True,
        mcp=False,
        subagents=False,
        reply="hook",
        answers="keys",
        always=False,
        tried="1.6.0",
    ),
    rules=Rules(escape="goes-on"),
    launch=launch,
    read_hook=read_hook,
    answer=answer,
    asking="→ (Yes|No)",
)
