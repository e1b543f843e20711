"""The one shape in which every request reaches the server, whatever it came in by."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cardloom_protocol.callers import Caller
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ChainId


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a value moves: the chain it belongs to, how many hops it came, the journal entry that it answers."""

    chain: ChainId
    hop: int
    entry_id: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who asks, for which method, with what. `params` fit the method's schema when a handler sees them."""

    method: str
    params: Mapping[str, Any]
    caller: Caller

    @property
    def card_id(self) -> CardId:
        """The card that asks. INTERNAL where the method was let through for a caller that is none."""
        if self.caller.card_id is None:
            raise CallError(ErrorCode.INTERNAL, f"{self.method} needs a card behind it")
        return self.caller.card_id

    @property
    def by_page(self) -> str | None:
        """The page that asks, for the changes' `by`."""
        return self.caller.page_id


Result: TypeAlias = Any
Handler: TypeAlias = Callable[[Call], Awaitable[Result]]


@dataclass(slots=True)
class Handlers:
    """The handlers of all features by method name; a name is answered once."""

    by_name: dict[str, Handler] = field(default_factory=dict)

    def add(self, handlers: Mapping[str, Handler]) -> None:
        """Take in a feature's handlers. ValueError where a name is answered already."""
        twice = self.by_name.keys() & handlers.keys()
        if twice:
            raise ValueError(f"answered twice: {', '.join(sorted(twice))}")
        self.by_name.update(handlers)
