"""Backends of the session protocol: the contract, what runs them, and what serves them."""

from .contract import Backend, SessionsOps
from .run import Ask, Run, RunPort
from .sessions import StoreSessions
from .writing import MessageWriter, PartWriter

__all__ = [
    "Ask",
    "Backend",
    "MessageWriter",
    "PartWriter",
    "Run",
    "RunPort",
    "SessionsOps",
    "StoreSessions",
]
