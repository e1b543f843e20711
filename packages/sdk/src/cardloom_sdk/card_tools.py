"""The tools a card offers to agents: a handler a tool, each call answered once, before its deadline.

A call without a handler waits for one until its deadline, then nothing is sent: the host ends it. Spec: cards, tools
for agents; cards behaviour, message flow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import pretty_json, utf16_cut

from .host_calls import Call, Post
from .listeners import Report, adapt
from .timing import Timing

_MAX_ERROR_CHARS: Final = 4000
_MAX_PROGRESS_CHARS: Final = 200
_WORKING: Final = "working"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. After `deadline_ms` (epoch time) nobody waits for the answer any more."""

    call_id: str
    tool: str
    args: Mapping[str, Any]
    agent_id: str
    agent_name: str
    deadline_ms: int
    _post: Post

    def progress(self, message: str) -> None:
        """Tell the agent how far it is; more than four a second are lost."""
        text = utf16_cut(message, _MAX_PROGRESS_CHARS) or "…"
        self._post("tools.progress", {"callId": self.call_id, "message": text})


class Tools:
    """The handlers of one card and the calls it works on."""

    def __init__(self, call: Call, post: Post, timing: Timing, report: Report, show: Report) -> None:
        """`report` is told of handlers that fail, `show` of results that the host refuses."""
        self._call = call
        self._post = post
        self._timing = timing
        self._report = report
        self._show = show
        self._handlers: dict[str, Callable[..., Awaitable[Any]]] = {}
        self._arrived: dict[str, asyncio.Event] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    async def set_enabled(self, tool: str, enabled: bool) -> None:
        """Show a tool to agents, or hide it. NOT_FOUND where the manifest declares none of that name."""
        await self._call("tools.setEnabled", {"tool": tool, "enabled": enabled})

    def add(self, tool: str, handler: Callable[..., Any]) -> None:
        """Let a function do a tool's work. ValueError when one does already."""
        if tool in self._handlers:
            raise ValueError(f"tool {tool!r} has a handler already")
        self._handlers[tool] = adapt(handler)
        if tool in self._arrived:
            self._arrived.pop(tool).set()

    def hear(self, event: str, data: Any) -> None:
        """Follow the events of tools."""
        if event == "tools.call":
            agent = data.get("agent") or {"id": "", "name": ""}
            call = ToolCall(
                data["callId"], data["tool"], data["args"], agent["id"], agent["name"], data["deadline"], self._post
            )
            task = self._running[call.call_id] = asyncio.create_task(self._serve(call))
            task.add_done_callback(lambda _: self._running.pop(call.call_id, None))
        elif event == "tools.cancel" and data["callId"] in self._running:
            self._running[data["callId"]].cancel()

    def cancel(self) -> None:
        """Leave every call unanswered."""
        for task in list(self._running.values()):
            task.cancel()

    @property
    def busy(self) -> bool:
        """Whether a handler works on a call; one that waits for its handler is no work."""
        return any(task.get_name() == _WORKING for task in self._running.values())

    async def _serve(self, call: ToolCall) -> None:
        """Answer one call, unless its deadline comes first."""
        work = asyncio.create_task(self._answered(call))
        late = asyncio.create_task(self._timing.sleep_ms(max(0, call.deadline_ms - self._timing.now_ms())))
        try:
            await asyncio.wait((work, late), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await self._send(call, work.result())
        finally:
            work.cancel()
            late.cancel()

    async def _answered(self, call: ToolCall) -> dict[str, Any]:
        if call.tool not in self._handlers:
            await self._arrived.setdefault(call.tool, asyncio.Event()).wait()
        task = self._running.get(call.call_id)
        if task is not None:
            task.set_name(_WORKING)
        try:
            return {"result": tool_result(await self._handlers[call.tool](call.args, call))}
        except Exception as error:  # noqa: BLE001 - a card author's code: its fault is the answer
            self._report(f"tool {call.tool}", error)
            return {"error": _reason(error)}

    async def _send(self, call: ToolCall, outcome: dict[str, Any]) -> None:
        try:
            await self._call("tools.respond", {"callId": call.call_id, **outcome})
        except CallError as error:
            if "error" in outcome or error.code in (ErrorCode.NOT_FOUND, ErrorCode.UNAVAILABLE):
                return  # nobody waits any more
            self._show(f"tool {call.tool}", error)
            await self._send(call, {"error": _reason(error)})


def tool_result(value: Any) -> dict[str, Any]:
    """What a handler gave, as agents get it: nothing is "OK", a text itself, `{"content": [...]}` as it is."""
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        return value
    if value is None:
        text = "OK"
    elif isinstance(value, str):
        text = value
    else:
        text = pretty_json(value)
    return {"content": [{"type": "text", "text": text}]}


def _reason(error: Exception) -> str:
    text = error.message if isinstance(error, CallError) else str(error)
    return utf16_cut(text or type(error).__name__, _MAX_ERROR_CHARS)
