"""The envelope around every answer: `{ok: true, data}` or `{ok: false, error}`. Spec: session protocol, envelope."""

from __future__ import annotations

from typing import Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar, cast

from ..jstext import JsonValue
from .errors import BadRequest, Conflict, InvalidId, NotFound, NotSupported, SessionError, SessionErrorCode
from .json_text import JsonObject, is_object, text_of

T = TypeVar("T")


class ErrorBody(TypedDict):
    """Why an operation failed."""

    code: str
    message: str
    details: NotRequired[JsonValue]


class Success(TypedDict, Generic[T]):
    """An answer."""

    ok: Literal[True]
    data: T


class Failure(TypedDict):
    """A refusal."""

    ok: Literal[False]
    error: ErrorBody


Envelope: TypeAlias = Success[T] | Failure


def success(data: T) -> Success[T]:
    """The envelope of an answer."""
    return {"ok": True, "data": data}


def failure(error: SessionError) -> Failure:
    """The envelope of a refusal."""
    return {"ok": False, "error": cast(ErrorBody, error.to_wire())}


def opened(envelope: object) -> JsonValue:
    """The data of an envelope; raises the error that it carries.

    Reads kindly: `value` stands for `data`, and an `error` alone is a refusal. Anything else is an INTERNAL error,
    for then the other side does not speak this protocol.
    """
    if is_object(envelope):
        if envelope.get("ok") is True:
            return envelope.get("data", envelope.get("value"))
        if "error" in envelope:
            raise error_from_wire(envelope["error"])
    raise SessionError(SessionErrorCode.INTERNAL, "The answer is not an envelope.")


def error_from_wire(error: object) -> SessionError:
    """The error of an envelope as an exception; a code unknown here is kept as it is."""
    body: JsonObject = error if is_object(error) else {"message": error if isinstance(error, str) else ""}
    code = text_of(body.get("code")) or SessionErrorCode.INTERNAL.value
    message = text_of(body.get("message")) or "The backend gave no reason."
    details = body.get("details")
    match code:
        case SessionErrorCode.NOT_FOUND:
            return NotFound(message, details)
        case SessionErrorCode.CONFLICT:
            return Conflict(message, details)
        case SessionErrorCode.BAD_REQUEST:
            return BadRequest(message, details)
        case SessionErrorCode.INVALID_ID:
            return InvalidId(message)
        case SessionErrorCode.NOT_SUPPORTED:
            return NotSupported("", message)
        case _:
            return SessionError(code, message, details)
