"""Services of plug-ins: methods that answer and streams that go on. Spec: session protocol, services (1.11)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol, TypeAlias

from ..jstext import JsonValue, compact_json
from .capabilities import ServiceCapability
from .json_text import JsonObject
from .sse import frame_text

ServicesCapability: TypeAlias = dict[str, ServiceCapability]
"""Plug-in id → its methods and streams, in the order of their registration."""


class Nothing(Enum):
    """Marks an event without a payload, as opposed to one whose payload is null."""

    NOTHING = "nothing"


NOTHING: Final = Nothing.NOTHING


@dataclass(frozen=True, slots=True)
class ServiceEvent:
    """One event of a stream."""

    name: str
    payload: JsonValue | Nothing = NOTHING

    def to_wire(self) -> JsonObject:
        """The event as an object; `payload` is left out when there is none."""
        return {"name": self.name} if self.payload is NOTHING else {"name": self.name, "payload": self.payload}

    def to_frame(self) -> str:
        """The event as a frame of an event stream; without a payload its data is null."""
        return frame_text(self.name, compact_json(None if self.payload is NOTHING else self.payload))


def service_error_event(error: BaseException) -> ServiceEvent:
    """The last event of a stream that failed: message, and the code where the error has a text as its code."""
    message = getattr(error, "message", None)
    payload: JsonObject = {"message": message if isinstance(message, str) else str(error)}
    code = getattr(error, "code", None)
    if isinstance(code, str):
        payload["code"] = str(code)
    return ServiceEvent("error", payload)


class ServicesOps(Protocol):
    """What a client can do with services."""

    async def call(self, plugin: str, method: str, args: JsonValue = None) -> JsonValue:
        """The answer of a method. NOT_SUPPORTED for an unknown plug-in or method."""

    def stream(self, plugin: str, method: str, args: JsonValue = None) -> AsyncIterator[ServiceEvent]:
        """The events of a stream; leaving it tells the plug-in to stop."""


class ServicesHost(ServicesOps, Protocol):
    """What runs the plug-ins."""

    async def capability(self) -> ServicesCapability:
        """What each plug-in offers; one that failed to load is missing."""

    async def close(self) -> None:
        """Ends the live streams; afterwards nothing is offered."""
