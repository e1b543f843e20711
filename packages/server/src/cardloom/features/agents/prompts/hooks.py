"""What other features do for the desk of prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId

from ....core.call import Cause
from .model import Sender

RecordPrompt: TypeAlias = Callable[[Sender, CardId, str, CallError | None], Awaitable[Cause | None]]
CheckSender: TypeAlias = Callable[[Sender, CardId], None]
AskOwner: TypeAlias = Callable[[Sender, CardId, str], Awaitable[None]]
CheckBudget: TypeAlias = Callable[[CardId], None]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What other features do for prompts.

    `record` writes a prompt, or its refusal, into the journal. `check_sender` raises why a card may not prompt this
    agent now. `ask_owner` shows a dangerous agent's prompt and raises USER_CANCELLED or NOT_VISIBLE. `check_budget`
    raises BUDGET_PAUSED. `queue_changed` is told after every change, `went_out` of every prompt that reached its agent,
    and when it was typed.
    """

    record: RecordPrompt
    check_sender: CheckSender
    ask_owner: AskOwner
    check_budget: CheckBudget
    is_dangerous: Callable[[CardId], bool]
    queue_changed: Callable[[CardId], None]
    went_out: Callable[[Sender, CardId, int], None]
