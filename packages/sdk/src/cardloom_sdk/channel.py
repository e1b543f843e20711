"""Where messages go in and out: a WebSocket in earnest, two queues in memory for tests."""

from __future__ import annotations

from typing import Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

OPEN_TIMEOUT_S: Final = 10.0
PING_S: Final = 20.0
_MAX_BYTES: Final = 4 * limit("largeMessageBytes")  # a UTF-16 unit takes up to three bytes, or six as an escape
_REFUSED: Final = (401, 403)


class ChannelClosed(Exception):
    """The other side is gone. `code` and `reason` are what it said when it closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with {code}: {reason}" if reason else f"closed with {code}")
        self.code = code
        self.reason = reason


class Channel(Protocol):
    """Whole text messages in order, both ways. `send` and `receive` raise ChannelClosed."""

    async def send(self, text: str) -> None: ...

    async def receive(self) -> str | bytes: ...

    async def close(self) -> None: ...


class SocketChannel:
    """A channel over one WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed as error:
            raise _closed(error) from error

    async def receive(self) -> str | bytes:
        try:
            return await self._socket.recv()
        except ConnectionClosed as error:
            raise _closed(error) from error

    async def close(self) -> None:
        await self._socket.close()


async def dial(base_url: str, path: str, key: str, *, ping_s: float = PING_S) -> SocketChannel:
    """Open the socket at a path of a server (`http://127.0.0.1:8620`), showing a key or a token.

    PERMISSION_DENIED when the server does not accept it, UNAVAILABLE when nobody answers. Proxies are never asked: the
    server is on this machine. A server, or a program around this channel, that stands still for a while loses nothing:
    pings only keep the way open, and the system tells of an end.
    """
    url = socket_url(base_url, path)
    try:
        socket = await connect(
            url,
            additional_headers={"Authorization": f"Bearer {key}"},
            compression=None,
            max_size=_MAX_BYTES,
            open_timeout=OPEN_TIMEOUT_S,
            ping_interval=ping_s,
            ping_timeout=None,
            proxy=None,
        )
    except InvalidStatus as error:
        if error.response.status_code in _REFUSED:
            raise CallError(ErrorCode.PERMISSION_DENIED, f"{base_url} does not accept this key.") from error
        message = f"{base_url} answers with status {error.response.status_code}; is it a Cardloom server?"
        raise CallError(ErrorCode.UNAVAILABLE, message) from error
    except (InvalidHandshake, OSError) as error:  # TimeoutError is an OSError
        raise CallError(ErrorCode.UNAVAILABLE, f"No Cardloom server answers at {base_url}.") from error
    return SocketChannel(socket)


def socket_url(base_url: str, path: str) -> str:
    """The WebSocket address of a path of a server. INVALID_PARAMS when the base is no http address."""
    parts = urlsplit(base_url)
    schemes = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
    if parts.scheme not in schemes or not parts.netloc:
        raise CallError(ErrorCode.INVALID_PARAMS, f"{base_url!r} is no address such as http://127.0.0.1:8620.")
    return urlunsplit((schemes[parts.scheme], parts.netloc, path, "", ""))


def _closed(error: ConnectionClosed) -> ChannelClosed:
    frame = error.rcvd or error.sent
    return ChannelClosed(1006, "") if frame is None else ChannelClosed(frame.code, frame.reason)
