"""A state moved along with a wall clock that was set: every moment in it keeps its distance from now.

Without it a machine that slept would find every turn silent for hours, and a clock set back would make every new fact
look old. Spec: issue 4, clock jumps.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Final, TypeVar

from .state import AgentState, Rules

JUMP_MS: Final = 1_000
"""From how much on the wall clock is said to have jumped against the steady one."""

_Part = TypeVar("_Part")


def shifted(state: AgentState, by_ms: int) -> AgentState:
    """The state as if everything in it had happened so much later."""
    return _moved(state, by_ms)


def kept_up(state: AgentState, ahead_ms: int | None, now_ms: int, steady_ms: int) -> tuple[AgentState, int]:
    """The state moved along if the wall clock jumped, and how far it is ahead of the steady one now.

    `ahead_ms` is what the last call gave, None before the first. A machine that slept counts as a jump: its steady
    clock stood still.
    """
    ahead_now_ms = now_ms - steady_ms
    jump_ms = 0 if ahead_ms is None else ahead_now_ms - ahead_ms
    if abs(jump_ms) < JUMP_MS:
        return state, ahead_now_ms if ahead_ms is None else ahead_ms
    return shifted(state, jump_ms), ahead_now_ms


def _moved(part: _Part, by_ms: int) -> _Part:
    """Move all fields named as moments; lengths of time are only in the rules."""
    if isinstance(part, tuple):
        return tuple(_moved(one, by_ms) for one in part)  # type: ignore[return-value]
    if not is_dataclass(part) or isinstance(part, (type, Rules)):
        return part
    changes: dict[str, object] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, int) and field.name.endswith("_ms"):
            changes[field.name] = value + by_ms
        elif is_dataclass(value) or isinstance(value, tuple):
            changes[field.name] = _moved(value, by_ms)
    return replace(part, **changes)
