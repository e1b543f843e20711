"""Outgoing HTTP: one request and its redirects, each hop admitted anew, each connection to an address that was checked.

A name is resolved once, its addresses are judged, and the connection goes to one of them: it cannot be pointed
elsewhere in between. Nothing is kept from request to request but connections, apart for those who may reach this
computer and those who may not; no cookies, no proxies. Spec: decision 15; cards, network.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import httpcore
import httpx

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import WebAddress
from cardloom_protocol.limits import limit

from .addresses import IpAddress, Resolve, addresses_of, is_open, system_resolve
from .body import decoded

Headers: TypeAlias = tuple[tuple[str, str], ...]
Admit: TypeAlias = Callable[[WebAddress], bool]
"""Lets a hop pass, and tells whether it may reach this computer and its network. CallError refuses it."""

_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?|[0-9a-f:.]+", re.ASCII)
_FOLLOWED: Final = frozenset((301, 302, 303, 307, 308))
_CONNECT_S: Final = 10.0
_IDLE_S: Final = 30.0
_OWN_HEADERS: Final[Headers] = (
    ("user-agent", "Cardloom"),
    ("accept", "*/*"),
    ("accept-encoding", "gzip, deflate"),
)
_NEVER_SHOWN: Final = frozenset(("set-cookie", "set-cookie2"))


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request. `bound` names headers that never follow to another origin, `authorization` among them always."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes | None = None
    bound: frozenset[str] = frozenset()


@dataclass(slots=True)
class Incoming:
    """An answer whose body is still to come. Close it in any case."""

    status: int
    reason: str
    headers: dict[str, str]
    url: str
    _response: httpcore.Response

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body, its compression undone, in small pieces. NETWORK_ERROR when it breaks off."""
        try:
            async for piece in decoded(self._response.aiter_stream(), self.headers.get("content-encoding", "")):
                yield piece
        except _FAILURES as error:
            raise _failed(error) from error

    async def close(self) -> None:
        await self._response.aclose()


class Fetcher:
    """Makes requests. What it is given in place of resolver, network and trust is for tests."""

    def __init__(
        self,
        own_port: Callable[[], int],
        *,
        resolve: Resolve = system_resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        trust: ssl.SSLContext | None = None,
        max_redirects: int = limit("netRedirects"),
    ) -> None:
        self.own_port = own_port
        self.resolve = resolve
        self.network = network or httpcore.AnyIOBackend()
        self.trust = trust
        self._max_redirects = max_redirects
        self._pools: dict[bool, httpcore.AsyncConnectionPool] = {}

    async def fetch(self, outgoing: Outgoing, admit: Admit) -> Incoming:
        """Make a request and follow its redirects.

        INVALID_PARAMS: the URL or a header cannot be sent. HOST_NOT_ALLOWED: a name leads where it must not, or the
        address is our own. NETWORK_ERROR. Whatever `admit` raises.
        """
        request = outgoing
        for _ in range(self._max_redirects + 1):
            url = parse_url(request.url)
            incoming = await self._send(url, request, admit(address_of(url)))
            onward = incoming.headers.get("location")
            if incoming.status not in _FOLLOWED or onward is None:
                return incoming
            await incoming.close()
            request = _redirected(request, url, onward, incoming.status)
        raise CallError(ErrorCode.NETWORK_ERROR, f"there were more than {self._max_redirects} redirects")

    async def close(self) -> None:
        """Close the connections that are kept."""
        pools, self._pools = self._pools, {}
        await asyncio.gather(*(pool.aclose() for pool in pools.values()), return_exceptions=True)

    async def _send(self, url: httpx.URL, outgoing: Outgoing, local: bool) -> Incoming:
        host = url.raw_host.decode("ascii").removesuffix(".")
        content = outgoing.body
        # What an answer may be packed in is what we can unpack.
        given = [(name, value) for name, value in outgoing.headers if name.lower() != "accept-encoding"]
        names = {name.lower() for name, _ in given}
        own = [(name, value) for name, value in _OWN_HEADERS if name not in names]
        headers = [("host", _host_header(host, url.port)), *own, *given]
        if content is not None or outgoing.method in ("POST", "PUT", "PATCH"):
            headers.append(("content-length", str(len(content or b""))))
        request = httpcore.Request(
            outgoing.method,
            httpcore.URL(scheme=url.raw_scheme, host=host.encode(), port=url.port, target=url.raw_path),
            headers=[(name.encode("ascii"), value.strip(" \t").encode("utf-8", "replace")) for name, value in headers],
            content=content or b"",
        )
        try:
            response = await (await self._pool(local)).handle_async_request(request)
        except httpcore.LocalProtocolError as error:
            raise CallError(ErrorCode.INVALID_PARAMS, "a header cannot be sent as it is", []) from error
        except _FAILURES as error:
            raise _failed(error) from error
        reason = response.extensions.get("reason_phrase", b"").decode("latin-1")
        return Incoming(response.status, reason, _shown(response.headers), str(url.copy_with(fragment=None)), response)

    async def _pool(self, local: bool) -> httpcore.AsyncConnectionPool:
        if local not in self._pools:
            trust = self.trust or await asyncio.to_thread(httpx.create_ssl_context)
            self._pools.setdefault(
                local,
                httpcore.AsyncConnectionPool(
                    ssl_context=trust,
                    max_connections=None,
                    max_keepalive_connections=20,
                    keepalive_expiry=_IDLE_S,
                    network_backend=_Checked(self, local=local),
                ),
            )
        return self._pools[local]


class _Checked(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were judged, and to nothing else."""

    def __init__(self, fetcher: Fetcher, *, local: bool) -> None:
        self._fetcher = fetcher
        self._local = local

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await addresses_of(host, self._fetcher.resolve)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} has no address") from error
        for address in addresses:
            self._judge(host, address, port)
        failure: Exception = httpcore.ConnectError(host)
        for address in addresses:
            try:
                return await self._fetcher.network.connect_tcp(
                    str(address), port, timeout or _CONNECT_S, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def _judge(self, host: str, address: IpAddress, port: int) -> None:
        if is_open(address):
            return
        if not self._local:
            raise CallError(ErrorCode.HOST_NOT_ALLOWED, f"{host} leads to this computer or its network")
        if port == self._fetcher.own_port():
            raise CallError(ErrorCode.HOST_NOT_ALLOWED, "Cardloom's own address is not for cards")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def parse_url(text: str) -> httpx.URL:
    """A URL in the form in which it is judged and requested. INVALID_PARAMS."""
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise _no_url("This is no address.") from error
    if host and _HOST.fullmatch(host) is None:
        raise _no_url("The host of this address is none.")
    if not 0 < (url.port or 1) <= 65535 or not url.scheme:
        raise _no_url("This is no address.")
    return url


def address_of(url: httpx.URL) -> WebAddress:
    """What of a URL decides whether it may be asked."""
    return WebAddress(url.scheme, url.raw_host.decode("ascii"), url.port, bool(url.userinfo))


def _redirected(request: Outgoing, url: httpx.URL, onward: str, status: int) -> Outgoing:
    """The request that a redirect asks for: as browsers do, and without what belongs to the origin before."""
    try:
        target = url.join(onward)
    except (httpx.InvalidURL, ValueError) as error:
        raise CallError(ErrorCode.NETWORK_ERROR, "the redirect leads nowhere") from error
    again = replace(request, url=str(target))
    if (status in (301, 302) and request.method == "POST") or (status == 303 and request.method != "HEAD"):
        headers = tuple((name, value) for name, value in again.headers if not name.lower().startswith("content-"))
        again = replace(again, method="GET", body=None, headers=headers)
    if _origin(url) != _origin(target):
        bound = {"authorization", *request.bound}
        again = replace(
            again, headers=tuple((name, value) for name, value in again.headers if name.lower() not in bound)
        )
    return again


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    address = address_of(url)
    return address.scheme, address.host, address.effective_port


def _shown(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name, repeated ones joined; cookies are for nobody."""
    shown: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name not in _NEVER_SHOWN:
            shown[name] = f"{shown[name]}, {value}" if name in shown else value
    return shown


def _host_header(host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


_FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    ssl.SSLError,
    OSError,
)


def _failed(error: BaseException) -> CallError:
    connecting = isinstance(error, (httpcore.ConnectError, httpcore.ConnectTimeout))
    what = "no connection" if connecting else "the connection failed"
    detail = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return CallError(ErrorCode.NETWORK_ERROR, f"{what}: {detail}")


def _no_url(message: str) -> CallError:
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "/url", "keyword": "url", "message": message}])
