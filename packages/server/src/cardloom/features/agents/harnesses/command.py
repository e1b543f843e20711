"""A plain command as an agent: it works while it prints, and has finished when it falls silent.

Spec: harnesses, shells and plain commands.
"""

from __future__ import annotations

from typing import Final

from ..facts import HookContext, HookResult
from ..state import Rules
from .payloads import Payload
from .shape import Abilities, Detection, Harness, KeyWrite, Launch, LaunchSpec


def launch(spec: LaunchSpec) -> Launch:
    return Launch((spec.program, *spec.arguments))


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    return HookResult()


HARNESS: Final = Harness(
    id="command",
    detection=Detection(()),
    abilities=Abilities(
        status_from=("output",),
        questions=False,
        resume=False,
        first_prompt=False,
        model_choice=False,
        dangerous=False,
        mcp=False,
        subagents=False,
        reply="none",
        answers="none",
        always=False,
    ),
    rules=Rules(output="always", hooks=False, silence_ms=None),
    launch=launch,
    read_hook=read_hook,
    interrupt=(KeyWrite(b"\x03"),),
)
