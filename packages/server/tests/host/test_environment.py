"""The environment of programs that Cardloom starts."""

from __future__ import annotations

import pytest

from cardloom.host.environment import AGENT_MARKERS, cleaned, for_terminal


@pytest.mark.parametrize("name", sorted(AGENT_MARKERS))
def test_no_agent_started_here_takes_itself_for_a_child(name: str) -> None:
    assert cleaned({name: "1", name.lower(): "1", "KEPT": "x"}) == {"KEPT": "x"}


def test_the_users_own_agent_settings_stay() -> None:
    own = {"CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "9", "OPENAI_API_KEY": "k"}
    assert cleaned(own) == own


def test_our_own_secrets_do_not_reach_programs() -> None:
    given = {"CARDLOOM_CARD_TOKEN": "t", "CARDLOOM_KEY": "k", "CARDLOOM_NONCE": "n", "CARDLOOM_HOME": "/data"}
    assert cleaned(given) == {"CARDLOOM_HOME": "/data"}


def test_an_empty_path_entry_does_not_mean_here() -> None:
    assert cleaned({"PATH": ":/usr/bin::/bin:"}) == {"PATH": "/usr/bin:/bin"}


def test_a_terminal_is_told_what_it_is() -> None:
    made = for_terminal({"TERM": "dumb", "TMUX": "x", "LINES": "5", "TERM_PROGRAM": "other", "PS1": "(.venv) "})
    assert made["TERM"] == "xterm-256color"
    assert made["COLORTERM"] == "truecolor"
    assert made["TERM_PROGRAM"] == "cardloom"
    assert made["LANG"] == "C.UTF-8"
    assert "TMUX" not in made
    assert "LINES" not in made
    assert "PS1" not in made, "one shell's prompt means nothing to another"


def test_the_users_language_stays() -> None:
    assert "LANG" not in for_terminal({"LC_ALL": "ru_RU.UTF-8"})
