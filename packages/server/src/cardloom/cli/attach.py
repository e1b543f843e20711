"""`cardloom attach`: a program's terminal inside the person's own. Keys go in, output comes out, Ctrl-] leaves."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Canvas, Client

from .console import Answer
from .session import Record, card_of, session

LEAVE: Final = b"\x1d"
_TERMINALS: Final = ("agent", "terminal")
_READ_BYTES: Final = 4096
_LOOK_AGAIN_S: Final = 0.25
_MODES_OFF: Final = (
    "\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1049l\x1b[?25h\x1b[<u\x1b[0m\r\n"
)
"""What a program may have turned on, turned off again for the shell that comes back."""

End: TypeAlias = Literal["left", "ended", "away"]


async def attach(name: str, workspace: str | None) -> Answer:
    """Show a terminal until the person leaves or the program ends."""
    if sys.platform == "win32":
        raise CallError(ErrorCode.INVALID_PARAMS, "attach works on Linux and macOS; open the canvas instead")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CallError(ErrorCode.INVALID_PARAMS, "attach needs a terminal for its input and output")
    async with session() as client:
        card = await card_of(client, name, workspace)
        if card["kind"] not in _TERMINALS:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card['name']!r} has no terminal")
        viewer = _Viewer(client, card, await client.subscribe(card["workspaceId"]))
        with _raw():
            end = await viewer.run()
    if end == "away":
        raise CallError(ErrorCode.UNAVAILABLE, "The server is away.")
    told = f"Left {card['name']}; it goes on." if end == "left" else f"{card['name']} does not run."
    return Answer({"cardId": card["id"]}, told)


class _Viewer:
    """One terminal shown in the person's. What arrives before its picture waits for that."""

    def __init__(self, client: Client, card: Record, canvas: Canvas) -> None:
        self._client = client
        self._card_id = card["id"]
        self._canvas = canvas
        self._left = asyncio.Event()
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._early: list[Any] | None = []

    async def run(self) -> End:
        """Show it until something ends that, and tell what."""
        loop = asyncio.get_running_loop()
        self._client.on("terminal.output", self._output)
        self._client.on("terminal.resync", self._resync)
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGWINCH, lambda: self._keys.put_nowait(""))
        typing = asyncio.create_task(self._send())
        try:
            await self._fit()
            self._begin(await self._client.call("terminal.attach", {"cardId": self._card_id}))
            return await self._ends()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            loop.remove_signal_handler(signal.SIGWINCH)
            typing.cancel()
            _print(_MODES_OFF)

    async def _ends(self) -> End:
        while not self._left.is_set():
            if not self._client.online:
                return "away"
            card = self._canvas.mirror.cards.get(self._card_id)
            if card is None or (card["runtime"] or {}).get("status") == "exited":
                return "ended"
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_AGAIN_S):
                    await self._left.wait()
        return "left"

    def _read(self) -> None:
        data = os.read(sys.stdin.fileno(), _READ_BYTES)
        if not data or LEAVE in data:
            self._left.set()
            return
        self._keys.put_nowait(self._decoder.decode(data))

    async def _send(self) -> None:
        while True:
            keys = await self._keys.get()
            with contextlib.suppress(CallError):  # it ended, or the server is away: that is seen by itself
                if keys:
                    await self._client.call("terminal.input", {"cardId": self._card_id, "data": keys})
                else:
                    await self._fit()

    async def _fit(self) -> None:
        size = os.get_terminal_size(sys.stdout.fileno())  # not what COLUMNS and LINES say: it may be another terminal's
        await self._client.call("terminal.resize", {"cardId": self._card_id, "cols": size.columns, "rows": size.lines})

    def _begin(self, picture: Record) -> None:
        _print(picture["data"])
        early, self._early = self._early or [], None
        for data in early:
            self._output(data)

    def _output(self, data: Any) -> None:
        if data["cardId"] != self._card_id:
            return
        if self._early is not None:
            self._early.append(data)
            return
        _print(data["data"])
        self._acknowledge(data["offset"])

    def _resync(self, data: Any) -> None:
        if data["cardId"] == self._card_id and self._early is None:
            _print(f"\x1bc{data['data']}")
            self._acknowledge(data["offset"])

    def _acknowledge(self, offset: int) -> None:
        task = asyncio.ensure_future(self._client.call("terminal.ack", {"cardId": self._card_id, "offset": offset}))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())


@contextmanager
def _raw() -> Iterator[None]:
    """The terminal as programs with a screen of their own need it."""
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    tty.setraw(stdin)
    try:
        yield
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
