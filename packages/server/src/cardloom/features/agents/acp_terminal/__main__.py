"""`python -I -m …acp_terminal FILE PROGRAM [ARGUMENT…]`: starts the agent and talks to it.

FILE tells where facts are posted, which session to go on with, and the tools of the canvas. Spec: agents, ACP.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    HttpHeader,
    HttpMcpServer,
    Implementation,
    RequestPermissionResponse,
)

from ..harnesses.acp import option_for
from ..harnesses.posting import posted
from .keys import Chosen, Echoed, Line, Submitted
from .showing import prompt_line, question, told

START_S: Final = 60.0
LINE_BYTES: Final = 64 << 20


class Talk:
    """One conversation: facts go out in the order in which they came about."""

    def __init__(self, launch: dict[str, Any]) -> None:
        self._launch = launch
        self._facts: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._line = Line()
        self._asked: asyncio.Future[str] | None = None
        self._turn: asyncio.Task[None] | None = None
        self._cancel: asyncio.Task[None] | None = None
        self._reply = ""
        self._session_id = ""
        self._left = asyncio.Event()
        self._connection: Any = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def run(self, argv: list[str]) -> int:
        """Talk until the agent or the person ends it; gives the exit code."""
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE_BYTES
        )
        client: Any = self
        self._connection = acp.connect_to_agent(client, process.stdin, process.stdout, observers=[self._observe])
        poster = asyncio.create_task(self._post())
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(START_S):
                await self._begin()
            _show("\x1b[?2004h> ")
            loop.add_reader(0, self._typed)
            ends = [asyncio.create_task(process.wait()), asyncio.create_task(self._left.wait())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except (TimeoutError, ConnectionError, acp.RequestError, ValueError) as error:
            _show(f"\nThe agent does not speak this protocol: {error or type(error).__name__}\n")
        finally:
            poster.cancel()
            if process.returncode is None:
                process.terminate()
        return await process.wait()

    async def _begin(self) -> None:
        offers = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=False, write_text_file=False))
        who = Implementation(name="cardloom", version="1")
        hello = await self._connection.initialize(acp.PROTOCOL_VERSION, client_capabilities=offers, client_info=who)
        can = hello.agent_capabilities
        servers = (
            _servers(self._launch.get("mcp")) if can and can.mcp_capabilities and can.mcp_capabilities.http else []
        )
        asked = {"cwd": os.getcwd(), "mcp_servers": servers}
        earlier = self._launch.get("session")
        if earlier and can and can.load_session:
            with contextlib.suppress(acp.RequestError):  # it is not there any more
                await self._connection.load_session(session_id=earlier, **asked)
                self._session_id = earlier
        made: dict[str, Any] = {}
        if not self._session_id:
            made = _plain(await self._connection.new_session(**asked))
            self._session_id = made["sessionId"]
        self._tell("session/new:result", {**made, "sessionId": self._session_id})

    def _typed(self) -> None:
        data = os.read(0, 65536)
        if not data:
            self._left.set()
        for act in self._line.take(self._decoder.decode(data), asks=self._asked is not None):
            match act:
                case Echoed(text):
                    _show(text)
                case Submitted(text) if self._turn is None:
                    self._turn = asyncio.create_task(self._prompt(text))
                case Submitted(text):
                    _show("\n(it works; wait for the end of the turn)\n")
                case Chosen(choice):
                    self._answer(choice)
                case "interrupt":
                    self._answer("")
                    if self._turn is not None:
                        self._cancel = asyncio.create_task(self._connection.cancel(session_id=self._session_id))
                case "leave":
                    self._left.set()

    async def _prompt(self, text: str) -> None:
        _show(prompt_line(text))
        self._reply = ""
        self._tell("session/prompt", {"prompt": [{"type": "text", "text": text}]})
        try:
            answer = await self._connection.prompt(session_id=self._session_id, prompt=[acp.text_block(text)])
            self._tell("session/prompt:result", {**_plain(answer), "reply": self._reply or None})
        except acp.RequestError as error:
            _show(f"\n{error}\n")
            self._tell("session/prompt:error", {"message": str(error)})
        except (ConnectionError, RuntimeError):
            return  # its end is told by its process
        finally:
            self._turn = None
            _show("\n> ")

    def _answer(self, choice: str) -> None:
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(choice)

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        """Ask the person by a question on the screen."""
        call, offered = _plain(tool_call), [_plain(option) for option in options]
        while self._asked is not None:
            await asyncio.wait([self._asked])
            await asyncio.sleep(0)
        self._asked = asyncio.get_running_loop().create_future()
        _show(question(call, offered))
        self._tell("session/request_permission", {"toolCall": call, "options": offered})
        try:
            choice: Any = await self._asked
        finally:
            self._asked = None
        self._tell("session/request_permission:result", {"toolCallId": call.get("toolCallId")})
        option_id = option_for(offered, choice) if choice else None
        if option_id is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option_id))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Heard already, in order."""

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""

    def _observe(self, event: Any) -> None:
        if event.direction.value != "incoming" or event.message.get("method") != "session/update":
            return
        params = event.message.get("params") or {}
        update = params.get("update") or {}
        if update.get("sessionUpdate") == "agent_message_chunk":
            self._reply += str((update.get("content") or {}).get("text") or "")
        elif update.get("sessionUpdate") in ("tool_call", "session_info_update"):
            self._tell("session/update", params)
        _show(told(update))

    def _tell(self, event: str, payload: dict[str, Any]) -> None:
        self._facts.put_nowait((event.replace("/", "."), {"sessionId": self._session_id, **payload}))

    async def _post(self) -> None:
        while True:
            event, payload = await self._facts.get()
            with contextlib.suppress(OSError, ValueError):
                await asyncio.to_thread(posted, self._launch["url"], event, json.dumps(payload).encode())


def _plain(model: Any) -> dict[str, Any]:
    found: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def _servers(mcp: dict[str, str] | None) -> list[Any]:
    if mcp is None:
        return []
    header = HttpHeader(name="Authorization", value=f"Bearer {mcp['token']}")
    return [HttpMcpServer(type="http", name=mcp["name"], url=mcp["url"], headers=[header])]


def _show(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "replace").decode())
    sys.stdout.flush()


@contextlib.contextmanager
def _keys() -> Iterator[None]:
    """Take keys one by one; lines that are printed still end as lines do."""
    before = termios.tcgetattr(0)
    ours = termios.tcgetattr(0)
    ours[0] &= ~(termios.ICRNL | termios.IXON)
    ours[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(0, termios.TCSANOW, ours)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)


def main(arguments: list[str]) -> int:
    launch = json.loads(Path(arguments[0]).read_text())
    with _keys():
        return asyncio.run(Talk(launch).run(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
