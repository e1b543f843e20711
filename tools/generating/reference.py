"""`docs/reference/*.md`: what people look up, from the same tables that the program runs on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from cardloom_protocol.callers import CALLERS
from cardloom_protocol.events_canvas import CANVAS_EVENTS
from cardloom_protocol.events_card import CARD_EVENTS
from cardloom_protocol.limits import LIMITS, OWN_LIMITS, Limit
from cardloom_protocol.method_row import EventRow, MethodRow
from cardloom_protocol.methods import CANVAS_METHODS, CARD_METHODS, METHODS, OWNER_CARD_METHODS
from cardloom_protocol.permissions import PERMISSIONS
from cardloom_protocol.ports import PORT_TYPES, conversions
from cardloom_protocol.ports.types import CUSTOM_TYPE_PATTERN
from cardloom_protocol.rooms import ROOMS
from cardloom_protocol.session.limits import SESSION_LIMITS

from .error_docs import error_docs
from .session_page import session_page
from .shapes import notation
from .wire_table import NOTICE

_SHAPES = (
    "Shapes are written as `{id: text 1–128, lines?: whole 1–500}`: a question mark means that the member may be "
    "left out, numbers are bounds (of a text in characters, of a list in items), `a | b` is one or the other. "
    "The exact schemas are in `wire/protocol.json`."
)


def reference_pages() -> dict[str, str]:
    """The pages by path below the root."""
    pages = {
        "methods-card": _methods_card(),
        "methods-canvas": _methods_canvas(),
        "events": _events(),
        "errors": _errors(),
        "limits": _limits(),
        "permissions": _permissions(),
        "port-types": _port_types(),
        "callers": _callers(),
        "rooms": _rooms(),
        "sessions": session_page(),
    }
    return {f"docs/reference/{name}.md": "\n".join([f"<!-- {NOTICE} -->", *lines, ""]) for name, lines in pages.items()}


def _methods_card() -> list[str]:
    intro = "What a card may call, with `ns` `nscard`. Gates are asked in the order of the lines below each method."
    return ["# Methods of cards", "", intro, "", _SHAPES, *_method_groups(CARD_METHODS)]


def _methods_canvas() -> list[str]:
    allowed = ", ".join(f"`{name}`" for name in sorted(OWNER_CARD_METHODS))
    intro = (
        "What the page, the command line and the SDK call with the owner's key, with `ns` `cardloom`. "
        f"The owner may also call {allowed}: an agent's id is enough there."
    )
    return ["# Methods of the canvas", "", intro, "", _SHAPES, *_method_groups(CANVAS_METHODS)]


def _method_groups(rows: Mapping[str, MethodRow]) -> Iterable[str]:
    ordered = sorted(rows.values(), key=lambda row: row.name.partition(".")[0])
    for group, members in groupby(ordered, key=lambda row: row.name.partition(".")[0]):
        yield from ("", f"## {group}")
        for row in members:
            yield from ("", *_method(row))


def _method(row: MethodRow) -> Iterable[str]:
    yield f"### `{row.name}`"
    yield ""
    yield row.doc if row.built else f"{row.doc} *Reserved: not built yet, answers METHOD_NOT_FOUND.*"
    yield ""
    yield f"- Params: `{notation(row.params_schema)}`"
    yield f"- Result: {_code(row.result)}"
    for need in _needs(row):
        yield f"- {need}"
    yield f"- Room: `{row.owner}`, since {row.since}"


def _needs(row: MethodRow) -> Iterable[str]:
    if row.before_ready:
        yield "May be called before the handshake is done."
    if row.permissions_any_of:
        yield f"Permission: {' or '.join(f'`{name}`' for name in row.permissions_any_of)}"
    if row.needs_arrow:
        yield f"Arrow: to the card named by `{row.needs_arrow}`"
    if row.visible:
        yield "The card must be on screen."
    if row.per_minute is not None:
        yield f"Rate: {row.per_minute} a minute"
    if row.min_interval_ms is not None:
        yield f"Rate: {row.min_interval_ms} ms between two calls"
    large = [name for name, is_large in (("request", row.large_request), ("answer", row.large_response)) if is_large]
    if large:
        yield f"Size: {' and '.join(large)} may reach 12 MiB"


def _events() -> list[str]:
    lines = ["# Events", ""]
    lines += ["A topic flows only after `events.subscribe`; its permission is checked again at every delivery."]
    for title, rows in (("To a card (`nscard`)", CARD_EVENTS), ("To the owner (`cardloom`)", CANVAS_EVENTS)):
        lines += ["", f"## {title}", "", "| event | data | what it tells |", "| --- | --- | --- |"]
        lines += [_event_line(row) for row in rows.values()]
    return lines


def _event_line(row: EventRow) -> str:
    notes = [row.doc]
    if row.topic:
        notes.append(f"Topic{f', needs `{row.permission}`' if row.permission else ''}.")
    if row.buffered:
        notes.append("Up to 100 wait in the card until somebody listens.")
    return _row(f"`{row.name}`", _code(row.data), " ".join(notes))


def _errors() -> list[str]:
    lines = ["# Error codes", "", "Programs branch on the code; the message is for people.", ""]
    lines += ["| code | when, whose fault, retry, data |", "| --- | --- |"]
    return lines + [_row(f"`{code}`", doc) for code, doc in error_docs().items()]


def _limits() -> list[str]:
    lines = ["# Limits", "", "1 MiB is 2^20. A `json unit` is a UTF-16 unit of compact JSON."]
    for title, rows in (("Told to cards", LIMITS), ("Cardloom's own", OWN_LIMITS), ("Sessions", SESSION_LIMITS)):
        lines += ["", f"## {title}", "", "| name | value | unit | of what |", "| --- | ---: | --- | --- |"]
        lines += [_limit_line(row) for row in rows.values()]
    return lines


def _limit_line(row: Limit) -> str:
    return _row(f"`{row.name}`", f"{row.value:,}".replace(",", " "), row.unit, row.reason)


def _permissions() -> list[str]:
    lines = ["# Permissions", "", "In canonical order. A permission grants what it implies.", ""]
    lines += ["| id | risk | implies | opens |", "| --- | --- | --- | --- |"]
    for kind in PERMISSIONS.values():
        implied = ", ".join(f"`{name}`" for name in kind.implies)
        opened = ", ".join(f"`{row.name}`" for row in CARD_METHODS.values() if kind.id in row.permissions_any_of)
        lines.append(_row(f"`{kind.id}`" + (" (hosts)" if kind.needs_hosts else ""), kind.risk.value, implied, opened))
    return lines


def _port_types() -> list[str]:
    lines = ["# Port types", "", f"A type of one's own is named `{CUSTOM_TYPE_PATTERN}` and needs a schema.", ""]
    lines += ["| type | value |", "| --- | --- |"]
    lines += [_row(f"`{name}`", _code(notation(schema))) for name, schema in PORT_TYPES.items()]
    lines += ["", "## Conversions", "", "Equal types pass as they are, and an input of `ns:any` takes everything.", ""]
    lines += ["| input | output | how |", "| --- | --- | --- |"]
    for target, sources in conversions().items():
        lines += [_row(f"`{target}`", f"`{source}`", how) for source, how in sources.items()]
    return lines


def _callers() -> list[str]:
    lines = ["# Callers", "", "Who may call at all: asked before anything else happens to a request.", ""]
    lines += ["| kind | who | credential | Origin | routes | speaks |", "| --- | --- | --- | --- | --- | --- |"]
    for row in CALLERS.values():
        routes = ", ".join(f"`{route}`" for route in row.routes)
        spoken = ", ".join(f"`{ns}`" for ns in row.ns) or "its own routes alone"
        lines.append(_row(f"`{row.kind.value}`", row.doc, row.credential, row.origin, routes, spoken))
    return lines


def _rooms() -> list[str]:
    intro = "Which part of the server owns what. Features never import each other; rooms below serve several of them."
    lines = ["# Rooms", "", intro, ""]
    lines += ["| room | layer | what | methods |", "| --- | --- | --- | --- |"]
    for room in ROOMS.values():
        owned = ", ".join(_owned(room.name)) if room.layer == "features" else ""
        lines.append(_row(f"`{room.name}`", room.layer, room.doc, owned))
    return lines


def _owned(room: str) -> Iterable[str]:
    names = [row.name for rows in METHODS.values() for row in rows.values() if row.owner == room]
    for prefix, members in groupby(sorted(names), key=lambda name: name.partition(".")[0]):
        yield f"`{prefix}.{{{', '.join(name.partition('.')[2] for name in members)}}}`"


def _code(words: str) -> str:
    """A shape in code type; words that are no shape stay words."""
    return (
        f"`{words}`" if any(char in words for char in "{[|") or (words.isidentifier() and words[0].isupper()) else words
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
