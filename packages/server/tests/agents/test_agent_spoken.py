"""Program status records and titles in a terminal's output."""

from __future__ import annotations

import base64

import pytest

from cardloom.features.agents.signals import ProgramSaid
from cardloom.features.agents.spoken import MAX_CARRY, ProgramAsks, Spoken, TitleText, scan


def scanned(*pieces: str) -> tuple[str, list[Spoken]]:
    carry = ""
    said: list[Spoken] = []
    for piece in pieces:
        carry, more = scan(carry, piece)
        said += more
    return carry, said


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


RECORD = f"\x1b]7501;state=blocked:kind=permission:app=x:id=a1:title={coded('t')}:msg={coded('run ls')}\x1b\\"


def test_a_record_is_read_with_all_its_fields() -> None:
    assert scanned(f"text{RECORD}more") == ("", [ProgramSaid("blocked", "permission", "a1", "t", "run ls")])


@pytest.mark.parametrize("cut", range(1, len(RECORD)))
def test_a_record_cut_anywhere_is_read_once(cut: int) -> None:
    carry, said = scanned("before" + RECORD[:cut], RECORD[cut:] + "after")
    assert (carry, len(said)) == ("", 1)


def test_titles_and_questions_are_told_apart_from_records() -> None:
    _, said = scanned("\x1b]0;✳ Claude Code\x07\x1b]2; padded  \x1b\\\x1b]7501;?\x1b\\\x1b]7501;state=done\x07")
    assert said == [TitleText("✳ Claude Code"), TitleText("padded"), ProgramAsks(), ProgramSaid("done")]


@pytest.mark.parametrize(
    "text", ["\x1b]7501;state=flying\x07", "\x1b]7501;kind=permission\x07", "\x1b]8;;http://x\x07", "\x1b[2J\x1b(B", ""]
)
def test_anything_else_says_nothing(text: str) -> None:
    assert scanned(text) == ("", [])


def test_text_that_is_not_coded_as_promised_is_left_out() -> None:
    assert scanned("\x1b]7501;state=error:msg=%%%\x07\x1b]7501;state=error:msg=/w==\x07")[1] == [
        ProgramSaid("error"),
        ProgramSaid("error"),
    ]


def test_a_sequence_that_never_ends_is_not_kept_for_ever() -> None:
    carry, said = scanned("\x1b]0;" + "x" * MAX_CARRY, "y" * MAX_CARRY, "\x07\x1b]0;next\x07")
    assert (carry, said) == ("", [TitleText("next")])
