"""What a card asks the person and the canvas for: questions, a menu, a link, another size, a card beside it.

Spec: cards, card and ui methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from .host_calls import Call
from .listeners import Listener, Listeners, Report, Stop

SpawnKind: TypeAlias = Literal["self", "note", "todo", "kanban", "sticky"]

_NOTHING: Final[Any] = object()


@dataclass(frozen=True, slots=True)
class MenuItem:
    """An entry of the card's menu. `icon` is one of the icon names, `tone` is `default` or `danger`.

    `on_select` is called when the entry is chosen, before those who listen to the whole menu.
    """

    id: str
    label: str
    icon: str | None = None
    tone: Literal["default", "danger"] | None = None
    disabled: bool = False
    on_select: Callable[[], Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"id": self.id, "label": self.label}
        if self.icon is not None:
            wire["icon"] = self.icon
        if self.tone is not None:
            wire["tone"] = self.tone
        if self.disabled:
            wire["disabled"] = True
        return wire


class Ui:
    """Questions and the menu, used as `card.ui.confirm(...)`."""

    def __init__(self, call: Call, listeners: Listeners, report: Report) -> None:
        self._call = call
        self._listeners = listeners
        self._report = report
        self._entries: dict[str, Listener] = {}

    @property
    def busy(self) -> bool:
        """Whether the function of an entry runs."""
        return any(entry.busy for entry in self._entries.values())

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        confirm_label: str | None = None,
        cancel_label: str | None = None,
        tone: Literal["default", "danger"] | None = None,
    ) -> bool:
        """Ask the person yes or no; False also when nobody answers within 60 s. NOT_VISIBLE out of sight."""
        given = {"confirmLabel": confirm_label, "cancelLabel": cancel_label, "tone": tone}
        params = {"title": title, "message": message, **{name: one for name, one in given.items() if one is not None}}
        return bool((await self._call("ui.confirm", params))["confirmed"])

    async def set_menu(self, items: Sequence[MenuItem]) -> None:
        """Replace the card's entries in its menu, at most twelve. Set it in `on_ready`: it goes with the connection."""
        self._entries = {
            item.id: Listener(f"menu entry {item.id}", item.on_select, self._report)
            for item in items
            if item.on_select is not None
        }
        await self._call("ui.setMenu", {"items": [item.to_wire() for item in items]})

    def on_menu(self, handler: Callable[..., Any]) -> Stop:
        """Call a function with the id of each entry that was chosen; gives how to stop."""
        return self._listeners.add("ui.menu", handler, wants=lambda _: True, convert=lambda data: (data["id"],))

    def hear(self, event: str, data: Any) -> None:
        """Call the function of the entry that was chosen."""
        entry = self._entries.get(data["id"]) if event == "ui.menu" else None
        if entry is not None:
            entry.put()

    def cancel(self) -> None:
        """Stop the functions of entries."""
        for entry in self._entries.values():
            entry.cancel()


class CardWishes:
    """What a card may wish of the canvas and the browser."""

    def __init__(self, call: Call) -> None:
        self._wish = call

    async def request_resize(self, w: int, h: int) -> tuple[float, float]:
        """Ask for another size; gives the one it has then, within the manifest's bounds."""
        size = await self._wish("card.requestResize", {"w": w, "h": h})
        return size["w"], size["h"]

    async def open_link(self, url: str) -> bool:
        """Have an https address opened in the browser; the person is asked first. NOT_VISIBLE out of sight."""
        return bool((await self._wish("card.openLink", {"url": url}))["opened"])

    async def focus(self, card_id: str) -> None:
        """Bring another card of the workspace into view. NOT_FOUND, NOT_VISIBLE."""
        await self._wish("card.focus", {"cardId": card_id})

    async def spawn(
        self, kind: SpawnKind, *, title: str | None = None, connect: bool = False, init: Any = _NOTHING
    ) -> str:
        """Add a card beside this one and give its id; takes `canvas.spawn`, at most four are there at once.

        An arrow asked for with `connect` carries nothing until the person confirms it. `init` is the new card's
        `spawnInit`, or the content of a built-in one.
        """
        params: dict[str, Any] = {"kind": kind, **({"connect": True} if connect else {})}
        if title is not None:
            params["title"] = title
        if init is not _NOTHING:
            params["init"] = init
        return str((await self._wish("card.spawn", params))["cardId"])

    async def copy_text(self, text: str) -> None:
        """Put text on the clipboard; takes `clipboard.write`. NOT_VISIBLE without a page, UNAVAILABLE if it cannot."""
        await self._wish("clipboard.writeText", {"text": text})
