"""What a line that is typed at a chat's question answers."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom.cli.chat import settled_by

OPTIONS = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]


@pytest.mark.parametrize(
    ("line", "settled"),
    [
        ("1\n", {"optionIds": ["yes"]}),
        (" 2 ", {"optionIds": ["no"]}),
        ("3", {"cancelled": True}),
        ("0", {"cancelled": True}),
        ("²", {"cancelled": True}),
        ("yes", {"cancelled": True}),
        ("", {"cancelled": True}),
    ],
)
def test_a_number_chooses_an_option_and_anything_else_gives_the_question_up(line: str, settled: dict[str, Any]) -> None:
    assert settled_by(line, OPTIONS) == settled


def test_where_nothing_can_be_chosen_the_line_is_the_answer() -> None:
    assert settled_by("blue\n", []) == {"text": "blue"}
    assert settled_by("7", []) == {"text": "7"}
    assert settled_by(" \n", []) == {"cancelled": True}
