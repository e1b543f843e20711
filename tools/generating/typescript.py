"""`web/protocol/src/generated.ts`: the tables as constants and types of the TypeScript package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cardloom_protocol.agents import HARNESSES, AgentStatus
from cardloom_protocol.hosts import FORBIDDEN_HEADER_PREFIXES, FORBIDDEN_HEADERS
from cardloom_protocol.limits import LIMITS, OWN_LIMITS, Limit
from cardloom_protocol.manifest.names import BUILTIN_TOOLS, RESERVED_NAMES
from cardloom_protocol.manifest.structure import MANIFEST_SCHEMA, PYTHON_MANIFEST_SCHEMA
from cardloom_protocol.method_row import EventRow, MethodRow
from cardloom_protocol.methods import CANVAS_METHODS, CARD_METHODS, EVENTS, OWNER_CARD_METHODS
from cardloom_protocol.methods_canvas import CARD_KINDS
from cardloom_protocol.methods_canvas_content import STICKY_COLORS
from cardloom_protocol.paths import PROTECTED_DIRS, PROTECTED_FILES
from cardloom_protocol.permissions import PERMISSIONS
from cardloom_protocol.ports import PORT_TYPES, conversions
from cardloom_protocol.ports.builtin import BUILTIN_PORTS
from cardloom_protocol.texts import LOCALES
from cardloom_protocol.themes import FONT_MONO, FONT_SANS, THEMES
from cardloom_protocol.vocabulary import ICONS, THEME_TOKENS, TONES

from .error_docs import error_docs
from .shapes import typescript_type
from .wire_table import NOTICE, event_fields, method_fields

_IMPORTS = """\
import type { EventRow, MethodRow, PermissionRow } from "./tables";
import type { JsonObject } from "./json";
import type { Ports } from "./model";"""
_TABLE_FIELDS = ("doc", "result", "owner")  # words for people; the reference pages have them


def generated_typescript() -> str:
    """The module as text."""
    sections = [
        f"// {NOTICE}",
        _IMPORTS,
        *_words(),
        *_methods("Card", CARD_METHODS),
        *_methods("Canvas", CANVAS_METHODS),
        "/** The params of every method by its name. */\n"
        "export interface MethodParams extends CardMethodParams, CanvasMethodParams {}",
        _list("OWNER_CARD_METHODS", sorted(OWNER_CARD_METHODS), "Card methods that the owner may call without a card."),
        *_events("Card", EVENTS["nscard"]),
        *_events("Canvas", EVENTS["cardloom"]),
        _constant("CARD_LIMITS", _values(LIMITS.values()), "The numbers that a card is told in its context."),
        _constant("OWN_LIMITS", _values(OWN_LIMITS.values()), "Cardloom's own numbers."),
        _permissions(),
        *_ports(),
        *_tables(),
    ]
    return "\n\n".join(sections) + "\n"


def _words() -> Iterable[str]:
    task_statuses = PORT_TYPES["ns:task"]["properties"]["status"]["enum"]
    for name, type_name, words, doc in (
        ("ERROR_CODES", "ErrorCode", list(error_docs()), "The codes of errors on the wire."),
        ("CARD_KINDS", "AddableCardKind", CARD_KINDS, "The kinds of card that can be added to a canvas."),
        ("STICKY_COLORS", "StickyColor", STICKY_COLORS, "The colours of a sticky."),
        ("TASK_STATUSES", "TaskStatus", task_statuses, "The states of a task."),
        ("TONES", "Tone", TONES, "What a status, badge, toast or menu entry may be coloured as."),
        ("ICONS", "IconName", ICONS, "The icons that a card may name."),
        ("THEME_TOKENS", "ThemeToken", THEME_TOKENS, "The tokens of a theme."),
        ("LANGUAGES", "Language", list(LOCALES), "The languages of the product."),
        ("PERMISSION_IDS", "PermissionId", list(PERMISSIONS), "The permissions in canonical order."),
        ("HARNESS_IDS", "HarnessId", list(HARNESSES), "The programs that an agent or terminal card can run."),
        ("AGENT_STATUSES", "AgentStatus", [status.value for status in AgentStatus], "What an agent may be doing."),
        ("PORT_TYPE_NAMES", "PortTypeName", list(PORT_TYPES), "The well-known port types."),
    ):
        yield _list(name, words, doc)
        yield f"export type {type_name} = (typeof {name})[number];"


def _methods(prefix: str, rows: Mapping[str, MethodRow]) -> Iterable[str]:
    upper = prefix.upper()
    yield _list(f"{upper}_METHOD_NAMES", list(rows), f"The methods of the {prefix.lower()} table, built or reserved.")
    yield f"export type {prefix}MethodName = (typeof {upper}_METHOD_NAMES)[number];"
    lines = [
        f"/** The params of each method of the {prefix.lower()} table. */",
        f"export interface {prefix}MethodParams {{",
    ]
    for row in rows.values():
        lines.append(f"  /** {row.doc} */")
        lines.append(f"  {json.dumps(row.name)}: {typescript_type(row.params_schema)};")
    yield "\n".join([*lines, "}"])
    table = {name: _without_words(method_fields(row)) for name, row in rows.items()}
    yield _typed(f"{upper}_METHODS", f"Readonly<Record<{prefix}MethodName, MethodRow>>", table)


def _events(prefix: str, rows: Mapping[str, EventRow]) -> Iterable[str]:
    upper = prefix.upper()
    yield _list(f"{upper}_EVENT_NAMES", list(rows), f"The events of the {prefix.lower()} table.")
    yield f"export type {prefix}EventName = (typeof {upper}_EVENT_NAMES)[number];"
    table = {
        name: {key: value for key, value in event_fields(row).items() if key not in ("doc", "data")}
        for name, row in rows.items()
    }
    yield _typed(f"{upper}_EVENTS", f"Readonly<Record<{prefix}EventName, EventRow>>", table)


def _permissions() -> str:
    table = {
        kind.id: {"risk": kind.risk.value, "implies": list(kind.implies), "needsHosts": kind.needs_hosts}
        for kind in PERMISSIONS.values()
    }
    return _typed("PERMISSIONS", "Readonly<Record<PermissionId, PermissionRow>>", table)


def _ports() -> Iterable[str]:
    table = conversions()
    names = sorted({"exact", "any", *(name for row in table.values() for name in row.values())})
    yield _typed("PORT_TYPES", "Readonly<Record<PortTypeName, JsonObject>>", dict(PORT_TYPES))
    yield _list("COERCION_NAMES", names, "The ways in which a value changes between two port types.")
    yield "export type Coercion = (typeof COERCION_NAMES)[number];"
    yield _typed("COERCIONS", "Readonly<Record<string, Readonly<Record<string, Coercion>>>>", table)
    builtin = {
        kind: {
            "inputs": [port.to_wire() for port in ports.inputs],
            "outputs": [port.to_wire() for port in ports.outputs],
        }
        for kind, ports in BUILTIN_PORTS.items()
    }
    yield _typed("BUILTIN_PORTS", "Readonly<Record<string, Ports>>", builtin)


def _tables() -> Iterable[str]:
    harnesses = {harness.id: {"name": harness.name, "kind": harness.kind} for harness in HARNESSES.values()}
    yield _constant("HARNESSES", harnesses, "What each harness is called, and whether it is an AI agent or a shell.")
    yield _constant("LOCALES", dict(LOCALES), "The locale whose formats go with each language.")
    yield _constant(
        "THEMES", {scheme: dict(tokens) for scheme, tokens in THEMES.items()}, "The tokens of both schemes."
    )
    yield _constant("FONTS", {"sans": FONT_SANS, "mono": FONT_MONO}, "The font stacks.")
    for name, words, doc in (
        ("RESERVED_NAMES", RESERVED_NAMES, "Package names that no card may have."),
        ("BUILTIN_TOOLS", BUILTIN_TOOLS, "Full tool names that no card may take."),
        ("FORBIDDEN_HEADERS", FORBIDDEN_HEADERS, "Request headers that only the host sets."),
        ("FORBIDDEN_HEADER_PREFIXES", FORBIDDEN_HEADER_PREFIXES, "Beginnings of such headers."),
        ("PROTECTED_DIRS", PROTECTED_DIRS, "Folders that no card may write to."),
        ("PROTECTED_FILES", PROTECTED_FILES, "Files that no card may write."),
    ):
        yield _list(name, words, doc)
    yield _typed("MANIFEST_SCHEMA", "JsonObject", dict(MANIFEST_SCHEMA))
    yield _typed("PYTHON_MANIFEST_SCHEMA", "JsonObject", dict(PYTHON_MANIFEST_SCHEMA))


def _without_words(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in _TABLE_FIELDS}


def _values(rows: Iterable[Limit]) -> dict[str, int]:
    return {row.name: row.value for row in rows}


def _list(name: str, words: Iterable[str], doc: str) -> str:
    return _constant(name, list(words), doc)


def _constant(name: str, value: Any, doc: str) -> str:
    return f"/** {doc} */\nexport const {name} = {_literal(value)} as const;"


def _typed(name: str, type_name: str, value: Any) -> str:
    return f"export const {name}: {type_name} = {_literal(value)};"


def _literal(value: Any, indent: str = "") -> str:
    """JSON, short parts on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= 110 or not isinstance(value, dict | list | tuple) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        members = [f"{inner}{json.dumps(key)}: {_literal(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(members) + f",\n{indent}}}"
    return "[\n" + ",\n".join(inner + _literal(item, inner) for item in value) + f",\n{indent}]"
