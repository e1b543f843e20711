"""The canvas's own methods: what the page, the command line and the SDK call with the owner's key.
Spec: decisions 36-46.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .method_row import MethodRow
from .methods_canvas_agents import AGENT_ROWS
from .methods_canvas_cards import CARD_DESK_ROWS
from .methods_canvas_content import CONTENT_ROWS
from .methods_canvas_files import OWNER_FILES_ROWS
from .methods_canvas_packages import PACKAGE_ROWS
from .methods_canvas_sessions import SESSION_ROWS
from .methods_canvas_usage import USAGE_ROWS
from .param_shapes import (
    Shape,
    anything,
    boolean,
    ident,
    integer,
    items,
    nothing,
    one_of,
    or_null,
    place,
    record,
    safe_integer,
    size,
    text,
)
from .permissions import PERMISSIONS

_WORKSPACE = {"workspaceId": ident()}
_CARD = {"cardId": ident()}
_ARROW = {"arrowId": ident()}
_TITLE = or_null(text(0, 120))
_NAME = text(1, 120)
_FOLDER = text(1, 4096)
_DIRECTION = one_of(("forward", "backward", "both"))
_ENTRY_ID = safe_integer(1)
_TIME_MS = safe_integer(0)
_PERMISSION_IDS = items(one_of(tuple(PERMISSIONS)), max_items=len(PERMISSIONS), unique=True)
_VISIBILITY = one_of(("visible", "overview", "hidden"))
CARD_KINDS: Final = ("note", "todo", "kanban", "sticky", "terminal", "agent", "chat", "budget", "custom")


def _row(
    name: str,
    params: Shape,
    owner: str,
    doc: str,
    result: str = "nothing",
    *,
    before_ready: bool = False,
    whole_canvas: bool = False,
) -> MethodRow:
    return MethodRow(
        name,
        params,
        owner,
        doc,
        result,
        ns="cardloom",
        built=True,
        before_ready=before_ready,
        large_response=whole_canvas,
    )


_ACCESS = (
    _row(
        "client.hello",
        record(
            {"client": one_of(("page", "cli", "sdk")), "protocol": integer(1)},
            {"key": text(1, 256), "name": text(1, 120), "pageId": ident()},
        ),
        "canvas",
        "Opens a connection: proves the key where no Authorization header did, and tells what this server can do.",
        "{protocol, version, pageId, limits, methods[], events[], preferences, workspaces[], packages[]}",
        before_ready=True,
    ),
    _row(
        "client.newCode",
        nothing(),
        "canvas",
        "Makes a one-time code for another page and gives the whole address to open.",
        "{url}",
    ),
    _row(
        "client.presence",
        record(
            {"workspaceId": or_null(ident()), "active": boolean()},
            {
                "cards": items(record({"cardId": ident(), "visibility": _VISIBILITY}), max_items=5000),
                "focusedCardId": or_null(ident()),
                "scheme": one_of(("dark", "light")),
            },
        ),
        "canvas",
        "Tells which workspace this page shows, how each card is seen on it, which frame has the keyboard, and what "
        "it draws in.",
    ),
    _row(
        "preferences.set",
        record({}, {"scheme": one_of(("dark", "light", "system")), "language": one_of(("en", "ru", "zh"))}),
        "canvas",
        "Chooses the theme and the language that pages and cards start with; where none is named, tells them alone.",
        "{scheme, language}",
    ),
)

_WORKSPACES = (
    _row("workspace.list", nothing(), "canvas", "Lists every workspace this server knows.", "{workspaces}"),
    _row(
        "workspace.create",
        record({"name": _NAME, "path": _FOLDER}, {"createFolder": boolean()}),
        "canvas",
        "Makes a workspace over a folder and opens it.",
        "Workspace",
    ),
    _row("workspace.open", record(_WORKSPACE), "canvas", "Opens a workspace: its programs may run.", "Workspace"),
    _row("workspace.close", record(_WORKSPACE), "canvas", "Closes a workspace and ends its programs.", "Workspace"),
    _row(
        "workspace.update",
        record(_WORKSPACE, {"name": _NAME, "path": _FOLDER, "strict": boolean()}),
        "canvas",
        "Renames a workspace, points it at another folder, or makes built-in cards ask for a grant (strict).",
        "Workspace",
    ),
    _row("workspace.remove", record(_WORKSPACE), "canvas", "Forgets a workspace; its folder is never touched."),
)

_CANVAS = (
    _row(
        "canvas.snapshot",
        record(_WORKSPACE),
        "canvas",
        "Gives the whole canvas as it is on disk.",
        "Snapshot",
        whole_canvas=True,
    ),
    _row(
        "canvas.subscribe",
        record(_WORKSPACE),
        "canvas",
        "Gives the whole canvas, and from then on every change of it without a gap.",
        "Snapshot",
        whole_canvas=True,
    ),
    _row("canvas.unsubscribe", record(_WORKSPACE), "canvas", "Ends the flow of changes."),
    _row(
        "canvas.addCard",
        record(
            {**_WORKSPACE, "kind": one_of(CARD_KINDS), **place()},
            {**size(), "title": _TITLE, "content": {"type": "object"}, "packageId": ident(512)},
        ),
        "canvas",
        "Puts a new card on the canvas.",
        "Card",
    ),
    _row(
        "canvas.duplicateCard",
        record(_CARD, place()),
        "canvas",
        "Copies a card with its content and what it keeps, without its arrows.",
        "Card",
    ),
    _row(
        "canvas.updateCard",
        record(_CARD, {**place(), **size(), "z": one_of(("front", "back")), "title": _TITLE}),
        "canvas",
        "Moves, resizes, raises, lowers or renames one card.",
        "Card",
    ),
    _row(
        "canvas.arrange",
        record({**_WORKSPACE, "cards": items(record(_CARD, {**place(), **size()}), min_items=1, max_items=5000)}),
        "canvas",
        "Moves and resizes many cards as one change.",
    ),
    _row(
        "canvas.removeCard",
        record(_CARD, {"force": boolean()}),
        "canvas",
        "Takes a card and its arrows off the canvas; a running program needs `force`, else BUSY.",
        "{arrowIds}",
    ),
    _row(
        "canvas.restore",
        record(
            {
                **_WORKSPACE,
                "cardIds": items(ident(), max_items=5000, unique=True),
                "arrowIds": items(ident(), max_items=5000, unique=True),
            }
        ),
        "canvas",
        "Brings removed cards and arrows back under their old ids; programs start anew and are named.",
        "{cards, arrows, restarted[]}",
        whole_canvas=True,
    ),
    _row(
        "canvas.connect",
        record({"a": ident(), "b": ident()}, {"direction": _DIRECTION}),
        "canvas",
        "Draws an arrow between two cards; it carries values from a to b.",
        "Arrow",
    ),
    _row(
        "canvas.updateArrow",
        record(_ARROW, {"direction": _DIRECTION, "confirm": {"const": True}}),
        "canvas",
        "Turns an arrow, makes it two-way, or confirms one that a card or an agent drew.",
        "Arrow",
    ),
    _row("canvas.disconnect", record(_ARROW), "canvas", "Removes an arrow."),
)

_ARROWS = (
    _row(
        "journal.list",
        record(
            _WORKSPACE,
            {**_ARROW, **_CARD, "beforeId": _ENTRY_ID, "limit": integer(1, 200)},
        ),
        "ports",
        "Lists what was delivered, refused and dropped, newest first.",
        "{entries, more}",
    ),
    _row(
        "journal.body",
        record({"entryId": _ENTRY_ID}),
        "ports",
        "Gives the value of one journal entry, or its head and hash where it was too large to keep.",
        "{body|null, sizeBytes, sha256, head|null}",
    ),
    _row(
        "journal.replay",
        record(
            _WORKSPACE,
            {"fromId": _ENTRY_ID, "toId": _ENTRY_ID, "fromMs": _TIME_MS, "toMs": _TIME_MS},
        ),
        "ports",
        "Delivers a range again into a copy of the workspace, in the recorded order, and tells where results differ.",
        "{workspaceId, name, replayed, differences[]}",
    ),
    _row("arrow.pause", record(_ARROW), "ports", "Makes an arrow carry nothing until it is resumed.", "Arrow"),
    _row("arrow.resume", record(_ARROW), "ports", "Lets a paused arrow carry values again.", "Arrow"),
    _row(
        "arrow.resend",
        record(_ARROW, {"entryId": _ENTRY_ID}),
        "ports",
        "Sends a kept value along the arrow again: the named one, else the last.",
        "{delivered, outcome}",
    ),
    _row(
        "ports.deliver",
        record({"to": ident(), "data": anything()}, {"input": ident(32), "type": ident(100)}),
        "ports",
        "Sends a value into a card in the owner's name.",
        "{delivered, outcome}",
    ),
)

_TERMINALS = (
    _row(
        "terminal.attach",
        record(_CARD),
        "terminals",
        "Gives a repaint of the terminal, and from then on its output.",
        "{generation, offset, cols, rows, data}",
    ),
    _row("terminal.detach", record(_CARD), "terminals", "Ends the flow of output."),
    _row("terminal.input", record({**_CARD, "data": text(1, 1_000_000)}), "terminals", "Types into the terminal."),
    _row(
        "terminal.resize",
        record({**_CARD, "cols": integer(1, 100_000), "rows": integer(1, 100_000)}),
        "terminals",
        "Sets the terminal's size in cells, within its limits.",
    ),
    _row("terminal.start", record(_CARD), "terminals", "Starts the shell again after it ended.", "Card"),
    _row(
        "terminal.ack",
        record({**_CARD, "offset": integer(0)}),
        "terminals",
        "Tells how much output the viewer has drawn, so that a slow one is skipped and repainted instead of fed.",
    ),
)

_PROGRAMS = (
    _row(
        "grant.list",
        record(_WORKSPACE),
        "cards",
        "Lists what each package may do in a workspace.",
        "{grants: [{packageId, permission, granted}]}",
    ),
    _row(
        "grant.set",
        record({**_WORKSPACE, "packageId": ident(512), "permission": one_of(tuple(PERMISSIONS)), "granted": boolean()}),
        "cards",
        "Grants or revokes one permission of a package in a workspace.",
    ),
    _row(
        "dialog.answer",
        record({"dialogId": ident(), "accepted": boolean()}, {"permissions": _PERMISSION_IDS}),
        "canvas",
        "Answers a question; the first answer wins, a late one is NOT_FOUND. `permissions` grants only these of many.",
    ),
    _row("package.list", nothing(), "cards", "Lists the packages that can be put on a canvas.", "{packages}"),
    _row(
        "card.run",
        record({**_WORKSPACE, "manifest": {"type": "object"}}, {**place(), **_CARD}),
        "cards",
        "Makes room for a headless card that somebody runs themselves, and gives its one-card token.",
        "{cardId, token}",
    ),
    _row(
        "card.log",
        record(_CARD, {"limit": integer(1, 1000)}),
        "cards",
        "Gives the latest lines that a card logged or printed.",
        "{lines: [{atMs, level, text}]}",
    ),
    _row("card.restart", record(_CARD), "cards", "Starts a card's program again.", "Card"),
    _row("card.stop", record(_CARD), "cards", "Stops a card's program.", "Card"),
)

_FRAMES = (
    _row(
        "card.mount",
        record(_CARD, {"takeOver": boolean()}),
        "cards",
        "Lets this page load a card's frame; `heldBy` names the page that has it, unless it is taken over.",
        "{token|null, url|null, heldBy: pageId|null}",
    ),
    _row("card.unmount", record(_CARD), "cards", "Tells that this page took a card's frame away."),
    _row(
        "card.expand",
        record({**_CARD, "expanded": boolean()}),
        "cards",
        "Tells that a card fills this page, or no longer does.",
    ),
)


CANVAS_METHODS: Final = MappingProxyType(
    {
        row.name: row
        for rows in (
            _ACCESS,
            _WORKSPACES,
            _CANVAS,
            CONTENT_ROWS,
            _ARROWS,
            _TERMINALS,
            _PROGRAMS,
            AGENT_ROWS,
            CARD_DESK_ROWS,
            OWNER_FILES_ROWS,
            PACKAGE_ROWS,
            SESSION_ROWS,
            _FRAMES,
            USAGE_ROWS,
        )
        for row in rows
    }
)
