"""The owner's methods about cards of packages: their menus, their settings, and what a page did for them.

Rows of the canvas's table (see `methods_canvas`). Spec: cards, ui and settings; decisions 7, 42.
"""

from __future__ import annotations

from typing import Final

from .limits import limit
from .method_row import MethodRow
from .param_shapes import Shape, boolean, ident, or_null, record, text

_CARD: Final = {"cardId": ident()}
_SETTING: Final[Shape] = {"type": ["string", "number", "boolean", "null"]}
_SECRET: Final[Shape] = or_null(text(1, limit("secretChars")))


def _row(name: str, params: Shape, doc: str, result: str = "nothing") -> MethodRow:
    return MethodRow(name, params, "cards", doc, result, ns="cardloom", built=True)


def _by_key(shape: Shape) -> Shape:
    return {"type": "object", "maxProperties": limit("settings"), "additionalProperties": shape}


CARD_DESK_ROWS: Final = (
    _row("card.menu", record(_CARD), "Gives the entries that a card put into its menu.", "{items: MenuItem[]}"),
    _row(
        "card.chooseMenu",
        record({**_CARD, "itemId": ident(64)}),
        "Tells a card that an entry of its menu was chosen.",
    ),
    _row(
        "card.settings",
        record(_CARD),
        "Gives a card's settings form: what its manifest declares, the values, and which secrets are set.",
        "SettingsForm",
    ),
    _row(
        "card.setSettings",
        record({**_CARD, "values": _by_key(_SETTING)}, {"secrets": _by_key(_SECRET)}),
        "Changes settings of a card; null gives a value back to its default and removes a secret.",
        "SettingsForm",
    ),
    _row(
        "clipboard.written",
        record({"writeId": ident(), "ok": boolean()}, {"reason": text(0, 500)}),
        "Tells what became of a text that a card asked this page to put on the clipboard.",
    ),
)
