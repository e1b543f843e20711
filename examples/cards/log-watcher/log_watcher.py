"""Log watcher: follows a log file of the workspace and sends on the lines that hold a word."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cardloom_sdk import CallError, Card, ErrorCode
from cardloom_sdk.card_files import FileChange

MAX_LINES: Final = 200
"""How many found lines are sent at once; of more the last."""
MAX_LINE_CHARS: Final = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """How far a log was read: its whole lines, and the first of them, by which another log is told apart."""

    lines: int = 0
    first: str | None = None


def new_lines(text: str, place: Place) -> tuple[list[str], Place]:
    """The whole lines behind a place, and the place behind them. A log that was begun anew is new from its start."""
    lines = text.split("\n")[:-1]
    first = lines[0] if lines else None
    same = len(lines) >= place.lines and (place.first is None or place.first == first)
    return lines[place.lines :] if same else lines, Place(len(lines), first)


class LogWatcher:
    """The watching of one file, begun anew whenever the settings name another."""

    def __init__(self, card: Card) -> None:
        self._card = card
        self._path: str | None = None
        self._place = Place()
        self._found = 0
        self._stop: Any = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Watch the file that the settings name; what stands in it by then is old."""
        path = str(PurePosixPath(str(self._card.settings.values["path"])))
        async with self._lock:
            if path == self._path:
                return
            if self._stop is not None:
                await self._stop()
                self._stop = None
            try:
                # Its folder is watched, for the file may come later, go, and come again.
                self._stop = await self._card.fs.watch(path.rpartition("/")[0], self.changed)
                self._place = new_lines(await self._text(path), Place())[1]
            except CallError as error:
                self._path = None
                await self._tell(error.message)
                return
            self._path, self._found = path, 0
            await self._show()

    async def changed(self, change: FileChange) -> None:
        """Read on and send what was found."""
        async with self._lock:
            if change.type == "ended":
                self._path = self._stop = None
                await self._tell("the log's folder leads elsewhere now")
                return
            if self._path is None or (change.path != self._path and change.type != "rescan"):
                return
            try:
                text = await self._text(self._path)
            except CallError as error:
                await self._tell(error.message)
                return
            lines, self._place = new_lines(text, self._place)
            word = str(self._card.settings.values["word"])
            found = [line.rstrip("\r")[:MAX_LINE_CHARS] for line in lines if word in line]
            if found:
                self._found += len(found)
                await self._show()
                await self._send("\n".join(found[-MAX_LINES:]))

    async def reset(self) -> None:
        """Count from 0 again."""
        async with self._lock:
            self._found = 0
            await self._show()

    async def _text(self, path: str) -> str:
        """The file's text, empty while it is not there. A file beyond what the host reads is told and not followed."""
        try:
            content = await self._card.fs.read(path)
        except CallError as error:
            if isinstance(error.data, dict) and error.data.get("reason") == "not_found":
                return ""
            raise
        if content.truncated:
            raise CallError(ErrorCode.TOO_LARGE, f"{path} is too large to be followed")
        return content.data

    async def _tell(self, fault: str) -> None:
        """Show what keeps it from watching."""
        await self._card.set_status(fault[:80], tone="danger")

    async def _show(self) -> None:
        await self._card.set_badge(self._found or None, tone="danger")
        await self._card.set_status(f"{self._found} found", tone="danger" if self._found else "success")
        await self._card.set_overview(primary=f"{self._found} found", secondary=self._path)

    async def _send(self, text: str) -> None:
        """Send at the pace the host allows."""
        while True:
            try:
                await self._card.emit("lines", text)
            except CallError as error:
                if error.code is not ErrorCode.RATE_LIMITED or not isinstance(error.data, dict):
                    raise
                await self._card.timing.sleep_ms(float(str(error.data.get("retryAfterMs", 1000))))
            else:
                return


def make_card(**options: Any) -> Card:
    """The card with its handlers. `options` are those of Card."""
    card = Card(Path(__file__).parent, **options)
    watcher = LogWatcher(card)
    card.on_ready(watcher.start)
    card.settings.on_changed(watcher.start)
    card.on_message("reset")(watcher.reset)
    return card


if __name__ == "__main__":
    make_card().run()
