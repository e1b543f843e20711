"""The word lists of the card contract."""

import pytest

from cardloom_protocol.vocabulary import ICONS, THEME_TOKENS, TONES


@pytest.mark.parametrize("words", [THEME_TOKENS, TONES, ICONS])
def test_a_word_list_holds_each_word_once(words: tuple[str, ...]) -> None:
    assert len(set(words)) == len(words)


def test_the_published_lists_have_their_published_lengths() -> None:
    assert (len(THEME_TOKENS), len(TONES), len(ICONS)) == (39, 5, 57)
