"""`docs/reference/sessions.md`: the operations of the session protocol, over HTTP and over the canvas's connection."""

from __future__ import annotations

from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.calls import CallField, SessionCall

_INTRO = (
    "Every operation has one row, from which both bindings are made. Over HTTP it is a verb and a path below "
    "`/protocol/v1` (a backend that is served alone has them at its root); over the canvas's connection it is the "
    "method `session.<name>` with the same fields and a `backend` beside them. Both answer `{ok: true, data}` or "
    "`{ok: false, error: {code, message, details?}}`. An operation whose capability is missing answers 501, whatever "
    "it names. Fields in italics must be there."
)
_PLACES = {
    "path": "path",
    "query": "query",
    "body": "body",
    "whole": "the body itself",
    "if-match": "header If-Match",
    "raw": "the body as bytes",
    "content-type": "header Content-Type",
}
_REPLIES = {"json": "", "bytes": "bytes", "events": "event stream"}


def session_page() -> list[str]:
    """The lines of the page."""
    lines = ["# Operations of sessions", "", _INTRO, ""]
    lines += ["| name | over HTTP | fields | capability | answer |", "| --- | --- | --- | --- | --- |"]
    return lines + [_line(call) for call in SESSION_CALLS.values()]


def _line(call: SessionCall) -> str:
    fields = ", ".join(_field(name, field) for name, field in call.fields.items())
    capability = f"`{call.capability}`" if call.capability else ""
    answer = " ".join(part for part in (str(call.status), _REPLIES[call.reply]) if part)
    cells = (f"`{call.name}` – {call.doc}", f"`{call.verb} {call.path}`", fields, capability, answer)
    return f"| {' | '.join(cells)} |"


def _field(name: str, field: CallField) -> str:
    shown = f"`{name}`"
    if field.required:
        shown = f"*{shown}*"
    null = " or null" if field.nullable else ""
    place = "" if field.place in ("path", "body") else f" ({_PLACES[field.place]})"
    return f"{shown}{null}{place}"
