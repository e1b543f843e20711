"""The method table and the handlers say the same."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from cardloom.app import App
from cardloom_protocol.methods import METHODS
from cardloom_protocol.rooms import ROOMS, Room


async def test_every_built_method_has_a_handler_and_no_handler_is_without_a_method(app: App) -> None:
    built = {row.name for table in METHODS.values() for row in table.values() if row.built}
    assert set(app.handlers.by_name) == built


async def test_every_method_is_answered_by_the_feature_that_owns_it(app: App) -> None:
    owners = {row.name: row.owner for table in METHODS.values() for row in table.values() if row.built}
    folder = Path(__file__).parents[2] / "src" / "cardloom" / "features"
    assert all((folder / owner).is_dir() for owner in owners.values())
    for name, handler in app.handlers.by_name.items():
        assert handler.__module__.startswith(f"cardloom.features.{owners[name]}."), name


@pytest.mark.parametrize("room", ROOMS.values(), ids=lambda room: room.name)
def test_every_room_is_a_folder_or_a_module_of_its_layer(room: Room) -> None:
    assert find_spec(f"cardloom.{room.layer}.{room.name}") is not None
