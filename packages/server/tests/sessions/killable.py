"""Servers of sessions that can be killed and started again at once: one warm process forks them on demand.

Reads from its input, one line each: the path of a database. Answers with port and process id of a server that listens.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import uvicorn

from cardloom.features.sessions.store import SqliteStore
from cardloom.features.sessions.store_rows import SCHEMA
from cardloom.host.database import Database
from cardloom_sdk.backend import BackendHost, HostLimits, Run, StoreSessions
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.testing.backends import ScriptedBackend

WORDS = 60


async def work(run: Run, sessions: StoreSessions) -> None:
    """Speaks, calls a tool, and speaks again, a thousandth of a second apart."""
    parent = await sessions.begin(run)
    for number in range(3):
        role = "tool" if number == 1 else "assistant"
        async with sessions.writing(run, role, parent_id=parent) as message:
            part = message.thinking() if number == 0 else message.text()
            for word in range(WORDS):
                part.add(f"{number}.{word} слово ")
                if word % 4 == 0:
                    await asyncio.sleep(0.001)
            part.end()
            message.add({"type": "hologram", "data": number})
        parent = message.id


def serve(database: str, listening: socket.socket) -> None:
    """Serves until it is killed."""
    store = SqliteStore(Database(Path(database), SCHEMA, now_ms=0))
    app = SessionApp(BackendHost(ScriptedBackend(work, store=store), limits=HostLimits(run_events=80)))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", loop="asyncio")
    asyncio.run(uvicorn.Server(config).serve([listening]))


def main() -> None:
    """Forks a server a line."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        process = os.fork()
        if process == 0:
            try:
                serve(line.strip(), listening)
            finally:
                os._exit(1)
        print(listening.getsockname()[1], process, flush=True)
        listening.close()


if __name__ == "__main__":
    main()
