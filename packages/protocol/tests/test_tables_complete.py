"""The tables are whole: every row says all there is to say, and what is generated from them is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardloom_protocol.callers import CALLERS, CallerKind
from cardloom_protocol.limits import LIMITS, OWN_LIMITS
from cardloom_protocol.method_row import EventRow, MethodRow
from cardloom_protocol.methods import EVENTS, METHODS, OWNER_CARD_METHODS
from cardloom_protocol.permissions import PERMISSIONS
from cardloom_protocol.ports import PORT_TYPES, conversions
from cardloom_protocol.rooms import OWNERS
from cardloom_protocol.schema import check_definition

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "docs" / "reference"
PAGES = {"nscard": "methods-card.md", "cardloom": "methods-canvas.md"}
METHOD_ROWS = [row for rows in METHODS.values() for row in rows.values()]
EVENT_ROWS = [row for rows in EVENTS.values() for row in rows.values()]


def _name(row: object) -> str:
    return f"{row.ns}:{row.name}" if isinstance(row, MethodRow | EventRow) else str(row)


@pytest.mark.parametrize("row", METHOD_ROWS, ids=_name)
def test_a_method_row_says_who_owns_it_and_what_it_does_and_gives(row: MethodRow) -> None:
    assert row.owner in OWNERS
    assert row.doc.endswith(".")
    assert row.result


@pytest.mark.parametrize("row", METHOD_ROWS, ids=_name)
def test_the_params_of_a_method_are_a_schema_of_the_subset_for_an_object(row: MethodRow) -> None:
    assert check_definition(dict(row.params_schema), allow_pattern=True) == []
    declared = row.params_schema["type"]
    assert "object" in ([declared] if isinstance(declared, str) else declared)


@pytest.mark.parametrize("row", METHOD_ROWS, ids=_name)
def test_the_gates_of_a_method_name_things_that_exist(row: MethodRow) -> None:
    assert set(row.permissions_any_of) <= set(PERMISSIONS)
    assert row.needs_arrow is None or row.needs_arrow in row.params_schema["required"]
    assert row.per_minute is None or row.per_minute > 0
    assert row.min_interval_ms is None or row.min_interval_ms > 0


@pytest.mark.parametrize("row", [row for row in METHOD_ROWS if row.built], ids=_name)
def test_a_built_method_stands_on_its_reference_page(row: MethodRow) -> None:
    assert f"### `{row.name}`\n" in (REFERENCE / PAGES[row.ns]).read_text(encoding="utf-8")


@pytest.mark.parametrize("row", EVENT_ROWS, ids=_name)
def test_an_event_row_says_what_it_tells_and_to_whom(row: EventRow) -> None:
    assert row.doc.endswith(".")
    assert row.data
    assert row.permission is None or row.permission in PERMISSIONS
    assert f"| `{row.name}` |" in (REFERENCE / "events.md").read_text(encoding="utf-8")


def test_the_methods_an_owner_may_borrow_from_cards_exist() -> None:
    assert set(METHODS["nscard"]) >= OWNER_CARD_METHODS
    assert not set(METHODS["cardloom"]) & OWNER_CARD_METHODS


def test_every_kind_of_caller_has_a_row_with_a_credential_and_a_route() -> None:
    assert set(CALLERS) == set(CallerKind)
    for row in CALLERS.values():
        assert row.credential
        assert row.doc
        assert row.routes


def test_every_limit_has_a_unit_and_a_reason_and_one_meaning() -> None:
    for row in (*LIMITS.values(), *OWN_LIMITS.values()):
        assert row.value > 0
        assert row.unit
        assert row.reason
    assert not set(LIMITS) & set(OWN_LIMITS)


def test_conversions_join_well_known_types_alone() -> None:
    for target, sources in conversions().items():
        assert {target, *sources} <= set(PORT_TYPES)
    for schema in PORT_TYPES.values():
        assert check_definition(dict(schema)) == []
