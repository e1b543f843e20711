"""ASGI applications on ports of the loopback, in threads of their own: a browser's driver leaves a test no loop."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import uvicorn

CAP_S = 20.0


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of an application, for as long as a block runs."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # who is early waits
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # signals are the test runner's
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(CAP_S)
        listener.close()
