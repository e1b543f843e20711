"""Calls of cards' tools: arguments checked, the card woken, its answer awaited until the deadline.

Who may call (which agent is joined to which card) is asked by whoever brings the call. Spec: cards, tools for agents;
decisions 8, 9.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import invalid_params
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue, json_length
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import ToolDefinition
from cardloom_protocol.schema import compile_schema

from ....core.bus import Bus, card_topic
from ....core.clock import Clock
from ....core.graph import Graph
from ..book import CardBook

OnProgress: TypeAlias = Callable[[str], None]
StillMay: TypeAlias = Callable[[], bool]
Wake: TypeAlias = Callable[[CardId], Awaitable[bool]]
"""Brings a sleeping card up; True once it is connected."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """How long calls and sleepers may take, and how large a result is."""

    timeout_ms: int = limit("toolTimeoutMs")
    max_timeout_ms: int = limit("toolMaxTimeoutMs")
    wake_ms: int = limit("wakeTimeoutMs")
    result_units: int = limit("toolResultBytes")


@dataclass(slots=True, eq=False)
class _Waiting:
    """One call that a card works on."""

    card_id: CardId
    answer: asyncio.Future[dict[str, Any]]
    on_progress: OnProgress | None
    still_may: StillMay


class ToolCalls:
    """The tools of all cards and the calls under way. `changed` hears of a card whose offer is another one."""

    def __init__(
        self,
        book: CardBook,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        connected: Callable[[CardId], bool],
        *,
        limits: ToolLimits = ToolLimits(),
    ) -> None:
        self.limits = limits
        self.wake: Wake | None = None
        self.changed: list[Callable[[CardId], None]] = []
        self._book = book
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._connected = connected
        self._hidden: dict[CardId, set[str]] = {}
        self._waiting: dict[str, _Waiting] = {}

    # For agents

    def offered(self, card_id: CardId) -> list[ToolDefinition]:
        """The tools that a card offers now, in the order of its manifest; none for a card whose package is missing."""
        card = self._graph.find_card(card_id)
        package = None if card is None else self._book.package_of(card)
        hidden = self._hidden.get(card_id, set())
        return [] if package is None else [tool for tool in package.manifest["tools"] if tool["name"] not in hidden]

    async def call(
        self,
        card_id: CardId,
        tool: str,
        args: JsonValue,
        agent: Mapping[str, str],
        *,
        on_progress: OnProgress | None = None,
        still_may: StillMay = _always,
    ) -> dict[str, Any]:
        """Have a card do the work of a tool; gives `{content, isError?}`. `agent` is `{id, name}`.

        `still_may` tells whether the agent may go on waiting; it is asked again whenever something changed.

        NOT_FOUND: no such card or tool, or it is hidden. INVALID_PARAMS with the places where the arguments do not
        fit: then the card hears nothing. UNAVAILABLE: the card sleeps and does not wake, or goes away meanwhile.
        NOT_CONNECTED: the agent may not wait any more. TIMEOUT at the tool's deadline. Whatever ends the call before
        the card answers is told to the card.
        """
        definition = self._definition(card_id, tool)
        issues = compile_schema(definition["inputSchema"]).check(args, max_issues=limit("paramsIssues"))
        if issues:
            raise invalid_params(issues, tool)
        await self._reach(card_id)
        if not still_may():
            raise _removed()
        timeout_ms = min(definition.get("timeoutMs", self.limits.timeout_ms), self.limits.max_timeout_ms)
        call_id = secrets.token_urlsafe(12)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = _Waiting(card_id, answer, on_progress, still_may)
        deadline_ms = self._clock.now_ms() + timeout_ms
        event = {"callId": call_id, "tool": tool, "args": args, "agent": dict(agent), "deadline": deadline_ms}
        self._bus.publish("tools.call", event, card_topic(card_id))
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await answer
        except TimeoutError:
            raise CallError(ErrorCode.TIMEOUT, f"{tool} did not answer within {timeout_ms} ms") from None
        finally:
            del self._waiting[call_id]
            if answer.cancelled() or not answer.done() or answer.exception() is not None:
                self._bus.publish("tools.cancel", {"callId": call_id}, card_topic(card_id))

    def look_again(self) -> None:
        """End the calls whose agents may not wait any more."""
        for waiting in self._waiting.values():
            if not waiting.answer.done() and not waiting.still_may():
                waiting.answer.set_exception(_removed())

    # For cards

    def respond(self, card_id: CardId, call_id: str, result: Mapping[str, Any] | None, error: str | None) -> None:
        """Take a card's answer.

        NOT_FOUND: no such call waits for this card. INVALID_PARAMS: neither result nor error; TOO_LARGE: then the call
        waits on for a better answer.
        """
        waiting = self._of(card_id, call_id)
        if error is not None:
            content = [{"type": "text", "text": error}]
            waiting.answer.set_result({"content": content, "isError": True})
            return
        if result is None:
            issue: JsonValue = {"path": "", "keyword": "required", "message": "An answer has a result or an error."}
            raise CallError(ErrorCode.INVALID_PARAMS, "tools.respond: a result or an error is missing", [issue])
        if json_length(dict(result)) > self.limits.result_units:
            message = f"a tool's result has at most {self.limits.result_units} characters of JSON"
            raise CallError(ErrorCode.TOO_LARGE, message)
        waiting.answer.set_result(dict(result))

    def progress(self, card_id: CardId, call_id: str, message: str) -> None:
        """Tell the agent how far a card is. NOT_FOUND: no such call waits for this card."""
        waiting = self._of(card_id, call_id)
        if waiting.on_progress is not None:
            waiting.on_progress(message)

    def set_enabled(self, card_id: CardId, tool: str, *, enabled: bool) -> None:
        """Show or hide a tool. NOT_FOUND: the manifest declares none of that name."""
        _, package = self._book.entry(card_id)
        if all(known["name"] != tool for known in package.manifest["tools"]):
            raise CallError(ErrorCode.NOT_FOUND, f"the manifest declares no tool {tool!r}")
        hidden = self._hidden.setdefault(card_id, set())
        if enabled == (tool in hidden):
            hidden.symmetric_difference_update({tool})
            for listener in self.changed:
                listener(card_id)

    def lost(self, card_id: CardId) -> None:
        """Fail what waits for a card whose program or page went away."""
        for waiting in self._waiting.values():
            if waiting.card_id == card_id and not waiting.answer.done():
                waiting.answer.set_exception(CallError(ErrorCode.UNAVAILABLE, "the card stopped before it answered"))

    def forget(self, card_id: CardId) -> None:
        """Drop what is remembered of a card that is gone."""
        self.lost(card_id)
        self._hidden.pop(card_id, None)

    def _definition(self, card_id: CardId, tool: str) -> ToolDefinition:
        for known in self.offered(card_id):
            if known["name"] == tool:
                return known
        raise CallError(ErrorCode.NOT_FOUND, f"the card offers no tool {tool!r} now")

    def _of(self, card_id: CardId, call_id: str) -> _Waiting:
        waiting = self._waiting.get(call_id)
        if waiting is None or waiting.card_id != card_id or waiting.answer.done():
            raise CallError(ErrorCode.NOT_FOUND, "no call of this id waits for an answer")
        return waiting

    async def _reach(self, card_id: CardId) -> None:
        """Make sure that a card is there to answer. UNAVAILABLE."""
        if self._connected(card_id):
            return
        woken = False
        if self.wake is not None:
            try:
                async with asyncio.timeout(self.limits.wake_ms / 1000):
                    woken = await self.wake(card_id)
            except TimeoutError:
                woken = False
        if not woken or not self._connected(card_id):
            card = self._graph.find_card(card_id)
            raise CallError(ErrorCode.UNAVAILABLE, f"{card.name if card else card_id} is not running")


def _removed() -> CallError:
    return CallError(ErrorCode.NOT_CONNECTED, "the arrow between the agent and the card was removed")
