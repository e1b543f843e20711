"""Reading pytest's report, from runs of the demo project as a terminal shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_report import covers, named_tests, read_report

SSO = "tests/test_auth.py::test_logs_in_with_sso"
SAVED = "tests/test_payments.py::test_pays_with_a_saved_card"
REFUND = "tests/test_payments.py::test_a_refund_keeps_the_fee"

SUMMARY = f"""\
=========================== short test summary info ============================
FAILED {SSO} - assert None == 'Northwind'
FAILED {SAVED} - shop.payments.De...
FAILED {REFUND} - assert 4905 == 5000
"""
QUIET = f"""\
$ ./run-tests
..F....F..F....                                                          [100%]
=================================== FAILURES ===================================
____________________________ test_logs_in_with_sso _____________________________
tests/test_auth.py:23: in test_logs_in_with_sso
    assert accounts.sso_company("ada@Northwind.Example") == "Northwind"
E   assert None == 'Northwind'
{SUMMARY}3 failed, 12 passed in 0.61s
"""
PLAIN = f"""\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 15 items

tests/test_auth.py ..F                                                   [ 20%]
tests/test_cart.py ....                                                  [ 46%]
tests/test_payments.py F..F                                              [ 73%]
tests/test_pricing.py ....                                               [100%]

{SUMMARY}========================= 3 failed, 12 passed in 62.77s (0:01:02) =========================
"""
VERBOSE = f"""\
tests/test_auth.py::test_a_wrong_password_and_an_unknown_address_look_alike PASSED           [ 13%]
{SSO} FAILED                                             [ 20%]
{SAVED} PASSED                                  [ 53%]
tests/test_pricing.py::test_rounds[1 - 2] PASSED                                           [ 80%]

=========================== short test summary info ============================
FAILED {SSO} - assert None == 'Northwind'
========================= 1 failed, 3 passed in 0.57s =========================
"""


@pytest.mark.parametrize("text", [QUIET, PLAIN, QUIET.replace("\n", "\r\n")])
def test_failing_tests_are_named_with_their_reasons(text: str) -> None:
    report = read_report(text)
    assert report is not None
    assert dict(report.failing) == {
        SSO: "assert None == 'Northwind'",
        SAVED: "shop.payments.De...",
        REFUND: "assert 4905 == 5000",
    }
    assert (report.failed, report.passed, report.cut_short) == (3, 12, False)


def test_a_verbose_run_names_what_passed() -> None:
    report = read_report(VERBOSE)
    assert report is not None
    assert SAVED in report.passed_by_name
    assert "tests/test_pricing.py::test_rounds[1 - 2]" in report.passed_by_name
    assert SSO not in report.passed_by_name


@pytest.mark.parametrize(
    ("line", "name", "reason"),
    [
        ("FAILED tests/t.py::test_a", "tests/t.py::test_a", ""),
        ("FAILED tests/t.py::test_a - assert [1] == [2]", "tests/t.py::test_a", "assert [1] == [2]"),
        ("FAILED tests/t.py::test_a[x - y] - assert 0", "tests/t.py::test_a[x - y]", "assert 0"),
        ("FAILED tests/t.py::test_a[x - y]", "tests/t.py::test_a[x - y]", ""),
        ("FAILED tests/t.py::TestA::test_b[a[0]] - a - b", "tests/t.py::TestA::test_b[a[0]]", "a - b"),
        (
            "ERROR tests/t.py - ModuleNotFoundError: No module named 'x'",
            "tests/t.py",
            "ModuleNotFoundError: No module named 'x'",
        ),
        ("ERROR tests/t.py::test_a - RuntimeError: setup", "tests/t.py::test_a", "RuntimeError: setup"),
    ],
)
def test_names_may_hold_what_parts_them_from_the_reason(line: str, name: str, reason: str) -> None:
    report = read_report(f"= short test summary info =\n{line}\n1 failed in 0.10s\n")
    assert report is not None
    assert dict(report.failing) == {name: reason}


@pytest.mark.parametrize(
    ("line", "failed", "passed"),
    [
        ("5 passed in 0.03s", 0, 5),
        ("1 error in 0.05s", 1, 0),
        ("2 failed, 1 passed, 3 errors in 1.00s", 5, 1),
        ("==== 1 passed, 1 skipped, 2 warnings in 0.12s ====", 0, 1),
        ("no tests ran in 0.01s", 0, 0),
        ("1 passed, 11 deselected in 0.5s", 0, 1),
        ("3 passed in 100000.00s (1 day, 3:46:40)", 0, 3),
    ],
)
def test_totals_are_read_in_every_form(line: str, failed: int, passed: int) -> None:
    report = read_report(line + "\n")
    assert report is not None
    assert (report.failed, report.passed) == (failed, passed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$ ls\nREADME.md\n",
        "3 failed, 12 passed\n",
        "FAILED tests/t.py::test_a\n",
        "built 3 modules in 2s",
        "took 5 in 0.1s?",
    ],
)
def test_what_is_no_report_gives_none(text: str) -> None:
    assert read_report(text) is None


def test_lines_that_only_look_like_failures_do_not_count_outside_the_summary() -> None:
    report = read_report("FAILED tests/t.py::test_a - printed by a program\n1 passed in 0.01s\n")
    assert report is not None
    assert dict(report.failing) == {}


def test_of_two_reports_the_last_counts() -> None:
    report = read_report(QUIET + "$ ./run-tests\n15 passed in 0.60s\n")
    assert report is not None
    assert (dict(report.failing), report.passed) == ({}, 15)


@pytest.mark.parametrize(
    "mark", ["stopping after 1 failures", "KeyboardInterrupt", "Interrupted: 1 error during collection"]
)
def test_a_run_that_was_cut_short_says_so(mark: str) -> None:
    report = read_report(f"!!!!!!!!! {mark} !!!!!!!!!\n1 failed, 2 passed in 0.57s\n")
    assert report is not None
    assert report.cut_short


def covered(text: str, command: str, test_id: str, known: int = 3) -> bool:
    report = read_report(text)
    assert report is not None
    return covers(report, command, test_id, known)


def test_a_whole_run_covers_everything() -> None:
    assert covered("15 passed in 0.60s\n", "./run-tests", SSO)
    assert covered(PLAIN, "pytest", SSO)


def test_a_run_of_some_files_covers_those() -> None:
    text = "tests/test_auth.py ...   [100%]\n\n==== 3 passed in 0.1s ====\n"
    assert covered(text, "pytest tests/test_auth.py", SSO)
    assert not covered(text, "pytest tests/test_auth.py", SAVED)


def test_a_quiet_run_of_some_files_covers_what_its_command_names() -> None:
    for command in ("pytest -q ./tests/test_auth.py", f"python3 -m pytest {SSO}", "./run-tests tests/test_auth.py -x"):
        assert covered("3 passed in 0.1s\n", command, SSO)
        assert not covered("3 passed in 0.1s\n", command, SAVED)


def test_a_run_that_left_tests_out_covers_only_what_it_names() -> None:
    assert not covered("4 passed, 11 deselected in 0.58s\n", "pytest -k cart", SSO)
    assert not covered("!!! stopping after 1 failures !!!\n1 failed, 2 passed in 0.5s\n", "pytest -x", SAVED)
    assert not covered("no tests ran in 0.60s\n", "pytest nope.py", SSO)
    assert covered(VERBOSE, "pytest -v -k x", SAVED)
    assert not covered(VERBOSE, "pytest -v -k x", REFUND)


def test_a_rerun_of_the_failures_covers_them_when_it_is_about_all_that_are_known() -> None:
    text = "run-last-failure: rerun previous 3 failures (skipped 2 files)\n\n==== 2 passed, 1 failed in 0.1s ====\n"
    assert covered(text, "pytest --lf", SAVED, known=3)
    assert not covered(text, "pytest --lf", SAVED, known=4)


def test_a_command_names_files_folders_and_tests() -> None:
    assert named_tests("python3 -m pytest ./tests/test_a.py tests/unit/ -k 'a or b' x.py::T::t") == [
        "tests/test_a.py",
        "tests/unit",
        "x.py::T::t",
    ]
    assert named_tests("./run-tests") == []
    assert named_tests("pytest 'unfinished") == []


@given(st.text(max_size=400))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    read_report(text)
    named_tests(text)
