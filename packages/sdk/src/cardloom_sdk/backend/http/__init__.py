"""The session protocol over HTTP and event streams, as a plain ASGI application."""

from .app import SessionApp, protocol_app
from .guard import Guard

__all__ = ["Guard", "SessionApp", "protocol_app"]
