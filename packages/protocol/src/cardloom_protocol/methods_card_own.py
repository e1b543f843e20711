"""Card methods about the card itself: handshake, chrome, dialogs, settings, storage, surroundings.

Rows of the method table (see `methods_card`). Spec: cards, methods.
"""

from __future__ import annotations

from .events_card import CARD_TOPICS
from .limits import limit
from .method_row import MethodRow
from .param_shapes import anything, boolean, ident, integer, items, nothing, nullable, one_of, record, text, url
from .permissions import PERMISSIONS
from .vocabulary import ICONS, TONES

_SCOPE = one_of(("instance", "package"))
_KEY = ident(limit("storageKeyChars"))
_TONE = one_of(TONES)
_ICON = one_of(ICONS)
_CHOICE_TONE = one_of(("default", "danger"))
_LABEL = ident(40)
_MENU_ITEM = record({"id": ident(64), "label": ident(60)}, {"icon": _ICON, "tone": _CHOICE_TONE, "disabled": boolean()})

HOST_ROWS = (
    MethodRow(
        "host.ready",
        record({"sdkVersion": ident(32), "protocol": integer(1)}),
        "cards",
        "Ends the handshake and hands over everything the card should know at its start.",
        "the card context",
        before_ready=True,
        built=True,
    ),
    MethodRow(
        "host.capabilities",
        nothing(),
        "cards",
        "Names the methods and events that this host offers.",
        "{protocol, methods[], events[]}",
        built=True,
    ),
    MethodRow(
        "host.log",
        record({"level": one_of(("debug", "info", "warn", "error")), "message": text(0, limit("logLineChars"))}),
        "cards",
        "Writes one line to the card's log panel and the server log, at most 50 a second.",
        built=True,
    ),
    MethodRow("host.pong", record({"seq": integer(0)}), "cards", "Answers the heartbeat of that number.", built=True),
    MethodRow(
        "events.subscribe",
        record(
            {"topics": items(one_of(CARD_TOPICS), min_items=1, max_items=8, unique=True)},
            {"agentIds": items(ident(), max_items=64)},
        ),
        "cards",
        "Starts the named topics; those the card may not see are left out. Output replaces its list of agents.",
        "{topics: accepted[]}",
        built=True,
    ),
    MethodRow(
        "events.unsubscribe",
        record({"topics": items(one_of(CARD_TOPICS), min_items=1, max_items=8)}),
        "cards",
        "Stops the named topics.",
        built=True,
    ),
)

CARD_ROWS = (
    MethodRow("card.getInfo", nothing(), "cards", "Tells the card who it is.", "the instance object", built=True),
    MethodRow(
        "card.setTitle",
        record({"title": nullable(text(0, limit("titleChars")))}),
        "cards",
        "Sets the title shown in the card's header; null gives the default one back.",
        per_minute=30,
        built=True,
    ),
    MethodRow(
        "card.setStatus",
        record(None, {"text": nullable(text(0, limit("statusChars"))), "tone": _TONE, "busy": boolean()}),
        "cards",
        "Sets the chip in the card's header.",
        per_minute=limit("chromeUpdatesPerMinute"),
        built=True,
    ),
    MethodRow(
        "card.setBadge",
        record(None, {"count": nullable(integer(0, 1_000_000)), "text": nullable(text(0, 12)), "tone": _TONE}),
        "cards",
        "Sets the badge; without count and text there is none.",
        per_minute=limit("chromeUpdatesPerMinute"),
        built=True,
    ),
    MethodRow(
        "card.setOverview",
        record(
            None,
            {
                "primary": nullable(text(0, limit("overviewChars"))),
                "secondary": nullable(text(0, limit("overviewChars"))),
                "progress": nullable({"type": "number", "minimum": 0, "maximum": 1}),
                "tone": _TONE,
                "icon": nullable(_ICON),
            },
        ),
        "cards",
        "Replaces the whole tile shown when the canvas is zoomed out.",
        per_minute=limit("chromeUpdatesPerMinute"),
        built=True,
    ),
    MethodRow(
        "card.attention",
        record({"level": one_of(("none", "info", "needs-input"))}, {"message": text(0, limit("overviewChars"))}),
        "cards",
        "Asks for the user's attention, or takes the wish back.",
        min_interval_ms=limit("attentionIntervalMs"),
        built=True,
    ),
    MethodRow(
        "card.requestResize",
        record({"w": integer(1, 10_000), "h": integer(1, 10_000)}),
        "cards",
        "Resizes the card within the limits of its manifest.",
        "{w, h} as given",
        min_interval_ms=limit("resizeIntervalMs"),
        built=True,
    ),
    MethodRow(
        "card.openLink",
        record({"url": url(2048)}),
        "cards",
        "Opens an https address in the browser after the user agreed.",
        "{opened}",
        visible=True,
        built=True,
    ),
    MethodRow(
        "card.focus",
        record({"cardId": ident()}),
        "cards",
        "Brings another card of the workspace into view.",
        visible=True,
        min_interval_ms=limit("focusIntervalMs"),
        built=True,
    ),
    MethodRow(
        "card.spawn",
        record(
            {"kind": one_of(("self", "note", "todo", "kanban", "sticky"))},
            {"title": text(0, limit("titleChars")), "connect": boolean(), "init": anything()},
        ),
        "cards",
        "Adds a card beside this one; an arrow it asks for stays pending until the user confirms it.",
        "{cardId}",
        permissions_any_of=("canvas.spawn",),
        per_minute=4,
        built=True,
    ),
)

UI_ROWS = (
    MethodRow(
        "ui.toast",
        record({"message": ident(limit("toastChars"))}, {"tone": _TONE, "durationMs": integer(1000, 15_000)}),
        "cards",
        "Shows a short message on the page that owns the card.",
        min_interval_ms=limit("toastIntervalMs"),
        built=True,
    ),
    MethodRow(
        "ui.confirm",
        record(
            {"title": ident(120), "message": text(0, limit("confirmChars"))},
            {"confirmLabel": _LABEL, "cancelLabel": _LABEL, "tone": _CHOICE_TONE},
        ),
        "cards",
        "Asks the user a yes-or-no question; a refusal is an answer, not an error.",
        "{confirmed}",
        visible=True,
        per_minute=10,
        built=True,
    ),
    MethodRow(
        "ui.setMenu",
        record({"items": items(_MENU_ITEM, max_items=limit("menuItems"))}),
        "cards",
        "Replaces the card's own menu entries; a choice comes back as `ui.menu`.",
        per_minute=30,
        built=True,
    ),
    MethodRow(
        "settings.get",
        nothing(),
        "cards",
        "Gives the settings with defaults filled in, and which secrets are set.",
        "{values, secrets}",
        built=True,
    ),
    MethodRow(
        "settings.set",
        record(
            {
                "values": {
                    "type": "object",
                    "maxProperties": limit("settings"),
                    "additionalProperties": {"type": ["string", "number", "boolean"]},
                }
            }
        ),
        "cards",
        "Changes settings of the card; secrets are refused.",
        "{values, secrets}",
        per_minute=60,
        built=True,
    ),
    MethodRow(
        "settings.open", nothing(), "cards", "Opens the host's settings form of the card.", visible=True, built=True
    ),
)

STORAGE_ROWS = (
    MethodRow(
        "storage.get",
        record({"scope": _SCOPE, "key": _KEY}),
        "cards",
        "Reads one stored value.",
        "{exists, value|null}",
        built=True,
    ),
    MethodRow(
        "storage.set",
        record({"scope": _SCOPE, "key": _KEY, "value": anything()}),
        "cards",
        "Stores one value of up to 1 MiB.",
        built=True,
    ),
    MethodRow(
        "storage.delete", record({"scope": _SCOPE, "key": _KEY}), "cards", "Removes one stored value.", built=True
    ),
    MethodRow(
        "storage.keys",
        record({"scope": _SCOPE}, {"prefix": text(0, limit("storageKeyChars"))}),
        "cards",
        "Lists the stored keys, sorted.",
        "{keys[]}",
        built=True,
    ),
    MethodRow("storage.clear", record({"scope": _SCOPE}), "cards", "Empties the store.", built=True),
    MethodRow(
        "storage.usage",
        record({"scope": _SCOPE}),
        "cards",
        "Tells how full the store is.",
        "{bytes, quota, keys}",
        built=True,
    ),
)

ENVIRONMENT_ROWS = (
    MethodRow("theme.get", nothing(), "cards", "Gives the theme in use.", "the theme object", built=True),
    MethodRow("i18n.get", nothing(), "cards", "Gives language and locale.", "{language, locale}", built=True),
    MethodRow("workspace.get", nothing(), "cards", "Names the workspace.", "{id, name, path?}", built=True),
    MethodRow(
        "permissions.list",
        nothing(),
        "cards",
        "Lists the declared permissions with what was granted.",
        "[{id, hosts?, optional, granted, reason?}]",
        built=True,
    ),
    MethodRow(
        "permissions.request",
        record({"ids": items(one_of(tuple(PERMISSIONS)), min_items=1, max_items=len(PERMISSIONS), unique=True)}),
        "cards",
        "Asks the user for declared optional permissions.",
        "{granted: ids[]}",
        visible=True,
        min_interval_ms=5000,
        built=True,
    ),
)
