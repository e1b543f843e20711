"""Amp: it reports nothing to others, so its output is watched, and the texts of its questions.

Spec: harnesses, Amp.
"""

from __future__ import annotations

from typing import Final

from ..facts import Fact, HookContext, HookResult, Question
from ..signals import Choice
from ..state import Rules
from .payloads import Payload
from .screen_marks import asked_on_screen
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec

QUESTIONS: Final = ("Invoke tool", "Run this command?", "for this session")


def launch(spec: LaunchSpec) -> Launch:
    argv = [spec.program]
    if spec.session_id:
        argv += ["threads", "continue", spec.session_id]
    if spec.dangerous:
        argv.append("--dangerously-allow-all")
    return Launch(tuple(argv), session_id=spec.session_id)


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return HookResult()


def read_output(recent: str) -> tuple[Fact, ...]:
    return asked_on_screen(recent, QUESTIONS)


def answer(question: Question, choice: Choice) -> Delivery | None:
    return {"approve": (KeyWrite(b"\r"),), "deny": (KeyWrite(b"\x1b"),), "always": None}[choice]


HARNESS: Final = Harness(
    id="amp",
    detection=Detection(("amp",), install="npm install -g @ampcode/cli"),
    abilities=Abilities(
        status_from=("output", "keys"),
        questions=True,
        resume=True,
        first_prompt=False,
        model_choice=False,
        dangerous=True,
        mcp=False,
        subagents=False,
        reply="none",
        answers="keys",
        always=False,
    ),
    rules=Rules(output="after-enter", hooks=False),
    launch=launch,
    read_hook=read_hook,
    answer=answer,
    read_output=read_output,
)
