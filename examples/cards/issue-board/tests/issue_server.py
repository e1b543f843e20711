"""A server that answers as GitHub does for the issues of one repository: `python issue_server.py [PORT [TOKEN]]`.

Private where a token is named; says 304 to who has seen the list.
"""

from __future__ import annotations

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ISSUES: list[dict[str, Any]] = [
    {"number": 12, "title": "Salt is out of stock", "state": "open", "labels": [], "assignee": None},
    {
        "number": 11,
        "title": "Count jars at night",
        "state": "open",
        "labels": [{"name": "in progress"}],
        "assignee": {"login": "ada"},
    },
    {"number": 10, "title": "Shelf labels", "state": "closed", "labels": [], "assignee": {"login": "bob"}},
    {"number": 9, "title": "Raise the limit", "state": "open", "labels": [], "assignee": None, "pull_request": {}},
]


class IssueServer(ThreadingHTTPServer):
    """Serves ISSUES at /repos/acme/pantry/issues; `token` is asked for where it is set."""

    def __init__(self, port: int = 0, *, token: str | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Answers)
        self.token = token

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    server: IssueServer

    def do_GET(self) -> None:
        if not self.path.startswith("/repos/acme/pantry/issues"):
            self._say(404, {"message": "Not Found"})
        elif self.server.token and self.headers.get("authorization") != f"Bearer {self.server.token}":
            self._say(401, {"message": "Bad credentials"})
        else:
            self._say(200, ISSUES)

    def _say(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if status == 200 and self.headers.get("if-none-match") == etag:
            status, body = 304, b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("etag", etag)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


if __name__ == "__main__":
    port, token = (*sys.argv[1:], *("8377", "")[len(sys.argv) - 1 :])[:2]
    server = IssueServer(int(port), token=token or None)
    print(f"{server.url} has the repository acme/pantry", flush=True)
    server.serve_forever()
