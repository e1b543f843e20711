"""What a card's web request becomes and what of the answer the card gets. Pure: bytes and texts in, values out.

Spec: cards, network; cards behaviour, message flow (`net.fetch`, `net.chunk`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import invalid_params
from cardloom_protocol.hosts import fill_secrets, secret_names
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.permissions import Permission
from cardloom_protocol.schema import Issue

from ....core.call import Result
from ....host.fetch import Outgoing
from ....host.wire_json import loads

ResponseType: TypeAlias = Literal["text", "json", "base64", "stream"]

_CHARSET: Final = re.compile(r"charset\s*=\s*\"?([a-z0-9_:.-]+)", re.IGNORECASE)
_KNOWN_CHARSETS: Final = re.compile(
    r"utf-?8|utf-?16(le|be)?|iso-8859-\d{1,2}|latin-?1|us-ascii|ascii|(windows-|cp)125\d|koi8-[ru]|"
    r"gb(k|2312|18030)|big5|shift[_-]jis|euc-(jp|kr)",
    re.IGNORECASE,
)
_HEAD_UNITS: Final = 1 << 18  # what status, URL and headers of an answer take at most
_MAX_BASE64_BYTES: Final = (limit("largeMessageBytes") - _HEAD_UNITS) // 4 * 3


def body_of(params: Mapping[str, Any], max_bytes: int) -> bytes | None:
    """The body to send, None where there is none. INVALID_PARAMS: no base64; TOO_LARGE."""
    text = params.get("body")
    if text is None:
        return None
    if params.get("bodyEncoding") == "base64":
        try:
            body = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise invalid_params([Issue("/body", "base64", "this is not base64")], "net.fetch") from error
    else:
        body = str(text).encode("utf-8", "replace")
    if len(body) > max_bytes:
        raise CallError(ErrorCode.TOO_LARGE, f"a request body has at most {max_bytes} bytes")
    return body


def outgoing_of(params: Mapping[str, Any], body: bytes | None, secrets: Mapping[str, str]) -> Outgoing:
    """The request, its secrets filled in. Headers that hold one stay with the origin they were meant for."""
    headers = tuple((name, fill_secrets(value, secrets)) for name, value in params.get("headers", {}).items())
    bound = frozenset(name.lower() for name, value in params.get("headers", {}).items() if secret_names(value))
    method = params.get("method") or ("GET" if body is None else "POST")
    return Outgoing(method, params["url"], headers, body, bound)


def declared_hosts(permissions: tuple[Permission, ...]) -> tuple[str, ...]:
    """The hosts that a manifest asks for."""
    return next((permission.hosts or () for permission in permissions if permission.id == "network"), ())


def max_body_bytes(response_type: ResponseType, max_bytes: int) -> int:
    """How much of an answer is read: what the limit allows and, as base64, what one message can carry."""
    return min(max_bytes, _MAX_BASE64_BYTES) if response_type == "base64" else max_bytes


def answer_body(response_type: ResponseType, data: bytes, content_type: str, *, truncated: bool) -> dict[str, Result]:
    """The part of the answer that holds the body. NETWORK_ERROR: it was to be JSON and is none."""
    match response_type:
        case "json":
            return {"json": _json(data, truncated=truncated)}
        case "base64":
            return {"body": base64.b64encode(data).decode()}
        case _:
            return {"body": _text(data, content_type)}


class ChunkTexts:
    """Pieces of a streamed body as texts: whole UTF-8 characters as they are, anything else as base64."""

    def __init__(self) -> None:
        self._carry = b""

    def feed(self, data: bytes, *, final: bool = False) -> tuple[str, Literal["text", "base64"]]:
        """What to send for a piece: the text and its encoding. A character that is not whole yet waits for its rest."""
        data = self._carry + data
        cut = len(data) if final else _whole_characters(data)
        whole, self._carry = data[:cut], data[cut:]
        try:
            return whole.decode(), "text"
        except UnicodeDecodeError:
            whole, self._carry = whole + self._carry, b""
            return base64.b64encode(whole).decode(), "base64"


def _whole_characters(data: bytes) -> int:
    """How many bytes of UTF-8 end with a whole character."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if length <= back else len(data) - back
        if byte < 0x80:
            break
    return len(data)


def _json(data: bytes, *, truncated: bool) -> JsonValue:
    if truncated:
        raise CallError(ErrorCode.NETWORK_ERROR, "the answer is too large to be read as JSON")
    text = data.decode("utf-8-sig", "replace")
    if not text.strip():
        return None
    try:
        value: JsonValue = loads(text)
    except (ValueError, RecursionError) as error:
        raise CallError(ErrorCode.NETWORK_ERROR, "the answer is not JSON") from error
    return value


def _text(data: bytes, content_type: str) -> str:
    found = _CHARSET.search(content_type)
    charset = found[1].lower() if found is not None and _KNOWN_CHARSETS.fullmatch(found[1]) else "utf-8"
    if charset in ("utf-8", "utf8"):
        charset = "utf-8-sig"
    elif charset in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        charset = "windows-1252"  # as browsers read these names
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return data.decode("utf-8-sig", "replace")
