"""A program on a terminal as its viewers see it: what terminals and agents have in common.

The feature `terminals` serves viewers, keys and screens for both; whoever runs another kind of program hands it in.
Spec: decision 40.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from cardloom_protocol.ids import CardId, ConnectionId


@dataclass(frozen=True, slots=True)
class Picture:
    """What an empty viewer needs to show a terminal: `offset` counts the characters that `data` stands for."""

    generation: int
    offset: int
    cols: int
    rows: int
    data: str

    def to_wire(self) -> dict[str, Any]:
        return {
            "generation": self.generation,
            "offset": self.offset,
            "cols": self.cols,
            "rows": self.rows,
            "data": self.data,
        }


class Audience(Protocol):
    """The viewers of one program; see `features.terminals.viewers`."""

    def attach(self, viewer_id: ConnectionId) -> Picture: ...

    def detach(self, viewer_id: ConnectionId) -> None: ...

    def acknowledge(self, viewer_id: ConnectionId, generation_offset: int, /) -> None: ...

    def add(self, text: str, offset: int, generation: int) -> None: ...

    def flush(self) -> None: ...

    def repaint_all(self) -> None: ...


class Readers(Protocol):
    """The cards that read a program's plain output; see `features.terminals.output`."""

    def add(self, data: bytes) -> None: ...

    def flush(self) -> None: ...


MakeAudience: TypeAlias = Callable[[CardId, Callable[[], Picture]], Audience]
MakeReaders: TypeAlias = Callable[[CardId], Readers]


class ShownProgram(Protocol):
    """What viewers and readers of the screen ask of a program. UNAVAILABLE when it does not run."""

    @property
    def card_id(self) -> CardId: ...

    def attach(self, viewer_id: ConnectionId) -> Picture: ...

    def detach(self, viewer_id: ConnectionId) -> None: ...

    def acknowledge(self, viewer_id: ConnectionId, offset: int, /) -> None: ...

    def picture(self) -> Picture: ...

    def type_keys(self, text: str) -> None: ...

    def resize(self, cols: int, rows: int) -> None: ...

    def text(self, lines: int | None) -> str: ...


FindProgram: TypeAlias = Callable[[CardId], ShownProgram]
"""Gives the program of a card of one kind. NOT_FOUND; UNAVAILABLE when its workspace is closed."""
