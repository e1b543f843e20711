"""What cards log and print: the latest lines of each, and news of them to whoever watches the canvas.

A card that prints without end costs a bounded ring and a bounded number of lines a flush; what is left out is counted.
"""

from __future__ import annotations

import asyncio
import codecs
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import utf16_cut
from cardloom_protocol.limits import limit

from ...core.bus import Bus, canvas_topic
from ...core.clock import Clock
from ...core.graph import Graph

Level: TypeAlias = Literal["debug", "info", "warn", "error"]

_MAX_CARRY_CHARS: Final = limit("logLineChars") * 2


@dataclass(slots=True)
class _Log:
    lines: deque[dict[str, Any]]
    fresh: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    flush: asyncio.TimerHandle | None = None


class CardLogs:
    """The logs of all cards."""

    def __init__(
        self,
        bus: Bus,
        graph: Graph,
        clock: Clock,
        *,
        max_lines: int = limit("cardLogLines"),
        flush_ms: int = limit("cardLogFlushMs"),
        max_fresh: int = limit("cardLogFlushLines"),
    ) -> None:
        self._bus = bus
        self._graph = graph
        self._clock = clock
        self._max_lines = max_lines
        self._flush_ms = flush_ms
        self._max_fresh = max_fresh
        self._logs: dict[CardId, _Log] = {}

    def write(self, card_id: CardId, level: Level, text: str) -> None:
        """Add one line; it goes to the watchers within the flush time."""
        log = self._logs.get(card_id)
        if log is None:
            log = self._logs[card_id] = _Log(deque(maxlen=self._max_lines))
        if len(log.fresh) >= self._max_fresh:
            log.left_out += 1
            return
        line = {"atMs": self._clock.now_ms(), "level": level, "text": utf16_cut(text, limit("logLineChars"))}
        log.lines.append(line)
        log.fresh.append(line)
        if log.flush is None:
            log.flush = asyncio.get_running_loop().call_later(self._flush_ms / 1000, self._flush, card_id)

    def tell_now(self, card_id: CardId) -> None:
        """Tell the watchers what waits, so that what is told from now on goes on behind a look at the lines."""
        log = self._logs.get(card_id)
        if log is not None and log.flush is not None:
            log.flush.cancel()
            self._flush(card_id)

    def lines(self, card_id: CardId, most: int | None = None) -> list[dict[str, Any]]:
        """The latest lines of a card, the oldest first."""
        log = self._logs.get(card_id)
        lines = list(log.lines) if log is not None else []
        return lines if most is None else lines[-most:]

    def forget(self, card_id: CardId) -> None:
        """Drop the log of a card that is gone."""
        log = self._logs.pop(card_id, None)
        if log is not None and log.flush is not None:
            log.flush.cancel()

    def _flush(self, card_id: CardId) -> None:
        log = self._logs[card_id]
        log.flush = None
        if log.left_out:
            text = f"{log.left_out} lines were left out: too many at once"
            line = {"atMs": self._clock.now_ms(), "level": "warn", "text": text}
            log.lines.append(line)
            log.fresh.append(line)
            log.left_out = 0
        fresh, log.fresh = log.fresh, []
        card = self._graph.find_card(card_id)
        if card is not None and fresh:
            self._bus.publish("card.log", {"cardId": card_id, "lines": fresh}, canvas_topic(card.workspace_id))


class LineSplitter:
    """Lines out of the bytes a program prints: UTF-8, broken characters replaced, overlong lines cut."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._carry = ""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now."""
        text = self._carry + self._decoder.decode(data)
        *lines, carry = text.split("\n")
        self._carry = carry[:_MAX_CARRY_CHARS]
        return [line.rstrip("\r") for line in lines]

    def rest(self) -> list[str]:
        """The last line, where it had no end."""
        text = self._carry + self._decoder.decode(b"", final=True)
        self._carry = ""
        return [text] if text else []
