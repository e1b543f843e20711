"""What the gate knows about a caller: the facts behind each of its questions.

The order of the questions is `cardloom_protocol.hosting.check`. The owner needs no permission, arrow or visibility; a
card is asked for all of them, and counted per card and method, so that a new connection starts no new count. An agent
is asked for its arrows and counted as a card is.
"""

from __future__ import annotations

from cardloom_protocol.callers import Caller, CallerKind, for_agent
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import Facts, RateWindow, check, rate_limited
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.method_row import MethodRow, Namespace
from cardloom_protocol.methods import CARD_METHODS, find_method

from ..core.clock import Clock
from ..core.grants import Grants
from ..core.graph import Graph
from ..core.presence import Presence


class Gate:
    """Lets calls pass or says why not."""

    def __init__(self, graph: Graph, grants: Grants, presence: Presence, clock: Clock) -> None:
        self._graph = graph
        self._grants = grants
        self._presence = presence
        self._clock = clock
        self._rates: dict[CardId, dict[str, RateWindow]] = {}

    def admit(self, method: str, params: JsonValue, caller: Caller, *, ready: bool) -> None:
        """Count a call that may go ahead; CallError says why another one may not."""
        row = _row_for(caller, method)
        refusal = check(row, self._facts(row, params, caller, ready=ready))
        if refusal is None:
            return
        if refusal.code is ErrorCode.NOT_READY and caller.kind is CallerKind.OWNER:
            raise CallError(ErrorCode.NOT_READY, "Call client.hello first.")
        if refusal.code is ErrorCode.METHOD_NOT_FOUND:
            raise CallError(ErrorCode.METHOD_NOT_FOUND, f"This server offers no method {method!r}.")
        raise refusal

    def count(self, card_id: CardId, method: str) -> None:
        """Count something a card did otherwise as a call of a method. RATE_LIMITED with `retryAfterMs`."""
        row = find_method("nscard", method)
        window = None if row is None else self._window(card_id, row)
        wait_ms = 0 if window is None else window.take(self._clock.steady_ms())
        if wait_ms:
            raise rate_limited(wait_ms, method)

    def forget(self, card_id: CardId) -> None:
        """Drop the counts of a card that is gone."""
        self._rates.pop(card_id, None)

    def _facts(self, row: MethodRow | None, params: JsonValue, caller: Caller, *, ready: bool) -> Facts:
        now_ms = self._clock.steady_ms()
        card_id = caller.card_id
        if row is None or card_id is None:
            return Facts(params, None, now_ms, ready)
        return Facts(
            params,
            self._grants.effective(card_id) if row.permissions_any_of else frozenset(),
            now_ms,
            ready,
            visible=not row.visible or self._presence.visibility(card_id) == "visible",
            joined=lambda other: self._graph.joined(card_id, CardId(other)),
            rate=self._window(card_id, row),
        )

    def _window(self, card_id: CardId, row: MethodRow) -> RateWindow | None:
        known = self._rates.get(card_id)
        if known is not None and row.name in known:
            return known[row.name]
        window = RateWindow.for_row(row)
        if window is not None:
            self._rates.setdefault(card_id, {})[row.name] = window
        return window


def _row_for(caller: Caller, method: str) -> MethodRow | None:
    """The method as this kind of caller has it; None where it is no method for it."""
    row = find_method(_namespace(caller, method), method)
    if row is None or not caller.may_call(row):
        return None
    return for_agent(row) if caller.kind is CallerKind.AGENT else row


def _namespace(caller: Caller, method: str) -> Namespace:
    if caller.kind is CallerKind.AGENT:
        return "nscard" if method in CARD_METHODS else "cardloom"
    return "nscard" if caller.kind in (CallerKind.CARD, CallerKind.MOUNT) else "cardloom"
