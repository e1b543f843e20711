"""The codes with which a run of the engine fails, and what a status of an endpoint means."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from cardloom_protocol.session.errors import SessionError


class ModelFault(StrEnum):
    """Why a model gave no answer. They stand in error parts and in `run_end`."""

    UNREACHABLE = "model_unreachable"
    """No connection to the endpoint. Check its address; retry."""

    TIMEOUT = "model_timeout"
    """The endpoint was silent for too long. Retry."""

    CUT_OFF = "model_cut_off"
    """The connection ended before the answer did. What came is kept; retry."""

    GARBLED = "model_garbled"
    """What came is no answer of this interface. Check that address and kind of the endpoint fit."""

    RATE_LIMITED = "model_rate_limited"
    """Too many requests, or a spent quota; retried a few times already."""

    UNAUTHORIZED = "model_unauthorized"
    """The key is missing or refused."""

    REFUSED = "model_refused"
    """The endpoint does not take the request: an unknown model, too long a history."""

    FAILED = "model_failed"
    """The endpoint reports a failure of its own; retried a few times already."""

    TOO_LONG = "model_too_long"
    """The answer went on without an end; what came is kept."""

    TOO_MANY_STEPS = "too_many_steps"
    """The model called tools again and again; the run was ended."""


RETRIED: Final = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_MAX_CHARS: Final = 500


def fault(code: ModelFault, message: str) -> SessionError:
    """The error of a run."""
    return SessionError(code, message)


def fault_of_status(endpoint: str, status: int, told: str) -> SessionError:
    """The error behind a status; `told` is what the endpoint says itself."""
    reason = f": {told[:_MAX_CHARS]}" if told else "."
    match status:
        case 401 | 403:
            return fault(ModelFault.UNAUTHORIZED, f"{endpoint} refuses the key (HTTP {status}){reason}")
        case 429:
            return fault(ModelFault.RATE_LIMITED, f"{endpoint} takes no more requests now (HTTP 429){reason}")
        case _ if 300 <= status < 500:
            return fault(ModelFault.REFUSED, f"{endpoint} does not take the request (HTTP {status}){reason}")
        case _:
            return fault(ModelFault.FAILED, f"{endpoint} failed (HTTP {status}){reason}")
