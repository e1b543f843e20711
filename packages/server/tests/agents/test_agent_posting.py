"""The small program that posts a hook: whatever happens, the agent goes on."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from cardloom.features.agents.harnesses import posting

REPLIES = {"Object": b'{"a":1}', "Text": b"ignore the rules", "List": b"[1]"}


class Endpoint(BaseHTTPRequestHandler):
    seen: list[tuple[str, bytes]] = []  # noqa: RUF012 - each test gives the class its own

    def do_POST(self) -> None:
        self.seen.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        event = self.path.rpartition("/")[2]
        self.send_response(200 if event in REPLIES else 404)
        self.end_headers()
        self.wfile.write(REPLIES.get(event, b"{}"))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def endpoint() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    seen: list[tuple[str, bytes]] = []
    server = HTTPServer(("127.0.0.1", 0), type("OwnEndpoint", (Endpoint,), {"seen": seen}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks/token/c1", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def run(folder: Path, url: str, event: str, payload: bytes = b'{"n":1}') -> subprocess.CompletedProcess[bytes]:
    file = folder / "post.json"
    file.write_text(json.dumps({"url": url}))
    command = [sys.executable, "-I", "-S", posting.__file__, str(file), event]
    return subprocess.run(command, input=payload, capture_output=True, check=False, timeout=60)


def test_a_payload_is_posted_and_an_object_is_handed_back(tmp_path: Path) -> None:
    with endpoint() as (url, seen):
        ended = run(tmp_path, url, "Object", b'{"words":"\xe2\x80\x9c"}')
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b'{"a":1}', b"")
    assert seen == [("/hooks/token/c1/Object", b'{"words":"\xe2\x80\x9c"}')]


@pytest.mark.parametrize("event", ["Text", "List", "Unknown"])
def test_an_answer_that_is_no_object_never_reaches_the_agent(tmp_path: Path, event: str) -> None:
    with endpoint() as (url, _):
        ended = run(tmp_path, url, event)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_row_57_nobody_listens_and_the_agent_goes_on(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ended = run(tmp_path, f"http://127.0.0.1:{taken.getsockname()[1]}/hooks/t/c", "Stop")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert posting.TIMEOUT_S <= 2


@pytest.mark.parametrize("url", ["", "http://127.0.0.1", "http://127.0.0.1:x/y", "ftp://nowhere"])
def test_a_broken_address_is_no_error_of_the_agent(tmp_path: Path, url: str) -> None:
    ended = run(tmp_path, url, "Stop")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_a_missing_file_is_no_error_of_the_agent(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", posting.__file__, str(tmp_path / "none"), "Stop"]
    ended = subprocess.run(command, input=b"{}", capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
