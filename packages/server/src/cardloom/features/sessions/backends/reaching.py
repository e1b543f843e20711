"""Whether a backend answers, asked of what stands behind it and not of what is remembered."""

from __future__ import annotations

from cardloom_sdk.backend import Backend

from .acp.backend import AcpBackend
from .pi.backend import PiBackend


async def reach(backend: Backend) -> None:
    """Ask it for something that only its program or server can tell. SessionError with the reason."""
    match backend:
        case PiBackend():
            async with backend.pi("--no-session") as pi:
                await pi.ask("get_state")
        case AcpBackend():
            await backend.begin()
        case _:
            await backend.sessions.list(limit=1)
