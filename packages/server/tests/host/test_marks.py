"""The marks of shell integration."""

from __future__ import annotations

import pytest

from cardloom.host.marks import Mark, MarkScanner

NONCE = "5ec7e7"


def _scan(text: str, step: int | None = None) -> list[str | Mark]:
    scanner = MarkScanner(NONCE)
    found: list[str | Mark] = []
    for at in range(0, len(text), step or len(text)):
        for piece in scanner.feed(text[at : at + (step or len(text))].encode()):
            if isinstance(piece, Mark):
                found.append(piece)
            elif found and isinstance(found[-1], str):
                found[-1] += piece.decode()
            else:
                found.append(piece.decode())
    return found


@pytest.mark.parametrize("number", ["133", "633"])
@pytest.mark.parametrize("end", ["\x07", "\x1b\\"])
@pytest.mark.parametrize("step", [None, 1, 3])
def test_marks_split_the_output_wherever_it_is_cut(number: str, end: str, step: int | None) -> None:
    text = (
        f"$ ls\r\n\x1b]{number};E;ls -l;{NONCE}{end}\x1b]{number};C;{NONCE}{end}a\x1b[31mb\x1b[0m\r\n"
        f"\x1b]{number};D;2;{NONCE}{end}\x1b]{number};A;{NONCE}{end}$ \x1b]{number};B;{NONCE}{end}"
    )
    assert _scan(text, step) == [
        "$ ls\r\n",
        Mark("command", command="ls -l"),
        Mark("start"),
        "a\x1b[31mb\x1b[0m\r\n",
        Mark("end", exit_code=2),
        Mark("prompt"),
        "$ ",
        Mark("input"),
    ]


@pytest.mark.parametrize("forged", ["D;0", "D;0;guess", "D", f"D;0;{NONCE}x", f"D;0;{NONCE[:-1]}", "D;0;ключ"])
def test_a_mark_without_the_secret_is_only_output(forged: str) -> None:
    text = f"\x1b]633;{forged}\x07"
    assert _scan(text) == [text]


def test_a_commands_text_comes_back_as_it_was_typed() -> None:
    told = _scan(f"\x1b]633;E;echo 'a\\x3b\\\\b'\\x0a\\x1b é;{NONCE}\x07")
    assert told == [Mark("command", command="echo 'a;\\b'\n\x1b é")]


def test_an_end_without_a_number_has_no_exit_code() -> None:
    assert _scan(f"\x1b]133;D;;{NONCE}\x1b\\") == [Mark("end", exit_code=None)]


def test_a_mark_that_follows_a_broken_off_title_is_seen() -> None:
    assert _scan(f"\x1b]0;title\x1b]633;D;3;{NONCE}\x07")[-1] == Mark("end", exit_code=3)


def test_an_endless_command_sequence_is_not_kept() -> None:
    scanner = MarkScanner(NONCE)
    given = b"\x1b]0;" + b"x" * 200_000
    passed = b"".join(
        piece
        for at in range(0, len(given), 1000)
        for piece in scanner.feed(given[at : at + 1000])
        if isinstance(piece, bytes)
    )
    assert len(given) - len(passed) <= 70_000
