"""The method table and the handlers say the same."""

from __future__ import annotations

from pathlib import Path

from cardloom.app import App
from cardloom_protocol.methods import METHODS


async def test_every_built_method_has_a_handler_and_no_handler_is_without_a_method(app: App) -> None:
    built = {row.name for table in METHODS.values() for row in table.values() if row.built}
    assert set(app.handlers.by_name) == built


async def test_every_method_is_answered_by_the_feature_that_owns_it(app: App) -> None:
    owners = {row.name: row.owner for table in METHODS.values() for row in table.values() if row.built}
    folder = Path(__file__).parents[2] / "src" / "cardloom" / "features"
    assert all((folder / owner).is_dir() for owner in owners.values())
    for name, handler in app.handlers.by_name.items():
        assert handler.__module__.startswith(f"cardloom.features.{owners[name]}."), name
