"""What a card shows around itself: title, chip, badge, overview tile, call for attention, toasts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from .chrome import Setter
from .host_calls import Call
from .timing import Timing

Tone: TypeAlias = Literal["default", "accent", "success", "warning", "danger"]
AttentionLevel: TypeAlias = Literal["none", "info", "needs-input"]


class CardChrome:
    """The chrome of one card. Values set in quick succession are merged: the last one is shown."""

    def __init__(self, call: Call, timing: Timing) -> None:
        self._chrome_call = call
        self._title = Setter("card.setTitle", call, timing)
        self._status = Setter("card.setStatus", call, timing)
        self._badge = Setter("card.setBadge", call, timing)
        self._overview = Setter("card.setOverview", call, timing)
        self._attention = Setter("card.attention", call, timing)

    async def set_title(self, title: str | None) -> None:
        """Set the title (up to 120 characters); None gives the default one back."""
        await self._title.set({"title": title})

    async def set_status(self, text: str | None, *, tone: Tone | None = None, busy: bool | None = None) -> None:
        """Set the header chip (up to 80 characters); None removes it."""
        await self._status.set({"text": text, **_given(tone=tone, busy=busy)})

    async def set_badge(self, count: int | None = None, *, text: str | None = None, tone: Tone | None = None) -> None:
        """Set the badge: a count, or up to 12 characters; neither removes it."""
        await self._badge.set({"count": count, "text": text, **_given(tone=tone)})

    async def set_overview(
        self,
        *,
        primary: str | None = None,
        secondary: str | None = None,
        progress: float | None = None,
        tone: Tone | None = None,
        icon: str | None = None,
    ) -> None:
        """Replace the whole tile shown when zoomed out."""
        shown = {"primary": primary, "secondary": secondary, "progress": progress, "icon": icon}
        await self._overview.set({**shown, **_given(tone=tone)})

    async def attention(self, level: AttentionLevel, message: str = "") -> None:
        """Ask for the person's attention, or take it back with `none`. At most every 10 s; sooner ones wait."""
        await self._attention.set({"level": level, **({"message": message} if message else {})})

    async def toast(self, message: str, *, tone: Tone | None = None, duration_ms: int | None = None) -> None:
        """Show a short message in passing. RATE_LIMITED within 2 s of the last."""
        await self._chrome_call("ui.toast", {"message": message, **_given(tone=tone, durationMs=duration_ms)})


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
