"""Terminal output as plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.host.plain_text import PlainText, overwritten

_PIECES = st.sampled_from(
    [
        "text ",
        "é",
        "漢",
        "\x1b[31m",
        "\x1b[0m",
        "\r\n",
        "\r",
        "\x1b]0;title\x07",
        "\x1b]8;;http://a\x1b\\",
        "\x1bPq#0;1\x1b\\",
        "\x1b(B",
        "\x1b=",
        "\x1b[?2004h",
        "\b",
        "\x07",
        "\x1b[5C",
        "\x1b[K",
        "\n",
        "\t",
    ]
)


class _TheLongWay(PlainText):
    """Takes no short way."""

    def _common(self, data: bytes) -> bytes | None:
        return None


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[1;31mFAILED\x1b[0m tests\r\n", "FAILED tests\n"),
        ("\x1b]0;a title\x07shown", "shown"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq\x07sixel\x1b\\after", "after"),
        ("\x1b(B\x1b=\x1b>\x1b7\x1b8text", "text"),
        ("a\x1b[5Cb", "a b"),
        ("bell\x07 and null\x00", "bell and null"),
        ("\x1b]0;broken off\x1b[31mred", "red"),
        ("one\r\r\ntwo", "one\ntwo"),
        ("echoed\r\n\x1b[?2004l\rprinted\r\n", "echoed\nprinted\n"),
        ("10%\r20%", "10%\r20%"),
        ("tab\tstays", "tab\tstays"),
        ("\x9b31m8-bit", "31m8-bit"),
    ],
)
def test_sequences_and_controls_are_taken_out(raw: str, plain: str) -> None:
    assert PlainText().feed(raw) == plain


@given(st.lists(_PIECES, max_size=30), st.integers(1, 7))
def test_it_does_not_matter_where_output_is_cut(pieces: list[str], step: int) -> None:
    raw = "".join(pieces) + "end"
    whole = PlainText().feed(raw)
    cut = PlainText()
    assert "".join(cut.feed(raw[at : at + step]) for at in range(0, len(raw), step)) == whole
    assert "\x1b" not in whole


@given(
    st.lists(_PIECES | st.sampled_from(["\x85", "\u2028", "\x00", "\x1b", "\x1b["]), max_size=30), st.integers(1, 40)
)
def test_the_short_way_and_the_long_one_give_the_same(pieces: list[str], step: int) -> None:
    raw = "".join(pieces) + "end"
    cut = [raw[at : at + step] for at in range(0, len(raw), step)]
    short, long = PlainText(), _TheLongWay()
    assert "".join(map(short.feed, cut)) == "".join(map(long.feed, cut))


def test_a_string_of_any_length_is_dropped_without_being_kept() -> None:
    plain = PlainText()
    shown = plain.feed("before\x1bPq")
    for _ in range(1000):
        shown += plain.feed("x" * 1000)
    assert shown + plain.feed("\x1b") + plain.feed("\\after") == "beforeafter"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("10%\r50%\r100%\n", "100%\n"),
        ("Downloading long name\r\x1b[KDone\n", "Done\n"),
        ("abc\rX\n", "Xbc\n"),
        ("ab\b\bXY\n", "XY\n"),
        ("plain\n", "plain\n"),
        ("\x1b[31mred\x1b[0m\x1b[K\n", "red\n"),
    ],
)
def test_overwriting_gives_the_text_as_it_looks(raw: str, shown: str) -> None:
    assert overwritten(PlainText(overwriting=True).feed(raw)) == shown
