"""Tools of MCP servers: programs that are started when first needed, or addresses.

A connection lives in a task of its own, for its scopes must be left by the task that entered them. A server that does
not come up, or breaks, is told of in the results of its tools and begun again with the next run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, object_of
from cardloom_protocol.session.profiles import CatalogExtension

from .conversation import Offer
from .toolbox import Outcome, Tool, failed

if TYPE_CHECKING:
    from mcp import Client

START_S: Final = 30.0
CALL_S: Final = 120.0
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME_CHARS: Final = 64


@dataclass(frozen=True, slots=True)
class McpSettings:
    """One server: a program with its arguments and environment, or an address. `asks`: before every call."""

    id: str
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    url: str | None = None
    asks: bool = True
    start_s: float = START_S
    call_s: float = CALL_S

    def to_catalog(self) -> CatalogExtension:
        """The server in the catalogue of extensions."""
        return {"id": self.id, "name": self.id, "description": self.url or " ".join(self.command[:1])}


class McpServers:
    """The servers that are configured. `opened` is for tests: what a client connects to, in place of the settings."""

    def __init__(self, settings: Sequence[McpSettings], opened: Mapping[str, Any] | None = None) -> None:
        self._servers = {one.id: _Server(one, (opened or {}).get(one.id)) for one in settings}

    @property
    def ids(self) -> list[str]:
        """Their ids."""
        return list(self._servers)

    def catalog(self) -> list[CatalogExtension]:
        """The servers as extensions that a profile may name."""
        return [server.settings.to_catalog() for server in self._servers.values()]

    async def tools(self, wanted: Sequence[str] | None = None) -> tuple[list[Tool], list[str]]:
        """The tools of these servers, all where None; and what kept servers from offering theirs, in words."""
        servers = [server for server in self._servers.values() if wanted is None or server.settings.id in wanted]
        tools: list[Tool] = []
        troubles: list[str] = []
        for found in await asyncio.gather(*(server.tools() for server in servers)):
            if isinstance(found, str):
                troubles.append(found)
            else:
                tools += found
        return named_apart(tools), troubles

    async def close(self) -> None:
        """End all connections, and the programs behind them."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))


class _Server:
    """One connection, made when it is needed."""

    def __init__(self, settings: McpSettings, opened: Any) -> None:
        self.settings = settings
        self._opened = opened
        self._client: Client | None = None
        self._life: asyncio.Task[None] | None = None
        self._ends = asyncio.Event()
        self._lock = asyncio.Lock()

    async def tools(self) -> list[Tool] | str:
        """Its tools, or what is wrong, in words."""
        (found,) = await asyncio.gather(self._listed(), return_exceptions=True)
        if isinstance(found, list):
            return found
        await self.close()
        if isinstance(found, TimeoutError):
            return f"The MCP server {self.settings.id} did not answer within {self.settings.start_s:g} s."
        return f"The MCP server {self.settings.id} cannot be used: {_words(found)}"

    async def _listed(self) -> list[Tool]:
        async with asyncio.timeout(self.settings.start_s):
            client = await self._connected()
            return [self._tool(told) for told in (await client.list_tools()).tools]

    async def close(self) -> None:
        """End the connection."""
        self._ends.set()
        if self._life is not None:
            await asyncio.wait([self._life], timeout=self.settings.start_s)
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)
        self._client, self._life = None, None

    async def _connected(self) -> Client:
        async with self._lock:
            if self._client is None or self._life is None or self._life.done():
                self._ends = asyncio.Event()
                ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
                self._life = asyncio.create_task(self._live(ready, self._ends))
                self._client = await ready
            return self._client

    async def _live(self, ready: asyncio.Future[Client], ends: asyncio.Event) -> None:
        try:
            async with self._client_of_settings() as client:
                if not ready.done():
                    ready.set_result(client)
                await ends.wait()
        except Exception as error:  # noqa: BLE001 - a task's root: told to whoever waits, else the next use begins anew
            if not ready.done():
                ready.set_exception(error)
        finally:
            ready.cancel()

    @asynccontextmanager
    async def _client_of_settings(self) -> AsyncIterator[Client]:
        from mcp import Client, StdioServerParameters

        settings, target = self.settings, self._opened
        if target is None and settings.url is not None:
            target = settings.url
        if target is None:
            target = StdioServerParameters(
                command=settings.command[0],
                args=list(settings.command[1:]),
                env=dict(settings.environment),
                cwd=settings.cwd,
            )
        async with Client(target, read_timeout_seconds=settings.call_s) as client:
            yield client

    async def _called(self, name: str, arguments: JsonObject) -> Outcome:
        client = await self._connected()
        return _outcome(await client.call_tool(name, dict(arguments), self.settings.call_s))

    def _tool(self, told: Any) -> Tool:
        name = _NOT_IN_NAMES.sub("_", f"{self.settings.id}__{told.name}")[:_MAX_NAME_CHARS]
        schema = cast(JsonObject, dict(told.input_schema or {})) or {"type": "object", "properties": {}}
        offer = Offer(name, told.description or "", schema)

        async def call(arguments: JsonObject) -> Outcome:
            (made,) = await asyncio.gather(self._called(told.name, arguments), return_exceptions=True)
            if isinstance(made, Outcome):
                return made
            return failed(f"The MCP server {self.settings.id} failed: {_words(made)}")

        return Tool(offer, call, f"mcp:{self.settings.id}", self.settings.asks)


def named_apart(tools: Sequence[Tool]) -> list[Tool]:
    """The tools, each under a name of its own: models take no two of one name, and shortened ones may be alike."""
    apart: list[Tool] = []
    taken = {tool.name for tool in tools}
    seen: set[str] = set()
    for tool in tools:
        name, number = tool.name, 1
        while name in seen or (number > 1 and name in taken):
            number += 1
            name = f"{tool.name[: _MAX_NAME_CHARS - 4]}_{number}"
        seen.add(name)
        apart.append(replace(tool, offer=replace(tool.offer, name=name)))
    return apart


def _outcome(result: Any) -> Outcome:
    texts = [block.text for block in result.content if getattr(block, "type", "") == "text"]
    others = [block.type for block in result.content if getattr(block, "type", "text") != "text"]
    text = "\n".join([*texts, *(f"[{kind}]" for kind in others)])
    data: JsonValue = object_of(getattr(result, "structured_content", None)) or None
    return Outcome(text, data, bool(result.is_error))


def _words(error: BaseException) -> str:
    """The first line of what went wrong; of a group, of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
