"""One value to those it goes to: to all of a plan in order, or to one, each outcome noted on the value's page."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence

from cardloom_protocol.errors import CallError, ErrorCode, JsonValue
from cardloom_protocol.hosting import Delivery, Landed, Reason, Skipped, send, spread
from cardloom_protocol.ports import Check, PortInfo

from ...core.graph import Graph
from ...core.records import Card
from .draft import LOOP_MESSAGE, PAUSED_MESSAGE, Draft
from .model import Lane, Outcome
from .post import ACCEPTED, PROGRAM, Post, not_running
from .wiring import Joint, Routes, Wiring


class Serving:
    """Hands values over as the wiring and the chains allow, and has the page written."""

    def __init__(self, graph: Graph, wiring: Wiring, post: Post, check: Check) -> None:
        self._graph = graph
        self._wiring = wiring
        self._post = post
        self._check = check

    async def to_all(
        self, draft: Draft, routes: Routes, landed: Sequence[Landed], value: JsonValue
    ) -> tuple[int, Awaitable[None] | None]:
        """Hand a value to everybody it goes to, in order; what was done is recorded even if the caller is cancelled."""
        lanes, plan = routes.lanes, routes.plan
        routed = None if self._is_usual(draft, routes, landed, value) else spread(plan, landed)
        wanted = len(plan.targets if routed is None else routed.accepted)
        allowed = self._post.admit(draft.parcel.place, wanted)
        if routed is None and allowed < wanted:
            routed = spread(plan, landed)
        try:
            if routed is None:
                delivered = self._to_programs(draft, routes, value)
            else:
                delivered = await self._to_each(draft, routes, routed.accepted, allowed, value)
        finally:
            for peer, port, refused in () if routed is None else routed.refused:
                issue = refused.issues[0]
                message = f"input {port.id}: {issue.path or 'the value'}: {issue.message}"
                error = CallError(ErrorCode.INVALID_PARAMS, message)
                draft.note(draft.take_id(), "refused", peer.card_id, port, lanes[peer.card_id], error=error)
            for skipped in plan.skipped:
                self._note_skipped(draft, skipped, lanes)
            for target in routes.paused:
                lane = lanes[target.peer.card_id]
                draft.note(draft.take_id(), "dropped", target.peer.card_id, target.input, lane, message=PAUSED_MESSAGE)
            written = draft.write()
        return delivered, written

    def _is_usual(self, draft: Draft, routes: Routes, landed: Sequence[Landed], value: JsonValue) -> bool:
        """Whether a value goes as it is to programs alone and nobody keeps it: most do, and those go fastest."""
        usual = draft.kept is None and draft.kind is None and routes.row.topics is not None and self._post.bus_knows
        return usual and all(one.data is value and not one.issues for one in landed)

    def _to_programs(self, draft: Draft, routes: Routes, value: JsonValue) -> int:
        """Hand over a usual value; gives how many accepted it."""
        targets = routes.plan.targets
        missing = self._post.give_programs(draft.parcel, routes.row, value, draft.next_id)
        if not missing:
            draft.note_round(routes.round(draft.next_id - draft.first_id, draft.via))
            return len(targets)
        for place, (peer, port, _) in enumerate(targets):
            handed = not_running(peer.name) if place in missing else ACCEPTED
            draft.note_handed(draft.take_id(), handed, peer, port, routes.lanes[peer.card_id], None)
        return len(targets) - len(missing)

    async def _to_each(
        self, draft: Draft, routes: Routes, accepted: Sequence[Delivery], allowed: int, value: JsonValue
    ) -> int:
        """Hand over any value, to so many of its receivers; gives how many accepted it."""
        delivered = 0
        for index, (peer, port, landed) in enumerate(accepted):
            entry_id, lane = draft.take_id(), routes.lanes[peer.card_id]
            mark = draft.mark(value, landed.data)
            to = self._graph.find_card(peer.card_id)
            if index >= allowed:
                draft.note(entry_id, "loop", peer.card_id, port, lane, message=LOOP_MESSAGE, landed=mark)
            elif to is not None:
                if to.kind == PROGRAM:
                    handed = self._post.give_program(draft.parcel, to, port, landed.data, entry_id)
                else:
                    handed = await self._post.hand_over(draft.parcel, to, port, landed.data, entry_id)
                draft.note_handed(entry_id, handed, peer, port, lane, mark)
                delivered += handed.outcome == "accepted"
        return delivered

    async def to_one(
        self,
        draft: Draft,
        card: Card,
        joint: Joint | None,
        port: PortInfo,
        value: JsonValue,
        to: str,
        input_id: str | None,
    ) -> tuple[Outcome, CallError | None, Awaitable[None] | None]:
        entry_id = draft.take_id()
        lane = None if joint is None else joint.lane
        try:
            found = send(self._wiring.view(card), port, value, to, input_id, self._check)
        except CallError as error:
            if joint is not None and error.code in (ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_PARAMS):
                named = joint.peer.info.input(input_id or "")
                draft.note(entry_id, "refused", to, named, lane, error=error)
            return "refused", error, draft.write()
        if found is None:
            message = f"No input takes {port.type}."
            draft.note(entry_id, "skipped", to, None, lane, message=message, counted=False)
            return "skipped", None, draft.write()
        mark = draft.mark(value, found.landed.data)
        if joint is not None and joint.paused:
            draft.note(entry_id, "dropped", to, found.input, lane, message=PAUSED_MESSAGE, landed=mark)
            return "dropped", None, draft.write()
        if not self._post.admit(draft.parcel.place, 1):
            draft.note(entry_id, "loop", to, found.input, lane, message=LOOP_MESSAGE, landed=mark)
            return "loop", None, draft.write()
        receiver = self._graph.card(to)
        handed = await self._post.hand_over(draft.parcel, receiver, found.input, found.landed.data, entry_id)
        draft.note_handed(entry_id, handed, receiver, found.input, lane, mark)
        return handed.outcome, handed.error if handed.outcome == "refused" else None, draft.write()

    @staticmethod
    def _note_skipped(draft: Draft, skipped: Skipped, lanes: Mapping[str, Lane]) -> None:
        peer = skipped.peer
        lane = lanes[peer.card_id]
        if skipped.permission is None:
            message = f"No input takes {draft.parcel.source_type}."
            draft.note(draft.take_id(), "skipped", peer.card_id, None, lane, message=message, counted=False)
            return
        sender = draft.parcel.sender
        whose = sender.name if skipped.reason is Reason.SENDER_PERMISSION and sender is not None else peer.name
        error = CallError(ErrorCode.PERMISSION_DENIED, f"{whose} needs the permission {skipped.permission}.")
        draft.note(draft.take_id(), "skipped", peer.card_id, None, lane, error=error)
