"""The owner's methods about sessions: every operation of the session protocol, under the name it has there.

Rows of the canvas's table (see `methods_canvas`). The answer is the protocol's own envelope, refusals included, so that
a client reads it as it would read HTTP. `backend` names one of several; without it the first one is meant. Streams are
events `session.stream` until `session.leave`. Spec: session protocol, routes; decisions 32, 39.
"""

from __future__ import annotations

from typing import Final

from .frames import LARGE_REQUEST_METHODS
from .method_row import MethodRow
from .param_shapes import Shape, anything, ident, items, nothing, one_of, or_null, record, text, url
from .session.call_table import SESSION_CALLS
from .session.calls import SessionCall

_SHAPES: Final[dict[str, Shape]] = {
    "id": {"type": "string"},
    "key": {"type": "string"},
    "text": {"type": "string"},
    "content": {"type": "string"},
}
_BACKEND_ID: Final[Shape] = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$", "maxLength": 64}
_SET_UP: Final = (
    "{backends: [{id, kind, title, command?, folder?, url?, mapping?, hasKey, "
    "state: found|unasked|answers|missing|faulty|silent|unused, why: string|null}], "
    "programs: [{kind, title, command, path: string|null}]}"
)


def _row(call: SessionCall) -> MethodRow:
    fields = {
        name: anything() if field.nullable else _SHAPES.get(field.kind, anything())
        for name, field in call.fields.items()
    }
    name = f"session.{call.name}"
    return MethodRow(
        name,
        record({}, {"backend": ident(), **fields}),
        "sessions",
        call.doc,
        "{ok, data: {streamId}}" if call.reply == "events" else "{ok, data}",
        ns="cardloom",
        large_request=name in LARGE_REQUEST_METHODS,
        large_response=True,
        built=True,
    )


SESSION_ROWS: Final = (
    *(_row(call) for call in SESSION_CALLS.values()),
    MethodRow(
        "session.backends",
        nothing(),
        "sessions",
        "Lists the backends that sessions can live in, the one that is meant without a name first.",
        "{backends: [{id, title, kind}]}",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.access",
        nothing(),
        "sessions",
        "Gives the address and the key with which another front end reaches the session protocol over HTTP.",
        "{url, key}",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.leave",
        record({"streamId": text(1, 64)}),
        "sessions",
        "Ends a stream of this connection.",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.endpoints",
        nothing(),
        "sessions",
        "Lists where the engine's models are, without keys.",
        "{endpoints: [{id, dialect, url, hasKey}]}",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.saveEndpoint",
        record(
            {
                "endpointId": _BACKEND_ID,
                "dialect": one_of(("chat", "responses", "messages")),
                "url": url(2000),
            },
            {"key": text(1, 4096)},
        ),
        "sessions",
        "Keeps where models are and asks for them; the key goes into the vault. `problem` tells why there is none.",
        "{endpoints, models, problem: string|null}",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.removeEndpoint",
        record({"endpointId": ident()}),
        "sessions",
        "Forgets where models are, and the key that was typed in for it.",
        "{endpoints}",
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.setUp",
        nothing(),
        "sessions",
        "Lists the backends of the file of backends and how each is, without keys, and the programs that could be one.",
        _SET_UP,
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.saveBackend",
        record(
            {"backendId": _BACKEND_ID, "kind": one_of(("pi", "opencode", "acp", "http", "mapped"))},
            {
                "title": text(1, 80),
                "command": items(text(1, 4096), min_items=1, max_items=64),
                "folder": text(1, 4096),
                "url": url(2000),
                "mapping": text(1, 4096),
                "mappingText": text(1, 1_000_000),
                "key": text(1, 4096),
            },
        ),
        "sessions",
        "Keeps a backend and takes it up in place of the one of its id, whose runs end; the key goes into the vault. "
        "`mappingText` is the mapping itself, kept in the data folder.",
        _SET_UP,
        ns="cardloom",
        large_request=True,
        built=True,
    ),
    MethodRow(
        "session.checkBackend",
        record({"backendId": ident()}),
        "sessions",
        "Asks a backend whether it answers, and takes up one that was written into the file by hand.",
        _SET_UP,
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "session.removeBackend",
        record({"backendId": ident()}),
        "sessions",
        "Forgets a backend and the key that was typed in for it; its runs end, its sessions stay where they are.",
        _SET_UP,
        ns="cardloom",
        built=True,
    ),
    MethodRow(
        "chat.edit",
        record({"cardId": ident()}, {name: or_null(text(1, 200)) for name in ("backend", "sessionId", "profile")}),
        "sessions",
        "Gives a chat card another session, or another backend or profile for the session that its first prompt makes.",
        "{revision, content}",
        ns="cardloom",
        built=True,
    ),
)
