"""Every built method is called and every event heard in a behaviour test, so none is promised that nobody tried."""

from __future__ import annotations

import re
from pathlib import Path

from cardloom_protocol.events_canvas import CANVAS_EVENTS
from cardloom_protocol.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("packages/server/tests", "packages/sdk/tests", "tests/e2e")
CALL = re.compile(r"""\b(?!event\b)\w+\(\s*["']([a-z][a-zA-Z0-9]*\.[a-z][a-zA-Z0-9]*)["']""")
"""A call whose first argument is a method's name; waiting for an event, which may bear the same name, is none."""


def called_in_behaviour_tests() -> frozenset[str]:
    """The methods that the tests which go through the server or the SDK call by name."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return frozenset(name for path in files for name in CALL.findall(path.read_text(encoding="utf-8")))


def test_every_built_method_is_called_in_a_behaviour_test() -> None:
    called = called_in_behaviour_tests()
    rows = [row for rows in METHODS.values() for row in rows.values() if row.built]
    assert [f"{row.ns} {row.name}" for row in rows if row.name not in called] == []


HEARD = re.compile(r"""(?:\bevent\(|\bon\(|==)\s*["']([a-z]+\.[a-zA-Z]+)["']""")
"""Waiting for an event by its name, listening for it, or looking for it among those that came."""


def test_every_event_of_the_canvas_is_heard_in_a_behaviour_test() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    heard = {name for path in files for name in HEARD.findall(path.read_text(encoding="utf-8"))}
    assert [name for name in CANVAS_EVENTS if name not in heard] == []
