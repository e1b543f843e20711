"""The one way in: known? params fit? may the caller? then the handler, whatever the call came in by.

Whether the result fits its size is asked by the connection that carries it. Spec: architecture, the journey of a call.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping

from cardloom_protocol.callers import Caller
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue

from ..core.call import Call, Handler, Result
from .gate import Gate

_log = logging.getLogger(__name__)


class Dispatcher:
    """Takes calls to the handlers of the features."""

    def __init__(self, handlers: Mapping[str, Handler], gate: Gate) -> None:
        self._handlers = handlers
        self._gate = gate

    async def dispatch(self, method: str, params: JsonValue, caller: Caller, *, ready: bool = True) -> Result:
        """Answer one call. CallError for every refusal; a fault of ours is INTERNAL with a reference to the log.

        `ready` is False until the connection's first call, which says who speaks, was answered.
        """
        self._gate.admit(method, params, caller, ready=ready)
        handler = self._handlers.get(method)
        if handler is None:
            raise CallError(ErrorCode.METHOD_NOT_FOUND, "This host offers no such method.")
        call = Call(method, params if isinstance(params, dict) else {}, caller)
        try:
            return await handler(call)
        except CallError:
            raise
        except Exception as error:  # the one place where a fault becomes an answer
            raise internal_error(error, method) from error


def internal_error(error: BaseException, where: str) -> CallError:
    """Log a fault with its traceback under a random reference, and give the answer that names the reference alone."""
    reference = secrets.token_hex(4)
    _log.error("fault %s in %s", reference, where, exc_info=error)
    return CallError(ErrorCode.INTERNAL, f"Something went wrong inside Cardloom; its log has it as {reference}.")
