"""Whether a prompt may go out: asked when it is sent, and again before one that waited is typed.

Spec: agents, prompts; decisions 6, 20, 36.
"""

from __future__ import annotations

from collections.abc import Sequence

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

from ..seats.seat import Seat
from .hooks import Hooks
from .model import QueuedPrompt, Sender


class Admission:
    """Why prompts are refused, held back or shown to the owner first."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    def check_now(self, seat: Seat, sender: Sender) -> None:
        """UNAVAILABLE: the agent does not run. BUDGET_PAUSED: no prompts of cards now."""
        if not seat.alive:
            raise CallError(ErrorCode.UNAVAILABLE, "this agent does not run; start it first")
        if sender.card_id is not None:
            self._hooks.check_budget(seat.card_id)

    def is_asked_for(self, seat: Seat, sender: Sender) -> bool:
        """Whether the owner reads a prompt before the agent does."""
        return sender.card_id is not None and self._hooks.is_dangerous(seat.card_id)

    def check_waiting(self, prompt: QueuedPrompt) -> None:
        """Why a waiting prompt of a card must not go out any more: the errors of `check_sender`; PERMISSION_DENIED."""
        if prompt.sender.card_id is None:
            return
        self._hooks.check_sender(prompt.sender, prompt.agent_id)
        if not prompt.approved and self._hooks.is_dangerous(prompt.agent_id):
            raise CallError(
                ErrorCode.PERMISSION_DENIED, "the agent was turned to dangerous mode while the prompt waited"
            )

    def refusal(self, prompt: QueuedPrompt) -> CallError | None:
        """What `check_waiting` raises; nothing for one that is being typed, which is past that."""
        if prompt.state == "typing":
            return None
        try:
            self.check_waiting(prompt)
        except CallError as error:
            return error
        return None

    def held_back(self, prompt: QueuedPrompt) -> CallError | None:
        """Why a budget holds a waiting prompt of a card back."""
        if prompt.sender.card_id is None or prompt.state != "waiting":
            return None
        try:
            self._hooks.check_budget(prompt.agent_id)
        except CallError as error:
            return error
        return None


def check_asks_nothing(seat: Seat) -> None:
    """BUSY while the agent asks something: what is typed would be the answer."""
    if seat.status is AgentStatus.NEEDS_INPUT:
        raise CallError(ErrorCode.BUSY, "this agent asks something; answer it first")


def check_room(queue: Sequence[QueuedPrompt], sender: Sender) -> None:
    """QUOTA_EXCEEDED when as many prompts of cards wait as may."""
    of_cards = sum(one.sender.card_id is not None for one in queue)
    most = limit("queuedPrompts")
    if sender.card_id is not None and of_cards >= most:
        raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{most} prompts of cards wait for this agent already")
