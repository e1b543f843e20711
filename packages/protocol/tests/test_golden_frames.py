"""The golden frames, which the TypeScript package reads too: both sides write and read the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.frames import (
    ErrorResponse,
    Event,
    Request,
    Response,
    encode_connect,
    encode_error,
    encode_event,
    encode_request,
    encode_result,
    is_connect_message,
    parse_incoming,
    parse_request,
)
from cardloom_protocol.jstext import compact_json
from cardloom_protocol.method_row import Namespace

GOLDEN = Path(__file__).resolve().parents[3] / "wire" / "golden"
FILES = sorted(GOLDEN.glob("*.json"))


def _namespace(name: str) -> Namespace:
    return "cardloom" if name.startswith("cardloom") else "nscard"


def _encoded_again(raw: Any, ns: Namespace) -> str:
    """The text of whatever the frame was read as."""
    if is_connect_message(raw):
        return compact_json(encode_connect(raw["protocol"]))
    match parse_request(raw, ns) if raw["kind"] == "req" else parse_incoming(raw, ns):
        case Request() as request:
            return encode_request(request, ns, compact_json)
        case Response(id=request_id, result=result):
            return encode_result(int(request_id), result, ns, compact_json)
        case ErrorResponse() as error:
            return encode_error(error, ns, compact_json)
        case Event() as event:
            return encode_event(event, ns, compact_json)
        case unread:
            pytest.fail(f"read as {unread!r}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_golden_frame_is_read_and_written_again_byte_for_byte(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert json.loads(document["text"]) == document["frame"]
    assert _encoded_again(document["frame"], _namespace(path.stem)) == document["text"]


def test_there_is_a_golden_frame_of_every_kind_in_both_namespaces() -> None:
    kinds = {f"{ns}-{kind}" for ns in ("nscard", "cardloom") for kind in ("request", "response", "error", "event")}
    assert kinds | {"nscard-connect"} <= {path.stem for path in FILES}
