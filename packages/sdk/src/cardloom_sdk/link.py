"""One connection as its user sees it: calls that answer, events that arrive, an end that fails what still waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from cardloom_protocol.connection import (
    ClientConnection,
    EventReceived,
    ProtocolViolation,
    ResponseReceived,
    SendNow,
)
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import ABSENT, Absent, ErrorResponse, Event
from cardloom_protocol.hosting import check_params
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.method_row import Namespace
from cardloom_protocol.methods import find_method
from cardloom_protocol.schema import plain_issue

from .channel import Channel, ChannelClosed

OnEvent: TypeAlias = Callable[[Event], None]


class Link:
    """A channel with calls on it. `run` must be running while calls are made; `on_event` must not wait."""

    def __init__(self, channel: Channel, ns: Namespace, on_event: OnEvent) -> None:
        self._channel = channel
        self._connection = ClientConnection(ns)
        self._on_event = on_event
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        # Holds at most the calls in flight: ClientConnection keeps the others back.
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._closed: ChannelClosed | None = None

    async def run(self) -> ChannelClosed:
        """Carry messages until the channel closes; gives how it closed. Whatever still waits fails as UNAVAILABLE."""
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        except ChannelClosed as closed:
            self._closed = closed
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self._fail_all()
        return self._closed or ChannelClosed(1000, "")

    async def call(self, method: str, params: JsonValue | Absent = ABSENT) -> Any:
        """Make a call and give its result, None where there is none.

        Parameters are checked first, so BAD_REQUEST (no JSON) and INVALID_PARAMS may come without anything being sent.
        Any refusal of the other side arrives as CallError; UNAVAILABLE when the connection ends before the answer.
        """
        if self._closed is not None:
            raise _gone()
        if params is not ABSENT:
            _check_plain(method, params)
        row = find_method(self._connection.ns, method)
        if row is not None:
            refusal = check_params(row, {} if params is ABSENT else params)
            if refusal is not None:
                raise refusal
        request_id, text = self._connection.call(method, params)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        if text is not None:
            self._outgoing.put_nowait(text)
        try:
            return await answer
        finally:
            if self._waiting.pop(request_id, None) is not None:
                self._connection.withdraw(request_id)

    def post(self, method: str, params: JsonValue) -> None:
        """Make a call whose answer nobody waits for."""
        if self._closed is None:
            _, text = self._connection.call(method, params)
            if text is not None:
                self._outgoing.put_nowait(text)

    async def close(self) -> None:
        """Close the channel; `run` ends by it."""
        await self._channel.close()

    async def _read(self) -> None:
        while True:
            for event in self._connection.receive_text(await self._channel.receive()):
                match event:
                    case ResponseReceived(request_id, response):
                        self._settle(request_id, response)
                    case EventReceived(happened):
                        self._on_event(happened)
                    case SendNow(text):
                        self._outgoing.put_nowait(text)
                    case ProtocolViolation(reason):
                        await self._channel.close()
                        raise ChannelClosed(1003, reason)
                    case _:
                        assert_never(event)

    async def _write(self) -> None:
        while True:
            try:
                await self._channel.send(await self._outgoing.get())
            except ChannelClosed:
                return

    def _settle(self, request_id: int, response: Any) -> None:
        answer = self._waiting.pop(request_id, None)
        if answer is None or answer.done():
            return
        if isinstance(response, ErrorResponse):
            answer.set_exception(response.to_error())
        else:
            answer.set_result(response.value)

    def _fail_all(self) -> None:
        self._closed = self._closed or ChannelClosed(1000, "")
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(_gone())


def _check_plain(method: str, params: object) -> None:
    issue = plain_issue(params, limit("valueDepth"), limit("valueNodes"))
    if issue is not None:
        raise CallError(ErrorCode.BAD_REQUEST, f"{method}{issue.path}: {issue.message}", issue.to_wire())


def _gone() -> CallError:
    return CallError(ErrorCode.UNAVAILABLE, "The connection to the server is closed.")
