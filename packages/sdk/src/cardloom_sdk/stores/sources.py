"""Where stores take time and ids from; tests hand in their own."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from cardloom_protocol.session.names import base36, uuid7

Now: TypeAlias = Callable[[], str]
NewId: TypeAlias = Callable[[], str]


def iso_now() -> str:
    """The time in ISO 8601, UTC, with milliseconds."""
    return iso_of_ns(time.time_ns())


def iso_of_ns(at_ns: int) -> str:
    """A time in ISO 8601, UTC, with milliseconds."""
    moment = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ns // 1_000_000 % 1000:03d}Z"


def new_uuid() -> str:
    """A random UUID."""
    return str(uuid.uuid4())


def new_ordered_uuid() -> str:
    """A UUID that sorts by time."""
    return uuid7(time.time_ns() // 1_000_000, secrets.token_bytes(10))


def new_short_hex() -> str:
    """Eight hexadecimal digits."""
    return secrets.token_hex(4)


def new_short_id() -> str:
    """Four characters 0-9a-z."""
    return base36(secrets.token_bytes(4))
