"""The screen by libghostty-vt: a whole terminal emulator, half a megabyte to one and a half each.

Kept out of `screen` so that the library is loaded with the first terminal and not with the server. The library's
Python layer gives plain text; repaints come from its C functions, which are called here.
"""

from __future__ import annotations

import re
from typing import Any

from pyghostty import Terminal, ffi, lib
from pyghostty.core import check, init_sized

from cardloom_protocol.themes import Scheme

from .screen import REPAINT_CHARS, RESET, SCROLLBACK_BYTES, last_lines

_COLOURS: dict[Scheme, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    "dark": ((0xE6, 0xE6, 0xE6), (0x14, 0x15, 0x18)),
    "light": ((0x1C, 0x1D, 0x21), (0xFF, 0xFF, 0xFF)),
}
_MAX_LINES = 100_000  # memory is bounded in bytes, not in lines
_CONTINUATION_BYTES = 64 << 10

# Of the answers the library knows, those that hold for the viewers too (the kitty keyboard, for one, does not).
_ANSWER = re.compile(
    rb"\x1b\[\?[0-9;]*c|\x1b\[>[0-9;]*c|\x1b\[[0-9;]*[nR]|\x1b\[\??[0-9;]*\$y|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1bP[01]\$r[^\x1b]*\x1b\\"
)

# Modes a program may leave set, with what an empty terminal has: (number, ANSI mode?, default).
_MODES = (
    (1, False, False),
    (5, False, False),
    (9, False, False),
    (25, False, True),
    (45, False, False),
    (66, False, False),
    (1000, False, False),
    (1002, False, False),
    (1003, False, False),
    (1004, False, False),
    (1005, False, False),
    (1006, False, False),
    (1007, False, True),
    (1015, False, False),
    (1016, False, False),
    (2004, False, False),
    (4, True, False),
    (20, True, False),
    (7, False, True),
)
_ORIGIN = 6
_ENTER_ALTERNATE = "\x1b[?1049h\x1b[0m\x1b(B\x1b)B\x0f\x1b[2J\x1b[H"


class GhosttyScreen:
    """One emulated terminal. `scrollback_bytes` bounds what is kept of lines that scrolled away."""

    def __init__(
        self,
        cols: int,
        rows: int,
        *,
        scrollback_bytes: int = SCROLLBACK_BYTES,
        repaint_chars: int = REPAINT_CHARS,
    ) -> None:
        self._repaint_chars = repaint_chars
        self._terminal: Any = Terminal(cols, rows, scrollback=_MAX_LINES)
        self._set("SCROLLBACK_MAX_BYTES", ffi.new("size_t*", scrollback_bytes))
        self._set("CONTINUATION_MAX_BYTES", ffi.new("size_t*", _CONTINUATION_BYTES))
        self._answers: list[bytes] = []
        self._terminal.on_reply(self._answers.append)
        self.set_scheme("dark")

    def feed(self, text: str, data: bytes | None = None) -> str:
        self._terminal.feed(text.encode("utf-8", "replace") if data is None else data)
        if not self._answers:
            return ""
        answers = [answer for answer in self._answers if _ANSWER.fullmatch(answer)]
        self._answers.clear()
        return b"".join(answers).decode("ascii", "replace")

    def resize(self, cols: int, rows: int) -> None:
        self._terminal.resize(cols, rows)

    def set_scheme(self, scheme: Scheme) -> None:
        for name, colour in zip(("COLOR_FOREGROUND", "COLOR_BACKGROUND"), _COLOURS[scheme], strict=True):
            self._set(name, ffi.new("GhosttyColorRgb*", dict(zip("rgb", colour, strict=True))))

    def text(self, lines: int | None = None) -> str:
        if lines is not None:
            return last_lines(self._terminal.contents(), lines)
        cols, rows = self._terminal.size
        area = init_sized("GhosttySelection")
        area.start = self._terminal.ref(0, 0)[0]
        area.end = self._terminal.ref(cols - 1, rows - 1)[0]
        return last_lines(self._terminal._format_sel(area, unwrap=True), rows)

    @property
    def bracketed_paste(self) -> bool:
        return bool(self._terminal.mode(2004))

    def repaint(self) -> str:
        text = RESET
        if self._terminal.get("active_screen", "int"):
            text += _behind_alternate(self._terminal, self._repaint_chars) + _ENTER_ALTERNATE
        return text + _painted(self._terminal, self._repaint_chars) + _unfinished_sequence(self._terminal)

    def close(self) -> None:
        self._terminal.close()

    def _set(self, option: str, value: Any) -> None:
        check(
            lib.ghostty_terminal_set(self._terminal._t[0], getattr(lib, f"GHOSTTY_TERMINAL_OPT_{option}"), value),
            option,
        )


def _painted(terminal: Any, max_chars: int, *, modes: bool = True) -> str:
    """Give the text that brings an empty terminal to the active screen's state, modes and scroll region with it.

    Rows that a line broke into are written as one line, so that the viewer may join them again. A program that moved
    rows about can leave such a row without its continuation; then the result differs and every row is written alone.
    """
    painter = _Painter(terminal, max_chars)
    state = painter.state(modes=modes)
    joined = painter.content(unwrap=True) + state
    with Terminal(*terminal.size, scrollback=0) as trial:
        trial.feed(joined.encode("utf-8", "replace"))
        same = trial.text() == terminal.text() and trial.cursor == terminal.cursor
    return joined if same else painter.content(unwrap=False) + state


class _Painter:
    """Makes the parts of the text that repaints the active screen of a terminal."""

    def __init__(self, terminal: Any, max_chars: int) -> None:
        self._terminal = terminal
        self._max_chars = max_chars
        self._total_rows = int(terminal.get("total_rows", "size_t"))
        self._rows = int(terminal.get("rows"))

    def content(self, *, unwrap: bool) -> str:
        """Every row from the oldest that fits to the last of the screen, blank ones at the end included."""
        first_row = 0
        while True:
            text = self._format(first_row, unwrap=unwrap)
            if len(text) <= self._max_chars or first_row >= self._total_rows - self._rows:
                break
            first_row = min(self._total_rows - self._rows, first_row + max((self._total_rows - first_row) // 2, 1))
        written = self._format(first_row, unwrap=False).count("\r\n") + 1
        return text + "\r\n" * max(self._total_rows - first_row - written, 0)

    def state(self, *, modes: bool) -> str:
        """Cursor and pen as the library writes them, then the modes that differ; they hold for both screens."""
        bare = self._format(0, unwrap=True)
        full = self._format(0, unwrap=True, cursor=True, region=modes)
        text = full[full.find(bare) + len(bare) :]
        if not modes:
            return text
        if self._terminal.mode(_ORIGIN):
            text = _with_origin_mode(text)
        for number, ansi, default in _MODES:
            value = self._terminal.mode(number, ansi)
            if value != default:
                text += f"\x1b[{'' if ansi else '?'}{number}{'h' if value else 'l'}"
        return text

    def _format(self, first_row: int, *, unwrap: bool, cursor: bool = False, region: bool = False) -> str:
        options = init_sized("GhosttyFormatterTerminalOptions")
        options.emit = lib.GHOSTTY_FORMATTER_FORMAT_VT
        options.unwrap = unwrap
        options.trim = False
        area = None
        if first_row:
            area = init_sized("GhosttySelection")
            area.start = self._terminal.ref(0, first_row, "screen")[0]
            area.end = self._terminal.ref(int(self._terminal.get("cols")) - 1, self._total_rows - 1, "screen")[0]
            options.selection = area
        options.extra.scrolling_region = options.extra.keyboard = region
        pen = options.extra.screen
        pen.cursor = pen.style = pen.hyperlink = pen.protection = pen.charsets = cursor
        formatter = ffi.new("GhosttyFormatter*")
        check(lib.ghostty_formatter_terminal_new(ffi.NULL, formatter, self._terminal._t[0], options[0]), "formatter")
        try:
            return _taken(lambda text, size: lib.ghostty_formatter_format_alloc(formatter[0], ffi.NULL, text, size))
        finally:
            lib.ghostty_formatter_free(formatter[0])


def _behind_alternate(terminal: Any, max_chars: int) -> str:
    """Paint the screen behind the alternate one, from a copy, so that the terminal itself is not touched."""
    snapshot = ffi.new("uint8_t**")
    size = ffi.new("size_t*")
    check(lib.ghostty_snapshot_encode_alloc(terminal._t[0], ffi.NULL, snapshot, size), "snapshot")
    decoder = ffi.new("GhosttySnapshotDecoder*")
    copied = ffi.new("GhosttyTerminal*")
    try:
        check(lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, decoder, snapshot[0], size[0]), "snapshot decoder")
        try:
            check(lib.ghostty_snapshot_decoder_decode(decoder[0], copied), "snapshot decoding")
        finally:
            lib.ghostty_snapshot_decoder_free(decoder[0])
    finally:
        lib.ghostty_free(ffi.NULL, snapshot[0], size[0])
    copy = Terminal.__new__(Terminal)
    copy._t = copied
    copy._cb_err = None
    try:
        copy.feed(b"\x1b[?1049l")
        return _painted(copy, max_chars, modes=False)
    finally:
        lib.ghostty_terminal_free(copied[0])


def _with_origin_mode(text: str) -> str:
    """Put origin mode before the cursor's position and make that position count from the region's top."""
    region = re.search(r"\x1b\[(\d+)?;(\d+)?r", text)
    top = int(region[1] or 1) if region else 1

    def from_top(found: re.Match[str]) -> str:
        return f"\x1b[?{_ORIGIN}h\x1b[{max(int(found[1]) - top + 1, 1)};{found[2]}H"

    return re.sub(r"\x1b\[(\d+);(\d+)H", from_top, text, count=1)


def _unfinished_sequence(terminal: Any) -> str:
    return _taken(lambda text, size: lib.ghostty_terminal_continuation_alloc(terminal._t[0], ffi.NULL, text, size))


def _taken(call: Any) -> str:
    """Run a C function that allocates text, and give that text."""
    text = ffi.new("uint8_t**")
    size = ffi.new("size_t*")
    check(call(text, size), "formatting")
    try:
        return bytes(ffi.buffer(text[0], size[0])[:]).decode("utf-8", "replace") if size[0] else ""
    finally:
        if size[0]:
            lib.ghostty_free(ffi.NULL, text[0], size[0])
