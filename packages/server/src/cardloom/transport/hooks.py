"""Where agents' own hooks and plugins post what happens in them: `/hooks/TOKEN/AGENT/EVENT`.

The token opens one agent, for one run of the server. Whatever is wrong gets the same 404. The number of the process
life is taken when the request arrives, before its body is read. Spec: harnesses, hook endpoint; decision 37.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from typing import Any, Final, Protocol

from starlette.requests import Request
from starlette.responses import Response

from cardloom_protocol.ids import CardId

from ..core.clock import Clock
from ..host.wire_json import whole_loads

_log = logging.getLogger(__name__)

PATH: Final = "/hooks"
METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""All of them reach this door, so that the wrong one is answered as a wrong address is."""
MAX_BODY_BYTES: Final = 16 << 20
_NO_DECISION: Final = "{}"


class HookedAgent(Protocol):
    """An agent as its hooks reach it."""

    @property
    def life(self) -> int: ...

    def hook(self, event: str, payload: dict[str, Any], life: int, arrived_at_ms: int, /) -> str: ...


class HookDoor:
    """Makes the addresses and answers what is posted there."""

    def __init__(self, clock: Clock) -> None:
        self.agent_of: Callable[[str], HookedAgent | None] = lambda _: None
        self.heard: list[Callable[[CardId, dict[str, Any]], None]] = []
        """Told of every payload that came in by an address of its agent."""
        self._clock = clock
        self._secret = secrets.token_bytes(32)

    def address(self, base_url: str, card_id: CardId) -> str:
        """Where an agent's hooks post; the event's name goes behind it."""
        return f"{base_url}{PATH}/{self._token(card_id)}/{card_id}"

    async def post(self, request: Request) -> Response:
        """Take one hook. It always answers JSON, so that no hook ever stops an agent."""
        parts = request.path_params
        card_id, token = str(parts["agent"]), str(parts["token"])
        good = hmac.compare_digest(token.encode(), self._token(CardId(card_id)).encode())
        agent = self.agent_of(card_id) if good else None
        if agent is None or request.method != "POST":
            return Response(status_code=404)
        life, arrived_at_ms = agent.life, self._clock.now_ms()
        body = await _body(request)
        if body is None:
            return Response(status_code=413)
        answer = _NO_DECISION
        try:
            payload = _payload(body)
            answer = agent.hook(str(parts["event"]), payload, life, arrived_at_ms)
            for listen in self.heard:
                listen(CardId(card_id), payload)
        except Exception:  # noqa: BLE001 - an agent must never be stopped by what we make of its hook
            _log.exception("a hook of agent %s was not understood", card_id)
        return Response(answer, media_type="application/json", headers={"Cache-Control": "no-store"})

    def _token(self, card_id: CardId) -> str:
        return hmac.new(self._secret, f"agent:{card_id.lower()}".encode(), hashlib.sha256).hexdigest()


def _payload(body: bytes) -> dict[str, Any]:
    """The payload; an empty one where it is no JSON object. A mark of UTF-8 at its beginning is left out."""
    try:
        payload = whole_loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


async def _body(request: Request) -> bytes | None:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)
