"""A home with logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .making_logs import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.store.close()
