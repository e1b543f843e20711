"""Files downloaded for the owner."""

from __future__ import annotations

import gzip
import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from cardloom.host.download import download
from cardloom.host.fetch import Fetcher
from cardloom_protocol.errors import CallError, ErrorCode


class _Shelf(http.server.BaseHTTPRequestHandler):
    """Gives a file, leads elsewhere, or never ends."""

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/file":
            self._give(b"content")
        elif self.path == "/bomb":
            self._give(gzip.compress(bytes(1_000_000)), "gzip")
        elif self.path == "/hang":
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            self.server.over.wait()  # type: ignore[attr-defined]
        else:
            self.send_error(500 if self.path == "/broken" else 404)

    def _give(self, body: bytes, encoding: str | None = None) -> None:
        self.send_response(200)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def shelf_url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Shelf)
    server.over = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.over.set()  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    fetcher = Fetcher(lambda: 1)
    yield fetcher
    await fetcher.close()


async def refused(
    fetcher: Fetcher, url: str, into: Path, *, max_bytes: int = 1000, timeout_ms: int = 60_000
) -> CallError:
    with pytest.raises(CallError) as refusal:
        await download(fetcher, url, into, max_bytes=max_bytes, timeout_ms=timeout_ms)
    return refusal.value


async def test_a_file_comes_also_from_where_the_address_leads(fetcher: Fetcher, shelf_url: str, tmp_path: Path) -> None:
    for path in ("/file", "/to//file"):
        await download(fetcher, f"{shelf_url}{path}", tmp_path / "into", max_bytes=1000)
        assert (tmp_path / "into").read_bytes() == b"content"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/nowhere", ErrorCode.NOT_FOUND),
        ("/broken", ErrorCode.NETWORK_ERROR),
        ("/bomb", ErrorCode.TOO_LARGE),
        ("/to/http://example.org/file", ErrorCode.HOST_NOT_ALLOWED),
        ("/to/file:///etc/passwd", ErrorCode.HOST_NOT_ALLOWED),
    ],
)
async def test_what_goes_wrong_is_told(
    fetcher: Fetcher, shelf_url: str, tmp_path: Path, path: str, code: ErrorCode
) -> None:
    assert (await refused(fetcher, f"{shelf_url}{path}", tmp_path / "into")).code is code


@pytest.mark.parametrize("url", ["http://example.org/x", "ftp://example.org/x", "https://ann:secret@example.org/x"])
async def test_an_address_that_is_none_is_not_asked(fetcher: Fetcher, tmp_path: Path, url: str) -> None:
    error = await refused(fetcher, url, tmp_path / "into")
    assert error.code in (ErrorCode.HOST_NOT_ALLOWED, ErrorCode.INVALID_PARAMS)
    assert "secret" not in error.message


async def test_a_download_that_never_ends_is_ended(fetcher: Fetcher, shelf_url: str, tmp_path: Path) -> None:
    error = await refused(fetcher, f"{shelf_url}/hang", tmp_path / "into", timeout_ms=500)
    assert error.code is ErrorCode.TIMEOUT
