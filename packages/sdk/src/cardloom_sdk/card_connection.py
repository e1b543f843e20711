"""One connection of a card: the handshake, heartbeats, and events that come before the card is ready.

Spec: cards behaviour, handshake and message flow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Self

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import PROTOCOL, Event
from cardloom_protocol.limits import limit

from .channel import Channel, ChannelClosed
from .link import Link
from .timing import Timing

SDK_VERSION: Final = "1.3.0"
"""The level of the card contract this SDK follows, as `host.ready` tells it."""

_MAX_EARLY_EVENTS: Final = 500


class CardConnection:
    """A channel on which a card has shaken hands. `on_event` must not wait; it is called once `start` was."""

    def __init__(self, channel: Channel, on_event: Callable[[str, Any], None]) -> None:
        self._on_event = on_event
        self._early: list[Event] | None = []
        self._link = Link(channel, "nscard", self._receive)
        self._run = asyncio.create_task(self._link.run())

    @classmethod
    async def open(
        cls,
        channel: Channel,
        on_event: Callable[[str, Any], None],
        timing: Timing,
        ready_timeout_ms: int = limit("readyTimeoutMs"),
    ) -> tuple[Self, dict[str, Any]]:
        """Shake hands on a channel; gives the connection and the card context.

        TIMEOUT when the host stays silent, PROTOCOL_MISMATCH when it is too old, UNAVAILABLE when it closes. The
        channel is closed then.
        """
        connection = cls(channel, on_event)
        ready = asyncio.create_task(connection.call("host.ready", {"sdkVersion": SDK_VERSION, "protocol": PROTOCOL}))
        silence = asyncio.create_task(timing.sleep_ms(ready_timeout_ms))
        try:
            await asyncio.wait((ready, silence), return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                raise CallError(ErrorCode.TIMEOUT, f"The host did not answer host.ready within {ready_timeout_ms} ms.")
            return connection, await ready
        except BaseException:
            await connection.close()
            raise
        finally:
            ready.cancel()
            silence.cancel()

    def start(self) -> None:
        """Let events through, those that came before first."""
        early, self._early = self._early or [], None
        for event in early:
            self._receive(event)

    async def ended(self) -> ChannelClosed:
        """Wait until the channel closes; gives how."""
        return await asyncio.shield(self._run)

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Make a call and give its result. CallError for every refusal."""
        return await self._link.call(method, params)

    def post(self, method: str, params: dict[str, Any]) -> None:
        """Make a call whose answer nobody waits for."""
        self._link.post(method, params)

    async def close(self) -> None:
        """End the connection; calls without an answer fail as UNAVAILABLE."""
        await self._link.close()
        await self._run

    def _receive(self, event: Event) -> None:
        if self._early is not None:
            if len(self._early) < _MAX_EARLY_EVENTS:
                self._early.append(event)
            return
        if event.name == "host.ping" and isinstance(event.value, dict):
            self._link.post("host.pong", {"seq": event.value["seq"]})
        self._on_event(event.name, event.value)
