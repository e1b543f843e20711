"""Somebody outside who notes whatever reaches them: requests, bare connections, datagrams."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nok"
)


class Witness:
    """Listens on loopback by TCP and UDP. `seen` is what came, in order."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self.tcp_port = int(self._tcp.getsockname()[1])
        self.udp_port = int(self._udp.getsockname()[1])
        self._threads = [
            threading.Thread(target=self._accept, daemon=True),
            threading.Thread(target=self._receive, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.tcp_port}"

    def close(self) -> None:
        """Stop listening."""
        for listening in (self._tcp, self._udp):
            listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        self.seen.append("connection")
        with connection:
            try:
                while request := connection.recv(65536):
                    self.seen.append(request.split(b"\r\n", 1)[0].decode("latin-1"))
                    connection.sendall(_ANSWER)
            except OSError:
                return

    def _receive(self) -> None:
        while True:
            try:
                data, _ = self._udp.recvfrom(65536)
            except OSError:
                return
            self.seen.append(f"datagram of {len(data)} bytes")


@contextmanager
def witness() -> Iterator[Witness]:
    """A witness for as long as the block runs."""
    heard = Witness()
    try:
        yield heard
    finally:
        heard.close()
