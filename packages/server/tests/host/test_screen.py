"""What a terminal shows, and repaints of it."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import pytest

from cardloom.host.opening_screens import open_screen
from cardloom.host.plain_screen import PlainScreen
from cardloom.host.screen import RESET

pytest.importorskip("pyghostty")
GhosttyScreen: Any = importlib.import_module("cardloom.host.ghostty_screen").GhosttyScreen

_FRAGMENTS = [
    "hello ",
    "\r\n",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[1;44m",
    "\x1b[2J",
    "\x1b[H",
    "\x1b[3;5H",
    "\x1b[K",
    "\t",
    "中文",
    "e\u0301",
    "w" * 33,
    "y" * 20,
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[?2004h",
    "\x1b[?1h",
    "\x1b[2P\x1b[2;4r",
    "\x1b[r",
    "\x1b7",
    "\x1b8",
    "\x1bM",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[1L",
    "\x1b[?1006h",
    "\x1b]0;ti",
    "\x07",
]


def _copy_of(screen: Any, cols: int = 20, rows: int = 6) -> Any:
    copy = GhosttyScreen(cols, rows)
    copy.feed(screen.repaint())
    return copy


def _state(screen: Any) -> Any:
    terminal = screen._terminal
    modes = [terminal.mode(mode) for mode in (1, 7, 25, 1006, 1049, 2004)]
    return terminal.text(), terminal.cursor, modes


@pytest.mark.parametrize("seed", range(200))
def test_a_repaint_brings_an_empty_viewer_to_the_same_state(seed: int) -> None:
    chance = random.Random(seed)
    screen = GhosttyScreen(20, 6)
    screen.feed("".join(chance.choice(_FRAGMENTS) for _ in range(chance.randint(1, 30))))
    copy = _copy_of(screen)
    assert _state(copy) == _state(screen)
    for both in (screen, copy):
        both.feed("\x1b\\\x1b[?1049l")
    assert _state(copy)[0] == _state(screen)[0]


def test_a_repaint_holds_what_scrolled_away_and_where_the_screen_begins() -> None:
    screen = GhosttyScreen(20, 6)
    for line in range(40):
        screen.feed(f"line {line}\r\n")
    screen.feed("\x1b[H\x1b[2J$ ")
    copy = _copy_of(screen)
    assert copy.text() == screen.text() == "$"
    assert copy.text(500) == screen.text(500)
    assert copy.text(500).startswith("line 0\nline 1\n")


def test_a_repaint_in_the_middle_of_a_sequence_lets_the_rest_follow() -> None:
    screen = GhosttyScreen(20, 6)
    screen.feed("a\x1b[3")
    copy = _copy_of(screen)
    for both in (screen, copy):
        both.feed("1mred")
    assert copy.text() == screen.text() == "ared"
    assert copy._terminal.style(1, 0)["fg"] == ("palette", 1)


def test_the_screen_behind_a_full_screen_program_is_painted_too() -> None:
    screen = GhosttyScreen(20, 6)
    screen.feed("$ less file\r\n\x1b[?1049h\x1b[Hpage one")
    copy = _copy_of(screen)
    assert copy.text() == "page one"
    copy.feed("\x1b[?1049l")
    assert copy.text() == "$ less file"
    assert screen.text() == "page one"


def test_soft_wrapped_rows_are_one_line_of_text() -> None:
    screen = GhosttyScreen(20, 6)
    screen.feed("x" * 50 + "\r\nnext   \r\n\r\n")
    assert screen.text() == "x" * 50 + "\nnext"
    assert _copy_of(screen).text() == screen.text()


def test_the_last_lines_reach_into_what_scrolled_away() -> None:
    screen = GhosttyScreen(20, 6)
    for line in range(100):
        screen.feed(f"{line}\r\n")
    assert screen.text(10) == "\n".join(str(line) for line in range(90, 100))
    assert len(screen.text(500).split("\n")) == 100


def test_a_long_history_is_cut_to_what_a_viewer_is_sent() -> None:
    screen = GhosttyScreen(80, 24, repaint_chars=20_000)
    for line in range(3000):
        screen.feed(f"line {line} {'.' * 60}\r\n")
    painted = screen.repaint()
    assert len(painted) < 25_000
    copy = GhosttyScreen(80, 24)
    copy.feed(painted)
    assert copy.text() == screen.text()


def test_queries_are_answered_and_answers_that_viewers_would_not_give_are_left_out() -> None:
    screen = GhosttyScreen(20, 6)
    assert screen.feed("\x1b[c") == "\x1b[?62;22c"
    assert screen.feed("ab\x1b[6n") == "\x1b[1;3R"
    assert screen.feed("\x1b[5n") == "\x1b[0n"
    assert screen.feed("\x1b[?u\x1b[>q") == ""
    dark = screen.feed("\x1b]11;?\x07")
    screen.set_scheme("light")
    light = screen.feed("\x1b]11;?\x07")
    assert dark.startswith("\x1b]11;rgb:14")
    assert light.startswith("\x1b]11;rgb:ff")


def test_without_the_emulator_the_plain_screen_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cardloom.host.ghostty_screen")
    monkeypatch.setitem(sys.modules, "pyghostty", None)
    assert isinstance(open_screen(80, 24), PlainScreen)


def test_the_plain_screen_keeps_the_newest_output_and_shows_its_text() -> None:
    screen = PlainScreen(3, max_chars=1000)
    for line in range(500):
        screen.feed(f"\x1b[31mline {line}\x1b[0m\r\n")
    screen.feed("10%\r100%\r\n\x1b[?2004h")
    assert screen.text() == "line 498\nline 499\n100%"
    assert screen.bracketed_paste
    assert screen.repaint().startswith(RESET)
    assert len(screen.repaint()) < 1100
    screen.feed("\x1b[?2004l")
    assert not screen.bracketed_paste


def test_a_mode_that_comes_in_pieces_is_known_without_the_emulator() -> None:
    screen = PlainScreen(5)
    for letter in "$ \x1b[?2004h":
        screen.feed(letter)
    assert screen.bracketed_paste
    for piece in ("x\x1b[?20", "04l", "y"):
        screen.feed(piece)
    assert not screen.bracketed_paste
