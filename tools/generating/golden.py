"""`wire/golden/*.json`: one real frame of each kind, as the encoders write it, for the tests of every language."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import (
    ABSENT,
    ErrorResponse,
    Event,
    Request,
    encode_connect,
    encode_error,
    encode_event,
    encode_request,
    encode_result,
)
from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.method_row import Namespace

from .wire_table import NOTICE

_TASKS: JsonValue = [
    {"text": "test_basket › a voucher counts once", "status": "error"},
    {"text": "размер корзины 🛒", "status": "pending"},
]
_MESSAGE: JsonValue = {
    "from": "c_radar",
    "fromKind": "custom",
    "output": "failures",
    "input": "add",
    "type": "ns:tasks",
    "sourceType": "ns:tasks",
    "data": _TASKS,
    "at": 1767225600000,
}
_CHANGES: JsonValue = {
    "workspaceId": "w_shop",
    "seq": 12,
    "by": "p_left",
    "changes": [{"op": "patchCard", "cardId": "c_note", "fields": {"x": -120.5, "y": 0, "title": None}}],
}
_STRAY_PARAMS = CallError(
    ErrorCode.INVALID_PARAMS,
    "params/limit must be at most 200",
    [{"path": "/limit", "keyword": "maximum", "message": "must be at most 200"}],
)


def golden_frames() -> dict[str, str]:
    """The files by path below the root: what the frame is, its text, and the same as a value."""
    texts = {
        **_frames("nscard", Request(7, "ports.emit", {"port": "failures", "data": _TASKS}), {"delivered": 2}),
        **_frames("cardloom", Request(3, "canvas.connect", {"a": "c_radar", "b": "c_note"}), {"id": "a_1"}),
        "nscard-response-void": encode_result(8, ABSENT, dumps=compact_json),
        "nscard-error": _error("nscard", CallError(ErrorCode.RATE_LIMITED, "Too often.", {"retryAfterMs": 40})),
        "cardloom-error": _error("cardloom", _STRAY_PARAMS),
        "nscard-event": encode_event(Event("ports.message", _MESSAGE), dumps=compact_json),
        "cardloom-event": encode_event(Event("canvas.changed", _CHANGES), "cardloom", compact_json),
        "nscard-connect": compact_json(encode_connect()),
    }
    return {f"wire/golden/{name}.json": _document(text) for name, text in sorted(texts.items())}


def _frames(ns: Namespace, request: Request, result: JsonValue) -> Mapping[str, str]:
    return {
        f"{ns}-request": encode_request(request, ns, compact_json),
        f"{ns}-response": encode_result(request.id, result, ns, compact_json),
    }


def _error(ns: Namespace, error: CallError) -> str:
    return encode_error(ErrorResponse(9, error.code.value, error.message, error.data), ns, compact_json)


def _document(text: str) -> str:
    document = {"$comment": NOTICE, "text": text, "frame": json.loads(text)}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
