"""Each of the session protocol's 81 conformance scenarios is held by a check of the contract or by a named test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cardloom_sdk.testing.backend_contract import rows

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("packages/protocol/tests/session", "packages/sdk/tests", "packages/server/tests/sessions", "tests/vectors")
SCENARIOS = range(1, 82)

_VECTORS = "test_every_recorded_case_of_a_file_is_reproduced"
BY_NAMED_TESTS = {
    1: "test_the_text_of_a_message_is_its_text_parts_joined",
    2: "test_a_message_without_text_has_the_empty_text",
    3: "test_unknown_parts_and_texts_of_other_kinds_do_not_enter_the_text",
    4: "test_a_call_and_its_result_are_one_pair",
    5: "test_a_result_is_paired_wherever_it_stands",
    6: "test_a_call_without_result_and_a_result_without_call_are_pairs_too",
    7: "test_a_call_without_result_and_a_result_without_call_are_pairs_too",
    8: "test_repeated_ids_are_paired_first_with_first",
    9: "test_no_guard_raises_or_takes_what_is_no_known_part",
    10: "test_an_unknown_type_is_an_event_but_no_known_one",
    11: "test_an_event_is_written_as_one_event_line_and_one_data_line",
    12: "test_text_of_any_kind_stays_on_one_line_and_comes_back",
    13: "test_a_type_that_would_break_the_frame_is_refused",
    14: "test_lines_end_with_any_line_end",
    15: "test_a_frame_in_any_lawful_form_is_read",
    16: "test_a_frame_in_any_lawful_form_is_read",
    17: "test_a_frame_in_any_lawful_form_is_read",
    18: "test_a_broken_frame_is_no_event",
    19: "test_an_unknown_type_is_passed_on",
    20: "test_broken_frames_are_dropped_and_the_order_is_kept",
    21: "test_the_last_frame_counts_without_its_blank_line_in_a_whole_text_only",
    22: "test_a_stream_fed_byte_by_byte_gives_the_same_events",
    23: "test_unicode_line_separators_are_no_line_ends",
    24: "test_a_workspace_event_comes_back_and_a_run_event_is_none",
    25: "test_a_workspace_event_comes_back_and_a_run_event_is_none",
    26: "test_a_workspace_event_needs_a_list_of_texts",
    27: "test_a_path_is_written_one_way",
    28: "test_a_path_that_leads_out_is_refused",
    29: "test_nothing_in_a_path_is_decoded_or_trimmed",
    30: "test_text_is_given_as_text_with_its_byte_order_mark",
    31: "test_what_is_no_text_is_given_as_base64",
    32: "test_every_content_comes_back_byte_for_byte",
    33: "test_content_that_cannot_be_read_is_refused",
    34: "test_a_file_of_the_limit_passes_and_a_larger_one_names_its_size",
    35: "test_some_paths_are_always_ignored",
    36: _VECTORS,
    37: "test_the_trash_is_a_folder_of_the_root",
    **dict.fromkeys(range(38, 47), _VECTORS),
    48: "test_every_line_that_an_edit_does_not_touch_keeps_its_bytes",
    72: "test_silence_is_broken_by_signs_of_life",
    73: "test_a_client_that_does_not_read_costs_nobody_and_ends_with_the_same",
    79: "test_links_never_lead_out",
    81: "test_leaving_tells_the_handler_at_once_and_frees_who_waits",
}


FILES_OF_CASES = {
    36: ("gitignore",),
    38: ("content_hash",),
    39: ("safe_ids",),
    40: ("asset_names",),
    41: ("paginate",),
    42: ("tree",),
    43: ("store_contract",),
    44: ("pi_roundtrip",),
    45: ("claude_load",),
    46: ("nr_chat_format", "nr_chat_load", "nr_chat_ops"),
}
"""Where the recorded cases of a scenario are."""


def names_of_tests() -> frozenset[str]:
    """The test functions in the folders where scenarios are held."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("test_*.py")]
    pattern = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
    return frozenset(name for path in files for name in pattern.findall(path.read_text("utf-8")))


@pytest.mark.parametrize("number", SCENARIOS)
def test_a_scenario_is_held_by_a_check_or_a_test(number: int) -> None:
    checked = any(number in row.scenarios for row in rows())
    assert checked or number in BY_NAMED_TESTS


def test_the_named_tests_exist() -> None:
    assert set(BY_NAMED_TESTS.values()) - names_of_tests() == set()


@pytest.mark.parametrize("number", [number for number, name in BY_NAMED_TESTS.items() if name == _VECTORS])
def test_the_recorded_cases_of_a_scenario_are_there(number: int) -> None:
    for name in FILES_OF_CASES[number]:
        assert json.loads((ROOT / "tests" / "vectors" / "ui" / f"{name}.json").read_text("utf-8"))["cases"]
