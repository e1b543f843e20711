"""Questions to the owner: opened on every page of the workspace, answered once, refused when nobody answers in time.

Spec: decisions 40, 44; cards, permissions.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, DialogId, WorkspaceId
from cardloom_protocol.limits import OWN_LIMITS

from .bus import Bus, canvas_topic
from .clock import Clock
from .ids import new_dialog_id

DialogKind = Literal["startProgram", "permission", "confirm", "link", "prompt"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the owner said. `permissions` are those chosen where many were asked for, None for all of them."""

    accepted: bool
    permissions: frozenset[str] | None = None


REFUSED: Final = Answer(accepted=False)


@dataclass(frozen=True, slots=True)
class Dialog:
    """One open question. `data` is what the page shows for its kind; `deadline_at_ms` is epoch time."""

    id: DialogId
    kind: DialogKind
    workspace_id: WorkspaceId
    card_id: CardId
    title: str
    data: Any
    deadline_at_ms: int

    def to_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "workspaceId": self.workspace_id,
            "cardId": self.card_id,
            "title": self.title,
            "data": self.data,
            "deadlineAtMs": self.deadline_at_ms,
        }


class Dialogs:
    """The open questions. `timeout_ms` is how long one waits for its answer; silence is a refusal."""

    def __init__(self, bus: Bus, clock: Clock, timeout_ms: int | None = None) -> None:
        self._bus = bus
        self._clock = clock
        self._timeout_ms = OWN_LIMITS["dialogTimeoutMs"].value if timeout_ms is None else timeout_ms
        self._open: dict[DialogId, tuple[Dialog, asyncio.Future[Answer]]] = {}

    @property
    def timeout_ms(self) -> int:
        """How long a question waits for its answer."""
        return self._timeout_ms

    def of(self, workspace_id: WorkspaceId) -> list[Dialog]:
        """The questions that wait in a workspace, oldest first."""
        return [dialog for dialog, _ in self._open.values() if dialog.workspace_id == workspace_id]

    async def ask(self, kind: DialogKind, workspace_id: WorkspaceId, card_id: CardId, title: str, data: Any) -> bool:
        """Ask and wait: True when the owner accepts, False on refusal, silence, or when the card goes away."""
        return (await self.ask_which(kind, workspace_id, card_id, title, data)).accepted

    async def ask_which(
        self,
        kind: DialogKind,
        workspace_id: WorkspaceId,
        card_id: CardId,
        title: str,
        data: Any,
        *,
        timeout_ms: int | None = None,
    ) -> Answer:
        """Ask and wait for the whole answer; silence and a card that goes away refuse."""
        patience_ms = self._timeout_ms if timeout_ms is None else timeout_ms
        deadline_ms = self._clock.now_ms() + patience_ms
        dialog = Dialog(new_dialog_id(), kind, workspace_id, card_id, title, data, deadline_ms)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[dialog.id] = (dialog, answer)
        self._bus.publish("dialog.opened", {"dialog": dialog.to_wire()}, canvas_topic(workspace_id))
        try:
            async with asyncio.timeout(patience_ms / 1000):
                return await answer
        except TimeoutError:
            return REFUSED
        finally:
            self._open.pop(dialog.id, None)
            self._bus.publish("dialog.closed", {"dialogId": dialog.id}, canvas_topic(workspace_id))

    def answer(self, dialog_id: str, answer: Answer) -> None:
        """Settle a question. NOT_FOUND when it is not open any more."""
        found = self._open.get(DialogId(dialog_id))
        if found is None or found[1].done():
            raise CallError(ErrorCode.NOT_FOUND, "this question is not open any more")
        found[1].set_result(answer)

    def refuse_of(self, card_id: CardId) -> None:
        """Refuse every open question of a card that goes away."""
        for dialog, answer in self._open.values():
            if dialog.card_id == card_id and not answer.done():
                answer.set_result(REFUSED)
