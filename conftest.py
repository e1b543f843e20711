"""What holds for every suite.

Properties are tried with the same examples in each run, however slow the machine is. By itself Hypothesis fails a test
of which one example takes a fifth of a second. For other examples than those of each run:
`pytest --hypothesis-profile=default`.

Why a test that was tried again failed at first is printed like any other failure.
"""

from contextlib import suppress

import pytest

with suppress(ModuleNotFoundError):  # the protocol's tests also run where nothing but pytest is
    from hypothesis import settings

    settings.load_profile("ci")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.section(f"failed at first: {report.nodeid}", yellow=True)
        terminalreporter.write_line(report.longreprtext)
