"""Backends of the session protocol: the contract, what runs them, and what serves them.

class Shout(Backend):
    sessions = StoreSessions(MemoryStore())

    async def capabilities(self):
        return {**self.sessions.capabilities(), "run": {"cancel": True}}

    async def run(self, run):
        parent = await self.sessions.begin(run)
        async with self.sessions.writing(run, parent_id=parent) as reply:
            reply.text().add(run.text.upper())
"""

from .contract import Backend, SessionsOps
from .host import BackendHost, HostLimits
from .live import LiveRun
from .log import Numbered, Reader, RunLog
from .run import Ask, Run, RunPort
from .sessions import StoreSessions
from .writing import MessageWriter, PartWriter

__all__ = [
    "Ask",
    "Backend",
    "BackendHost",
    "HostLimits",
    "LiveRun",
    "MessageWriter",
    "Numbered",
    "PartWriter",
    "Reader",
    "Run",
    "RunLog",
    "RunPort",
    "SessionsOps",
    "StoreSessions",
]
