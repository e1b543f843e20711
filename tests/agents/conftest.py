"""Agents' real programs against the scripted model. `make test-agents` installs them and opens a network of its own.

CARDLOOM_TEST_AGENTS names the harnesses to run, with commas between, or says "all"; without it those that run in CI do.
A program that is not installed skips its tests with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ensure_clis import PROGRAMS, Program, missing_reason

from ..model_server.serving import ModelServer, serving_models
from .home import Home, make_home


def wanted_programs() -> list[Program]:
    named = os.environ.get("CARDLOOM_TEST_AGENTS") or ",".join(program.id for program in PROGRAMS if program.in_ci)
    return [program for program in PROGRAMS if named == "all" or program.id in named.split(",")]


RECORD = os.environ.get("CARDLOOM_RECORD")
OF_OPENCODE = ("test_acp_card", "test_acp_backend_of_opencode", "test_opencode_backend")
"""Modules that each start OpenCode, which keeps a core busy for seconds: they run one after another."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep one program's days, and one module's tests, in one process; others run beside it (`--dist loadgroup`)."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            of_program = (program.id for program in PROGRAMS if item.name.endswith(f"[{program.id}]"))
            module = "of OpenCode" if item.path.stem in OF_OPENCODE else item.path.stem
            records = RECORD is not None and item.path.stem == "test_harnesses"  # all of them in the same home
            item.add_marker(pytest.mark.xdist_group(module if records else next(of_program, module)))


@pytest.fixture(scope="module", params=wanted_programs(), ids=lambda program: program.id)
def program(request: pytest.FixtureRequest) -> Program:
    """The program under test; skips when it is not installed."""
    program: Program = request.param
    if reason := missing_reason(program):
        pytest.skip(reason)
    return program


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    with serving_models() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, program: Program, models: ModelServer) -> Home:
    """A new home, set up for the program and the scripted model."""
    return make_home(tmp_path / "home", program, models.url)
