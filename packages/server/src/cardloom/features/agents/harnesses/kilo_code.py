"""Kilo Code: a fork of OpenCode whose variables begin with KILO_ and whose refusals take two keys.

Spec: harnesses, Kilo Code; agents' programs as they are, Kilo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..facts import Question
from ..signals import Choice
from . import opencode
from .shape import Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec


def launch(spec: LaunchSpec) -> Launch:
    return opencode.launch_as(spec, "KILO_", obeys=False)  # seen with 7.7.7: with --auto it asks and then waits


def reads(environment: Mapping[str, str]) -> tuple[str, ...]:
    return opencode.reads_as(environment, "KILO_")


def answer(question: Question, choice: Choice) -> Delivery | None:
    if choice == "deny" and question.kind == "permission":
        # Escape opens a box for a reason, Enter there refuses; Escape there would go back.
        return (KeyWrite(b"\x1b"), KeyWrite(b"\r", opencode.KEY_GAP_MS))
    return opencode.answer(question, choice)


HARNESS: Final[Harness] = replace(
    opencode.HARNESS,
    id="kilo-code",
    detection=Detection(("kilo", "kilocode"), install="npm install -g @kilocode/cli"),
    abilities=replace(opencode.HARNESS.abilities, tried="7.7.7"),
    launch=launch,
    reads=reads,
    answer=answer,
)
