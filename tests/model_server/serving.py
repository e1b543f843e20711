"""The scripted model behind HTTP on the loopback, which agents' programs talk to instead of a vendor.

The last words of a person in a request choose the answer (`scenario.py`); four vendors' wires are spoken (`wires/`).

Beside the vendors' wires: GET /__log lists the exchanges, POST /__release lets held requests go on.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from .asked import Asked, as_object
from .record import Exchange, Record, now_ms
from .scenario import Hold, Reply, reply_to
from .spoken import Spoken, counted_tokens, spoken_at
from .usage import usage_of
from .wires.answer import Answer, Frame, Outgoing, Pause

MODELS = ("claude-sonnet-4-5", "scripted-1", "gemini-2.5-pro")
HOLD_CAP_S = 60.0
# A held stream is written to this often, so that a program that went away is noticed.
HEARTBEAT_S = 0.3
GONE = (BrokenPipeError, ConnectionResetError)


class Handler(BaseHTTPRequestHandler):
    """One connection of a program."""

    protocol_version = "HTTP/1.1"
    record: ClassVar[Record]
    run: ClassVar[str]

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet: the record says everything."""

    def do_HEAD(self) -> None:
        self._send_json({})

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/__log":
            self._send_json([exchange.as_dict() for exchange in self.record.exchanges()])
        elif path.endswith("/models"):
            models = [{"id": model, "object": "model", "type": "model", "display_name": model} for model in MODELS]
            self._send_json({"object": "list", "data": models, "has_more": False})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"nothing at {path}")

    def do_POST(self) -> None:
        body, path = self._body(), self.path.split("?")[0]
        if path == "/__release":
            self.record.release()
            self._send_json({})
        elif counted := counted_tokens(path):
            self._send_json(counted)
        elif spoken := spoken_at(path):
            self._answer(spoken, body)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"nothing at {path}")

    def _answer(self, spoken: Spoken, body: Mapping[str, object]) -> None:
        asked = spoken.wire.read(body)
        asked = replace(
            asked,
            model=spoken.model or asked.model,
            streams=asked.streams if spoken.streams is None else spoken.streams,
        )
        reply = reply_to(asked, self.record.failures_of(asked.prompt))
        seen = self.record.releases()
        exchange = self.record.begin(lambda number: exchange_of(number, spoken.wire.name, asked, reply))
        aborted = True
        try:
            self._write(spoken, asked, reply, exchange, seen)
            aborted = False
        except GONE:
            self.close_connection = True
        finally:
            self.record.end(exchange.number, aborted=aborted)

    def _write(self, spoken: Spoken, asked: Asked, reply: Reply, exchange: Exchange, seen: int) -> None:
        if exchange.usage is None:
            self._refuse(HTTPStatus(reply.status), f"scripted error {reply.status}")
            return
        tag = f"{self.run}{exchange.number:04d}"
        answer = Answer(reply, exchange.usage, asked.model, tag, exchange.at_ms // 1000)
        if reply.silent:
            self.record.wait_for_release(seen, HOLD_CAP_S)
        if asked.streams:
            self._stream(spoken.wire.stream(answer), seen)
        else:
            self._send_json(spoken.wire.whole(answer))

    def _stream(self, outgoing: Iterator[Outgoing], seen: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for one in outgoing:
            match one:
                case Frame():
                    self._chunk(one.encoded())
                case Pause():
                    time.sleep(one.pause_ms / 1000)
                case Hold():
                    self._hold(seen)
        self._chunk(b"")

    def _hold(self, seen: int) -> None:
        ends_at = time.monotonic() + HOLD_CAP_S
        while not self.record.wait_for_release(seen, HEARTBEAT_S) and time.monotonic() < ends_at:
            self._chunk(b": still here\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _body(self) -> Mapping[str, object]:
        raw = b"".join(self._raw_body())
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        return as_object(json.loads(raw or b"{}"))

    def _raw_body(self) -> Iterator[bytes]:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            yield self.rfile.read(int(self.headers.get("content-length") or 0))
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        kind = "rate_limit_error" if status is HTTPStatus.TOO_MANY_REQUESTS else "api_error"
        error = {"type": kind, "code": kind, "message": message, "status": status.name}
        self._send_json({"type": "error", "error": error}, status)

    def _send_json(self, value: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if status is HTTPStatus.TOO_MANY_REQUESTS:
            self.send_header("retry-after", "1")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class Listener(ThreadingHTTPServer):
    """Every connection in its own thread, none of which keeps the process alive."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of programs that go away: they are ended in the middle of requests on purpose."""


class ModelServer:
    """A running scripted model: where it listens, what it was asked."""

    def __init__(self, port: int = 0) -> None:
        self.record = Record()
        handler = type("RecordingHandler", (Handler,), {"record": self.record, "run": uuid.uuid4().hex[:10]})
        self._listener = Listener(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._listener.serve_forever, name="scripted model", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.record.release()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()

    def join(self) -> None:
        self._thread.join()


def exchange_of(number: int, wire: str, asked: Asked, reply: Reply) -> Exchange:
    """The record of an exchange that begins now."""
    usage = usage_of(number, reply.thinks) if reply.status == HTTPStatus.OK else None
    return Exchange(number, wire, asked.model, reply.scenario, asked.prompt, reply.status, reply.aside, usage, now_ms())


@contextmanager
def serving_models(port: int = 0) -> Iterator[ModelServer]:
    """A scripted model for the length of a block."""
    server = ModelServer(port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
