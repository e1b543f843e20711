"""A small web of its own: an HTTP server that records what reaches it, and a network that leads every address there."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpcore
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAMES = ("api.example.org", "other.example.org", "evil.example.net", "inside.example.org", "localhost")


@dataclass(slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Reply:
    """What to answer: in pieces, with a wait before each where an event is given."""

    status: str = "200 OK"
    headers: tuple[str, ...] = ()
    pieces: tuple[bytes | asyncio.Event, ...] = ()
    chunked: bool = False
    close_early: bool = False


@dataclass(slots=True)
class Witness:
    """The server. `replies` by path; an unknown path is a 404."""

    replies: dict[str, Reply | Callable[[Asked], Reply]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def on(self, path: str, body: bytes | str = b"", *, status: str = "200 OK", headers: Iterable[str] = ()) -> None:
        """Answer a path with one body."""
        data = body.encode() if isinstance(body, str) else body
        self.replies[path] = Reply(status, tuple(headers), (data,))

    def redirect(self, path: str, to: str, status: str = "302 Found") -> None:
        """Answer a path with a redirect."""
        self.on(path, status=status, headers=[f"Location: {to}"])

    async def reached(self, count: int) -> None:
        """Wait until so many requests came."""
        async with asyncio.timeout(60), self.news:
            await self.news.wait_for(lambda: len(self.asked) >= count)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            self.gone.set()
        finally:
            self.open_now -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(method, target, headers, body)
        self.asked.append(asked)
        async with self.news:
            self.news.notify_all()
        found = self.replies.get(target.partition("?")[0], Reply("404 Not Found"))
        reply = found(asked) if callable(found) else found
        sized = not reply.chunked and not any(isinstance(piece, asyncio.Event) for piece in reply.pieces)
        size = sum(len(piece) for piece in reply.pieces if isinstance(piece, bytes))
        bodiless = method == "HEAD" or reply.status[:3] in ("204", "304")
        lines = [f"HTTP/1.1 {reply.status}", *reply.headers]
        if not bodiless:
            lines.append(f"Content-Length: {size}" if sized else "Transfer-Encoding: chunked")
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        await writer.drain()
        if bodiless:
            return True
        for piece in reply.pieces:
            if isinstance(piece, asyncio.Event):
                waiting = asyncio.ensure_future(piece.wait())
                leaving = asyncio.ensure_future(reader.read(1))
                await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if leaving.done():
                    self.gone.set()
                    return False
                leaving.cancel()
                await asyncio.gather(leaving, return_exceptions=True)
                continue
            writer.write(piece if sized else b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        if reply.close_early:
            return False
        if not sized:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


class Network(httpcore.AsyncNetworkBackend):
    """Every connection to any address leads to the witness; `connected` names the addresses that were asked for."""

    def __init__(self, ports: Callable[[int], int | None]) -> None:
        self.connected: list[tuple[str, int]] = []
        self._ports = ports
        self._real = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        self.connected.append((host, port))
        to = self._ports(port)
        if to is None:
            raise httpcore.ConnectError("nobody listens there")
        return await self._real.connect_tcp("127.0.0.1", to, timeout)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def certificates(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's and a client's TLS settings that trust each other alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "witness")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(one) for one in NAMES]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "witness.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cafile=str(file))
