"""What carrying out an operation gives, and the parts of a backend that it asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import NotSupported

from .host import BackendHost

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation gives. `created` says that HTTP's answer is 201, `idle` that there was nothing left to do."""

    data: JsonValue = None
    created: bool = False
    idle: bool = False


Handler: TypeAlias = Callable[[BackendHost, Mapping[str, Any]], Awaitable[Answer]]


def present(ops: T | None, capability: str) -> T:
    """A part of a backend. NOT_SUPPORTED when it has none."""
    if ops is None:
        raise NotSupported(capability)
    return ops
