"""Cursor's command-line agent: its hooks live in folders we do not write to, so its output is watched.

Where a person has put our hooks into their own settings, what they post is understood. Spec: harnesses, Cursor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..facts import Fact, HookContext, HookResult, ModelSeen, Question, Replied, SessionSeen, TurnEnded, TurnStarted
from ..signals import Choice
from ..state import Rules
from .payloads import Payload, text
from .screen_marks import asked_on_screen
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec

QUESTIONS: Final = ("Run this command?", "Allow this", "(y) (enter)")


def launch(spec: LaunchSpec) -> Launch:
    argv = [spec.program]
    if spec.session_id:
        argv += ["--resume", spec.session_id]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.dangerous:
        argv.append("--force")
    if spec.prompt:
        argv += ["--", spec.prompt] if spec.prompt.startswith("-") else [spec.prompt]
    return Launch(tuple(argv), session_id=spec.session_id, prompt_given=bool(spec.prompt))


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    name = text(payload, "hook_event_name") or event
    return HookResult(tuple(_facts(name, payload)), session_id=text(payload, "conversation_id"))


def _facts(event: str, payload: Payload) -> Iterator[Fact]:
    match event:
        case "beforeSubmitPrompt":
            yield from _session(payload)
            yield TurnStarted()
        case "afterAgentResponse":
            reply = text(payload, "text")
            if reply is not None:
                yield Replied(reply)
        case "stop":
            match text(payload, "status"):
                case "aborted":
                    yield TurnEnded("interrupted")
                case "error":
                    yield TurnEnded("failed", text(payload, "error", "message") or "the turn failed")
                case _:
                    yield TurnEnded("done")
        case _:
            pass


def _session(payload: Payload) -> Iterator[Fact]:
    session_id, model = text(payload, "conversation_id"), text(payload, "model")
    if session_id is not None:
        yield SessionSeen(session_id, text(payload, "transcript_path"))
    if model is not None:
        yield ModelSeen(model)


def read_output(recent: str) -> tuple[Fact, ...]:
    return asked_on_screen(recent, QUESTIONS)


def answer(question: Question, choice: Choice) -> Delivery | None:
    return {"approve": (KeyWrite(b"y"),), "deny": (KeyWrite(b"\x1b"),), "always": None}[choice]


HARNESS: Final = Harness(
    id="cursor",
    detection=Detection(("cursor-agent",), install="see cursor.com/cli"),
    abilities=Abilities(
        status_from=("output", "keys"),
        questions=True,
        resume=True,
        first_prompt=True,
        model_choice=True,
        dangerous=True,
        mcp=False,
        subagents=False,
        reply="none",
        answers="keys",
        always=False,
    ),
    rules=Rules(answer_letters="yn", output="after-enter", hooks=False),
    launch=launch,
    read_hook=read_hook,
    answer=answer,
    read_output=read_output,
)
