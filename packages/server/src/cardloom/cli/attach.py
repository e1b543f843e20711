"""`cardloom attach`: a program's terminal inside the person's own. Keys go in, output comes out, Ctrl-] leaves."""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client

from .console import Answer
from .session import Record, card_of, session

LEAVE: Final = b"\x1d"
_TERMINALS: Final = ("agent", "terminal")
_READ_BYTES: Final = 4096
_MODES_OFF: Final = (
    "\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1049l\x1b[?25h\x1b[<u\x1b[0m\r\n"
)
"""What a program may have turned on, turned off again for the shell that comes back."""


async def attach(name: str, workspace: str | None) -> Answer:
    """Show a terminal until the person leaves or the program ends."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CallError(ErrorCode.INVALID_PARAMS, "attach needs a terminal for its input and output")
    async with session() as client:
        card = await card_of(client, name, workspace)
        if card["kind"] not in _TERMINALS:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card['name']!r} has no terminal")
        viewer = _Viewer(client, card)
        with _raw():
            await viewer.run()
    return Answer({"cardId": card["id"]}, f"Left {card['name']}; it goes on.")


class _Viewer:
    def __init__(self, client: Client, card: Record) -> None:
        self._client = client
        self._card_id = card["id"]
        self._left = asyncio.Event()
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self._client.on("terminal.output", self._output)
        self._client.on("terminal.resync", self._resync)
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGWINCH, lambda: self._keys.put_nowait(""))
        typing = asyncio.create_task(self._send())
        try:
            await self._fit()
            picture = await self._client.call("terminal.attach", {"cardId": self._card_id})
            _print(picture["data"])
            await asyncio.wait([asyncio.create_task(self._left.wait()), typing], return_when=asyncio.FIRST_COMPLETED)
        finally:
            loop.remove_reader(sys.stdin.fileno())
            loop.remove_signal_handler(signal.SIGWINCH)
            typing.cancel()
            _print(_MODES_OFF)
        if typing.done() and not typing.cancelled() and typing.exception() is not None:
            raise typing.exception() or RuntimeError

    def _read(self) -> None:
        data = os.read(sys.stdin.fileno(), _READ_BYTES)
        if not data or LEAVE in data:
            self._left.set()
            return
        self._keys.put_nowait(self._decoder.decode(data))

    async def _send(self) -> None:
        while True:
            keys = await self._keys.get()
            if keys:
                await self._client.call("terminal.input", {"cardId": self._card_id, "data": keys})
            else:
                await self._fit()

    async def _fit(self) -> None:
        size = shutil.get_terminal_size()
        await self._client.call("terminal.resize", {"cardId": self._card_id, "cols": size.columns, "rows": size.lines})

    def _output(self, data: Any) -> None:
        if data["cardId"] == self._card_id:
            _print(data["data"])
            self._acknowledge(data["offset"])

    def _resync(self, data: Any) -> None:
        if data["cardId"] == self._card_id:
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
