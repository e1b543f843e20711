"""What a card reaches beyond itself: agents, terminals, permissions. Parts of `Card`, used as `card.agents.list()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cardloom_protocol.permissions import PERMISSIONS

from .card_types import Agent, CommandResult
from .context import CardContext
from .host_calls import Call


class Agents:
    """The agents and terminals of the workspace. All of it takes `agents.read`, reading takes `agents.output`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(self) -> list[Agent]:
        """All of them, joined or not."""
        return [Agent.from_wire(wire) for wire in await self._call("agents.list", {})]

    async def get(self, agent_id: str) -> Agent:
        """One of them. NOT_FOUND."""
        return Agent.from_wire(await self._call("agents.get", {"agentId": agent_id}))

    async def read_screen(self, agent_id: str, lines: int | None = None) -> str:
        """The text on a joined one's screen, its last `lines` (1 to 500). NOT_CONNECTED, UNAVAILABLE."""
        params: dict[str, Any] = {"agentId": agent_id}
        if lines is not None:
            params["lines"] = lines
        return str((await self._call("agents.readScreen", params))["text"])


class Terminals:
    """Joined terminals. Takes `terminals.write`; an AI agent is NOT_FOUND here."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def run(self, agent_id: str, command: str, timeout_ms: int | None = None) -> CommandResult:
        """Run a command and wait for its end, at most `timeout_ms` (1 000 to 120 000). BUSY while another runs."""
        params: dict[str, Any] = {"agentId": agent_id, "command": command}
        if timeout_ms is not None:
            params["timeoutMs"] = timeout_ms
        return CommandResult.from_wire(await self._call("terminals.run", params))

    async def write(self, agent_id: str, text: str, *, submit: bool = False) -> None:
        """Type text, and press Enter with `submit`."""
        await self._call("terminals.write", {"agentId": agent_id, "text": text, "submit": submit})


class Permissions:
    """What the owner granted the card's package in this workspace."""

    def __init__(self, context: Callable[[], CardContext], call: Call) -> None:
        self._context = context
        self._call = call

    def has(self, permission: str) -> bool:
        """Whether a permission may be used now, implied ones included. ValueError for a word that is none."""
        if permission not in PERMISSIONS:
            raise ValueError(f"{permission!r} is no permission")
        return permission in self._context().allowed

    async def request(self, *permissions: str) -> frozenset[str]:
        """Ask the person for declared optional permissions; gives those of them that are granted now.

        Ask at the moment of need. NOT_VISIBLE while the card is out of sight, PERMISSION_DENIED for one that the
        manifest does not declare as optional, RATE_LIMITED within 5 s of the last request.
        """
        answer = await self._call("permissions.request", {"ids": [*permissions]})
        await self.list()
        return frozenset(answer["granted"])

    async def list(self) -> list[Mapping[str, Any]]:
        """The declared permissions as the host shows them: id, optional, granted, reason."""
        listed = await self._call("permissions.list", {})
        self._context().take("permissions.changed", listed)
        return list(listed)
