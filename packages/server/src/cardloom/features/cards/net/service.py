"""Cards' web requests under way: admitted, counted, ended when the card goes, aborts, or loses the permission.

Spec: cards, network (limits, order of the checks, streams); decisions 6, 15.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import (
    NetworkGrant,
    WebAddress,
    check_address,
    check_headers,
    invalid_params,
    named_secrets,
    rate_limited,
)
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import declared_permissions
from cardloom_protocol.schema import Issue

from ....core.bus import Bus, card_topic
from ....core.grants import Grants
from ....host.fetch import Fetcher, Incoming, Outgoing, address_of, parse_url
from ..book import CardBook
from . import model

_log = logging.getLogger(__name__)

Secret: TypeAlias = Callable[[CardId, str], Awaitable[str]]

_FULL_RETRY_MS = 1000
_WAIT_S = 0.02  # between two looks at whether a card has read its chunks


@dataclass(frozen=True, slots=True)
class NetLimits:
    """How much and how many; tests make them small."""

    request_bytes: int = limit("netRequestBodyBytes")
    response_bytes: int = limit("netResponseBytes")
    concurrent: int = limit("netConcurrent")
    streams: int = limit("netStreams")
    timeout_ms: int = limit("netTimeoutMs")
    unread_chars: int = limit("netUnreadChars")


@dataclass(slots=True, eq=False)
class _Running:
    """One request under way. Setting `ended` ends it with that error."""

    card_id: CardId
    request_id: str
    is_stream: bool
    address: WebAddress | None = None
    incoming: Incoming | None = None
    ended: asyncio.Future[CallError] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def end(self, error: CallError) -> None:
        if not self.ended.done():
            self.ended.set_result(error)


class Net:
    """The web requests of all cards. `secret` gives what a header asks for."""

    def __init__(
        self,
        fetcher: Fetcher,
        book: CardBook,
        grants: Grants,
        bus: Bus,
        secret: Secret,
        *,
        limits: NetLimits = NetLimits(),
    ) -> None:
        self.limits = limits
        self._fetcher = fetcher
        self._book = book
        self._grants = grants
        self._bus = bus
        self._secret = secret
        self._running: dict[tuple[CardId, str], _Running] = {}
        self._pumps: set[asyncio.Task[None]] = set()

    async def fetch(self, card_id: CardId, params: Mapping[str, Any]) -> dict[str, Any]:
        """Make a request and give its answer; of a stream its head, the body follows as `net.chunk`.

        Checked in this order: INVALID_PARAMS, PERMISSION_DENIED, HOST_NOT_ALLOWED for the address; INVALID_PARAMS for
        headers and secrets; TOO_LARGE for the body; RATE_LIMITED for too many at once. Then NETWORK_ERROR, TIMEOUT,
        USER_CANCELLED when it was aborted, and at a redirect what forbids its address.
        """
        self._admit(card_id, address_of(parse_url(params["url"])))
        headers = params.get("headers", {})
        if (fault := check_headers(headers)) is not None:
            raise fault
        filled = {key: await self._secret(card_id, key) for key in named_secrets(headers)}
        body = model.body_of(params, self.limits.request_bytes)
        running = self._begin(card_id, params)
        try:
            outgoing = model.outgoing_of(params, body, filled)
            incoming, rest = await self._until_ended(running, self._answered(running, outgoing, params))
        except BaseException:
            self._over(running)
            if running.incoming is not None:
                await running.incoming.close()
            raise
        head = {
            "requestId": running.request_id,
            "status": incoming.status,
            "statusText": incoming.reason,
            "headers": incoming.headers,
            "url": incoming.url,
        }
        if running.is_stream:
            self._start_pump(running, incoming)
        else:
            self._over(running)
        return {**head, **rest}

    def abort(self, card_id: CardId, request_id: str) -> None:
        """End a request; nothing happens when it is over."""
        running = self._running.get((card_id, request_id))
        if running is not None:
            running.end(CallError(ErrorCode.USER_CANCELLED, "the request was aborted"))
            self._over(running)

    def gone(self, card_id: CardId) -> None:
        """End all requests of a card whose program or page is gone."""
        for running in [running for running in self._running.values() if running.card_id == card_id]:
            running.end(CallError(ErrorCode.UNAVAILABLE, "the card is gone"))
            self._over(running)

    def granted(self, _workspace_id: WorkspaceId, package_id: PackageId) -> None:
        """End what a package may not do any more."""
        for running in list(self._running.values()):
            if running.address is None or self._book.package_id(running.card_id) != package_id:
                continue
            refusal = check_address(running.address, self._grant(running.card_id))
            if refusal is not None:
                running.end(refusal)

    async def close(self) -> None:
        """End everything: the server ends."""
        for running in list(self._running.values()):
            running.end(CallError(ErrorCode.UNAVAILABLE, "the server is closing"))
        await asyncio.gather(*self._pumps, return_exceptions=True)
        await self._fetcher.close()

    # One request

    def _begin(self, card_id: CardId, params: Mapping[str, Any]) -> _Running:
        request_id = params.get("requestId") or secrets.token_urlsafe(12)
        if (card_id, request_id) in self._running:
            raise invalid_params([Issue("/requestId", "unique", "a request of this id is under way")], "net.fetch")
        is_stream = params.get("responseType") == "stream"
        others = [running for running in self._running.values() if running.card_id == card_id]
        if len(others) >= self.limits.concurrent:
            raise rate_limited(_FULL_RETRY_MS, f"net.fetch: {self.limits.concurrent} requests are under way")
        if is_stream and sum(running.is_stream for running in others) >= self.limits.streams:
            raise rate_limited(_FULL_RETRY_MS, f"net.fetch: {self.limits.streams} streams are open")
        running = self._running[(card_id, request_id)] = _Running(card_id, request_id, is_stream)
        return running

    def _over(self, running: _Running) -> None:
        key = (running.card_id, running.request_id)
        if self._running.get(key) is running:
            del self._running[key]

    async def _answered(
        self, running: _Running, outgoing: Outgoing, params: Mapping[str, Any]
    ) -> tuple[Incoming, dict[str, Any]]:
        """The answer's head, and of one that is no stream the rest. TIMEOUT."""
        timeout_ms = params.get("timeoutMs", self.limits.timeout_ms)

        def admit(address: WebAddress) -> bool:
            running.address = address
            return self._admit(running.card_id, address)

        try:
            async with asyncio.timeout(timeout_ms / 1000):
                incoming = running.incoming = await self._fetcher.fetch(outgoing, admit)
                if running.is_stream:
                    return incoming, {}
                try:
                    return incoming, await self._body(incoming, params.get("responseType", "text"))
                finally:
                    await incoming.close()
        except TimeoutError:
            raise CallError(ErrorCode.TIMEOUT, f"no answer within {timeout_ms} ms") from None

    async def _body(self, incoming: Incoming, response_type: model.ResponseType) -> dict[str, Any]:
        most = model.max_body_bytes(response_type, self.limits.response_bytes)
        data = bytearray()
        async for piece in incoming.pieces():
            data += piece
            if len(data) > most:
                break
        truncated = len(data) > most
        content_type = incoming.headers.get("content-type", "")
        rest = model.answer_body(response_type, bytes(data[:most]), content_type, truncated=truncated)
        return {**rest, "truncated": True} if truncated else rest

    async def _until_ended(self, running: _Running, work: Awaitable[Any]) -> Any:
        """Do some work of a request, unless it is ended before: then its error comes out and the work is cancelled."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, running.ended), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise running.ended.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    # Streams

    def _start_pump(self, running: _Running, incoming: Incoming) -> None:
        pump = asyncio.create_task(self._pump(running, incoming))
        self._pumps.add(pump)
        pump.add_done_callback(self._pumps.discard)

    async def _pump(self, running: _Running, incoming: Incoming) -> None:
        """Send a body piece by piece, the end or the error last."""
        error: str | None = None
        try:
            await self._until_ended(running, self._pour(running, incoming))
        except CallError as failure:
            error = failure.message
        except Exception:  # noqa: BLE001 - a task root: the card learns that its stream broke
            _log.exception("a stream of card %s failed", running.card_id)
            error = "something went wrong inside Cardloom"
        finally:
            self._over(running)
            await incoming.close()
        last: dict[str, Any] = {"chunk": "", "encoding": "text", "done": True}
        self._send(running, last if error is None else {**last, "error": error})

    async def _pour(self, running: _Running, incoming: Incoming) -> None:
        texts = model.ChunkTexts()
        topic = card_topic(running.card_id)
        async for piece in incoming.pieces():
            self._send_piece(running, texts.feed(piece))
            while self._bus.waiting(topic) > self.limits.unread_chars:  # noqa: ASYNC110
                await asyncio.sleep(_WAIT_S)  # nobody tells when an outbox is read
        self._send_piece(running, texts.feed(b"", final=True))

    def _send_piece(self, running: _Running, piece: tuple[str, str]) -> None:
        chunk, encoding = piece
        if chunk:
            self._send(running, {"chunk": chunk, "encoding": encoding, "done": False})

    def _send(self, running: _Running, chunk: Mapping[str, Any]) -> None:
        self._bus.publish("net.chunk", {"requestId": running.request_id, **chunk}, card_topic(running.card_id))

    # Permission

    def _admit(self, card_id: CardId, address: WebAddress) -> bool:
        """Whether a card may reach this computer's network; whatever forbids the address is raised."""
        grant = self._grant(card_id)
        refusal = check_address(address, grant)
        if refusal is not None:
            raise refusal
        return grant.local

    def _grant(self, card_id: CardId) -> NetworkGrant:
        _, package = self._book.entry(card_id)
        held = self._grants.effective(card_id)
        hosts = model.declared_hosts(declared_permissions(package.manifest))
        return NetworkGrant(hosts, "network" in held, "network.local" in held)
