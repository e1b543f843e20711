"""What a pytest run printed at its end: which tests failed, and how many passed. Pure text in, facts out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

# "=== 3 failed, 12 passed, 1 warning in 1.84s ===", with -q without the rules around it.
_TOTALS = re.compile(
    r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in \d+(?:\.\d+)?s(?: \([\d:]+(?: days?, [\d:]+)?\))?(?: =+)?$"
)
_COUNT = re.compile(r"(\d+) ([a-z]+)")
_SUMMARY = re.compile(r"^=+ short test summary info =+$")
# The parameters in brackets may hold " - " themselves, and so may the reason hold brackets.
_LISTED = re.compile(r"^(FAILED|ERROR) ([^\[]+?|[^\[]+?\[.*?\])(?: - (.*))?$")
_VERBOSE = re.compile(r"^(\S+::.*?) (PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED)\b")
_FILE_LINE = re.compile(r"^(\S+\.py) [.FEsxX]+(?: +\[ *\d+%\])?$")
_RERUN = re.compile(r"^run-last-failure: rerun previous (\d+) failures?")
_CUT_SHORT = re.compile(r"^!+ (?:stopping after|Interrupted|KeyboardInterrupt|_pytest\.outcomes\.Exit)|^!+ .* !+$")


@dataclass(frozen=True, slots=True)
class Report:
    """One run. `failing` gives for each failing test its reason, "" where pytest named none; ids are pytest's own.

    `passed_by_name` are those that a verbose run named, `files` those that a run named without naming their tests.
    `rerun` is how many earlier failures a `--lf` run was about. `cut_short` is a run that did not get to its end.
    """

    failing: Mapping[str, str]
    counts: Mapping[str, int]
    passed_by_name: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    rerun: int | None = None
    cut_short: bool = False

    @property
    def passed(self) -> int:
        """How many passed."""
        return self.counts.get("passed", 0)

    @property
    def failed(self) -> int:
        """How many failed or could not run."""
        return self.counts.get("failed", 0) + self.counts.get("error", 0)

    @property
    def deselected(self) -> int:
        """How many were left out by -k, -m or the like."""
        return self.counts.get("deselected", 0)


@dataclass(slots=True)
class _Reading:
    failing: dict[str, str] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    rerun: int | None = None
    cut_short: bool = False
    in_summary: bool = False


def read_report(text: str) -> Report | None:
    """The last whole report in what a terminal printed, None where there is none. Colours must be taken out before."""
    reading = _Reading()
    report: Report | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        stripped = line.rsplit("\r", 1)[-1].strip()
        totals = _TOTALS.match(stripped)
        if totals is not None:
            report = Report(
                dict(reading.failing),
                _counts(totals[1]),
                frozenset(reading.passed - reading.failing.keys()),
                frozenset(reading.files),
                reading.rerun,
                reading.cut_short,
            )
            reading = _Reading()
        else:
            _read_line(reading, stripped)
    return report


def covers(report: Report, command: str, test_id: str, known: int) -> bool:
    """Whether a run was about a test, so that a test it does not list as failing passed.

    Where that cannot be told for sure, the answer is no. `known` is how many failures are known by now.
    """
    if test_id in report.passed_by_name:
        return True
    if report.cut_short or report.passed == 0:
        return False
    if report.rerun is not None:
        return report.rerun == known
    if report.deselected or report.passed_by_name:
        return False
    if report.files:
        return test_id.split("::", 1)[0] in report.files
    named = named_tests(command)
    return not named or any(_within(test_id, name) for name in named)


def named_tests(command: str) -> list[str]:
    """The files, folders and tests that a command names, as far as they look like such."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    named = []
    for word in words[1:]:
        is_path = word.endswith(".py") or ".py::" in word or ("/" in word and not word.startswith(("/", "~", "$")))
        if is_path and not word.startswith("-"):
            named.append(word.removeprefix("./").rstrip("/"))
    return named


def _within(test_id: str, name: str) -> bool:
    return test_id == name or test_id.startswith((f"{name}::", f"{name}/", f"{name}["))


def _read_line(reading: _Reading, line: str) -> None:
    if reading.in_summary:
        listed = _LISTED.match(line)
        if listed is not None:
            reading.failing[listed[2]] = (listed[3] or "").strip()
            return
    if _SUMMARY.match(line):
        reading.in_summary = True
        return
    verbose = _VERBOSE.match(line)
    if verbose is not None:
        if verbose[2] in ("PASSED", "XFAIL", "XPASS"):
            reading.passed.add(verbose[1])
        return
    file_line = _FILE_LINE.match(line)
    if file_line is not None:
        reading.files.add(file_line[1])
        return
    rerun = _RERUN.match(line)
    if rerun is not None:
        reading.rerun = int(rerun[1])
    elif _CUT_SHORT.match(line):
        reading.cut_short = True


def _counts(totals: str) -> dict[str, int]:
    names = {"errors": "error", "warnings": "warning"}
    return {names.get(word, word): int(number) for number, word in _COUNT.findall(totals)}
