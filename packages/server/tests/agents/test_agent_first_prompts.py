"""Whether a launch takes the first prompt with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cardloom.features.agents.harnesses.table import HARNESSES

from .test_agent_launches import SPEC


@pytest.mark.parametrize("harness_id", ["opencode", "kilo-code"])
def test_opencode_is_given_no_first_prompt_for_a_session_that_it_continues(harness_id: str) -> None:
    launch = HARNESSES[harness_id].launch(replace(SPEC, session_id="ses_1"))
    assert not launch.prompt_given
    assert not any("Fix the test." in word for word in launch.argv)
