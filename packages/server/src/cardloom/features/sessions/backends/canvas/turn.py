"""Where one prompt stands on its way: in the queue, in its turn, at its end. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .agents import REST, Gone, News, Status, WentOut

_MOST = 64


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of one prompt. `out_at_ms` is when it was typed, None while it waits.

    Statuses from before that belong to the turns of others.
    """

    ticket: str
    out_at_ms: int | None = None
    statuses: tuple[tuple[Status, int], ...] = ()
    is_gone: bool = False

    def after(self, news: News) -> Turn:
        """The turn after something happened to its agent."""
        match news:
            case Gone():
                return replace(self, is_gone=True)
            case WentOut():
                if news.ticket != self.ticket:
                    return self
                ours = tuple(one for one in self.statuses if one[1] >= news.at_ms)
                return replace(self, out_at_ms=news.at_ms, statuses=ours)
            case _:
                return replace(self, statuses=(*self.statuses, *news.statuses)[-_MOST:])

    @property
    def ended_as(self) -> Status | None:
        """The status that ended it, None while it goes on or waits. An agent that is gone has exited."""
        if self.is_gone:
            return "exited"
        last = self.statuses[-1][0] if self.statuses else None
        if last == "exited":
            return last
        if self.out_at_ms is None or last not in REST:
            return None
        # A program that just came up is idle before the turn begins.
        begun = last == "finished" or any(status not in REST for status, _ in self.statuses)
        return last if begun else None
