"""Questions to the owner: opened on every page of the workspace, answered once, refused when nobody answers in time.

Spec: decisions 40, 44; cards, permissions.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
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
    """What the owner said. `permissions` are those chosen where many were asked for, None for all of them.

    `silent` where nobody said anything in time.
    """

    accepted: bool
    permissions: frozenset[str] | None = None
    silent: bool = False


REFUSED: Final = Answer(accepted=False)
UNANSWERED: Final = Answer(accepted=False, silent=True)


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


@dataclass(slots=True)
class _Open:
    """A question on its way, with what ends its wait."""

    dialog: Dialog
    answer: asyncio.Future[Answer]
    patience_ms: int
    wait: asyncio.Timeout


class Dialogs:
    """The open questions. `timeout_ms` is how long one waits for its answer; silence is a refusal."""

    def __init__(self, bus: Bus, clock: Clock, timeout_ms: int | None = None) -> None:
        self._bus = bus
        self._clock = clock
        self._timeout_ms = OWN_LIMITS["dialogTimeoutMs"].value if timeout_ms is None else timeout_ms
        self._open: dict[DialogId, _Open] = {}

    def of(self, workspace_id: WorkspaceId) -> list[Dialog]:
        """The questions that wait in a workspace, oldest first."""
        return [one.dialog for one in self._open.values() if one.dialog.workspace_id == workspace_id]

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
        try:
            async with asyncio.timeout(patience_ms / 1000) as wait:
                self._open[dialog.id] = _Open(dialog, answer, patience_ms, wait)
                self._tell(dialog)
                return await answer
        except TimeoutError:
            return UNANSWERED
        finally:
            self._open.pop(dialog.id, None)
            self._bus.publish("dialog.closed", {"dialogId": dialog.id}, canvas_topic(workspace_id))

    def begin_anew(self, kind: DialogKind, card_id: CardId) -> None:
        """Give a card's open questions of a kind their whole time from now, and tell the pages."""
        for one in self._open.values():
            if one.dialog.kind == kind and one.dialog.card_id == card_id and not one.answer.done():
                one.dialog = replace(one.dialog, deadline_at_ms=self._clock.now_ms() + one.patience_ms)
                one.wait.reschedule(asyncio.get_running_loop().time() + one.patience_ms / 1000)
                self._tell(one.dialog)

    def answer(self, dialog_id: str, answer: Answer) -> None:
        """Settle a question. NOT_FOUND when it is not open any more."""
        found = self._open.get(DialogId(dialog_id))
        if found is None or found.answer.done():
            raise CallError(ErrorCode.NOT_FOUND, "this question is not open any more")
        found.answer.set_result(answer)

    def refuse_of(self, card_id: CardId) -> None:
        """Refuse every open question of a card that goes away."""
        for one in self._open.values():
            if one.dialog.card_id == card_id and not one.answer.done():
                one.answer.set_result(REFUSED)

    def _tell(self, dialog: Dialog) -> None:
        self._bus.publish("dialog.opened", {"dialog": dialog.to_wire()}, canvas_topic(dialog.workspace_id))
