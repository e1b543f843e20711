"""One agent's program and the connection to it, by the protocol's own package.

What the agent tells is taken from the connection in the order in which it came; the package's handlers run beside each
other and may be overtaken by an answer. Spec: session protocol, adapters (ACP).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AskAnswer
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of

from .....host.piped import PipedProgram
from .....host.processes import Command

if TYPE_CHECKING:
    from acp.client.connection import ClientSideConnection
    from acp.connection import StreamEvent

UNAVAILABLE: Final = "acp_unavailable"
"""The agent cannot be started, or does not speak this protocol."""
ENDED: Final = "acp_ended"
"""The agent ended in the middle. What it had said is kept."""
FAILED: Final = "acp_failed"
"""The agent reports a failure."""

START_S: Final = 60.0

Heard: TypeAlias = Callable[[JsonObject], None]
"""Takes an update of a session."""
Permit: TypeAlias = Callable[[JsonObject, list[JsonObject]], Awaitable[AskAnswer]]
"""Asks the person whether a tool call is allowed, by the agent's own options."""


@dataclass(frozen=True, slots=True)
class AcpSettings:
    """How an agent is started. `environment` is the whole environment of the program."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    start_s: float = START_S


@dataclass(frozen=True, slots=True)
class _Ears:
    heard: Heard
    permit: Permit


class AcpAgent:
    """The program, started when first needed and again when it has ended."""

    def __init__(self, settings: AcpSettings) -> None:
        self._settings = settings
        self._lock = asyncio.Lock()
        self._program: PipedProgram | None = None
        self._connection: ClientSideConnection | None = None
        self._ears: dict[str, _Ears] = {}
        self.takes_images = False
        self.generation = 0
        """Counts the starts: sessions of an earlier one are gone."""

    async def start(self) -> None:
        """Start the program unless it runs. `acp_unavailable`."""
        await self._connected()

    async def new_session(self) -> str:
        """The agent's id of a new session."""
        connection = await self._connected()
        made = await self._guarded(connection.new_session(cwd=str(self._settings.cwd), mcp_servers=[]))
        return str(made.session_id)

    async def prompt(self, session_id: str, prompt: Sequence[JsonObject], heard: Heard, permit: Permit) -> JsonObject:
        """Prompts the agent and gives its answer to that (`stopReason`, `usage`); what it says goes to `heard`."""
        from acp.schema import PromptRequest

        connection = await self._connected()
        self._ears[session_id] = _Ears(heard, permit)
        asked = PromptRequest.model_validate({"sessionId": session_id, "prompt": list(prompt)})
        try:
            answer = await self._guarded(connection.prompt(session_id=session_id, prompt=asked.prompt))
        finally:
            del self._ears[session_id]
        found: JsonObject = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return found

    async def cancel(self, session_id: str) -> None:
        """Tells the agent to stop."""
        if self._connection is not None:
            await self._guarded(self._connection.cancel(session_id=session_id))

    async def close(self) -> None:
        """End the program."""
        async with self._lock:
            await self._end()

    async def _connected(self) -> ClientSideConnection:
        async with self._lock:
            if self._connection is not None and self._program is not None and self._program.exit_code is None:
                return self._connection
            await self._end()
            return await self._start()

    async def _start(self) -> ClientSideConnection:
        import acp
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        settings = self._settings
        try:
            self._program = await PipedProgram.start(Command(settings.argv, settings.cwd, settings.environment))
        except OSError as error:
            raise SessionError(UNAVAILABLE, f"The agent cannot be started: {error.strerror or error}.") from None
        client: Any = _Client(self._permit)
        connection = acp.connect_to_agent(client, self._program.stdin, self._program.stdout, observers=[self._observe])
        files = FileSystemCapabilities(read_text_file=False, write_text_file=False)
        offers = ClientCapabilities(fs=files, terminal=False)
        try:
            async with asyncio.timeout(settings.start_s):
                hello = await connection.initialize(
                    acp.PROTOCOL_VERSION,
                    client_capabilities=offers,
                    client_info=Implementation(name="cardloom", version="1"),
                )
        except (TimeoutError, ConnectionError, acp.RequestError, ValueError) as error:
            if isinstance(error, ConnectionError):  # it is on its way out, and may have said why
                await self._program.settle()
            words = self._program.last_words or str(error) or type(error).__name__
            self._connection = connection
            await self._end()
            raise SessionError(UNAVAILABLE, f"The agent does not speak this protocol: {words[:300]}") from None
        told = hello.agent_capabilities
        self.takes_images = bool(told and told.prompt_capabilities and told.prompt_capabilities.image)
        self._connection = connection
        self.generation += 1
        return connection

    async def _guarded(self, work: Awaitable[Any]) -> Any:
        import acp

        try:
            return await work
        except acp.RequestError as error:
            raise SessionError(FAILED, f"The agent failed: {str(error)[:500]}") from None
        except (ConnectionError, RuntimeError):
            raise await self._ended() from None
        except ValueError as error:  # an answer that does not fit the protocol
            raise SessionError(FAILED, f"The agent's answer makes no sense: {type(error).__name__}.") from None

    async def _ended(self) -> SessionError:
        program = self._program
        if program is None:
            return SessionError(ENDED, "The agent has ended.")
        await program.settle()
        words = program.last_words
        return SessionError(ENDED, f"The agent ended{program.ending}{f': {words[:300]}' if words else '.'}")

    def _observe(self, event: StreamEvent) -> None:
        if event.direction.value == "incoming" and event.message.get("method") == "session/update":
            params = object_of(event.message.get("params"))
            ears = self._ears.get(text_of(params.get("sessionId")))
            if ears is not None:
                ears.heard(object_of(params.get("update")))

    async def _permit(self, session_id: str, call: JsonObject, options: list[JsonObject]) -> AskAnswer:
        ears = self._ears.get(session_id)
        return {"cancelled": True} if ears is None else await ears.permit(call, options)

    async def _end(self) -> None:
        if self._connection is not None:
            with suppress(ConnectionError, RuntimeError):  # what could not be sent any more is told here once again
                await self._connection.close()
        if self._program is not None:
            await self._program.stop()
        self._connection = self._program = None


class _Client:
    """What agents may ask of us: permissions. Files and terminals are their own affair."""

    def __init__(self, permit: Callable[[str, JsonObject, list[JsonObject]], Awaitable[AskAnswer]]) -> None:
        self._permit = permit

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        """Ask the person."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        call = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
        offered = [option.model_dump(mode="json", by_alias=True, exclude_none=True) for option in options]
        answer = await self._permit(session_id, call, offered)
        chosen = (answer.get("optionIds") or [""])[0]
        if not chosen:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Heard already, in order."""

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""


def content_text(blocks: list[JsonValue]) -> str:
    """The text of a tool's content; what is no text is named."""
    pieces: list[str] = []
    for block in (object_of(one) for one in blocks):
        inner = object_of(block.get("content"))
        match block.get("type"):
            case "content" if inner.get("type") == "text":
                pieces.append(text_of(inner.get("text")))
            case "content":
                pieces.append(f"[{text_of(inner.get('type'))}]")
            case "diff":
                pieces.append(f"[changed {text_of(block.get('path'))}]")
            case kind:
                pieces.append(f"[{text_of(kind)}]")
    return "\n".join(pieces)
