"""Every recorded case, one test a file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
FILES = sorted(HERE.glob("*/*.json"))
MAX_SHOWN = 10


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vectors_run", HERE / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


RUNNER = _runner()
TRACES = importlib.import_module("traces")
WITH_CASES = [path for path in FILES if "cases" in RUNNER.load(path)]


@pytest.mark.parametrize("path", WITH_CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_recorded_case_of_a_file_is_reproduced(path: Path) -> None:
    failures = [outcome for outcome in RUNNER.run_file(path) if outcome.verdict == "failed"]
    shown = "\n".join(f"{one.case_id}: got {one.got!r}, expected {one.expected!r}" for one in failures[:MAX_SHOWN])
    assert not failures, f"{len(failures)} failing\n{shown}"


WITH_SCENARIOS = [path for path in FILES if "scenarios" in RUNNER.load(path)]


@pytest.mark.parametrize("path", WITH_SCENARIOS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_recorded_exchange_goes_as_recorded_with_a_python_card(path: Path) -> None:
    outcomes = list(RUNNER.run_file(path))
    failures = "\n".join(f"{one.case_id}: {one.got}" for one in outcomes if one.verdict == "failed")
    assert not failures, failures
    skipped = {one.case_id.partition("/")[2]: one.got for one in outcomes if one.verdict == "skipped"}
    assert skipped == TRACES.NOT_OURS


def test_every_recorded_exchange_is_played_in_python_or_named_with_the_reason_why_not() -> None:
    names = [scenario["name"] for path in WITH_SCENARIOS for scenario in RUNNER.load(path)["scenarios"]]
    assert len(names) == 43
    assert sorted([*TRACES.SCRIPTS, *TRACES.NOT_OURS]) == sorted(names)
    assert all(reason.startswith(("a program ", "a Python card ")) for reason in TRACES.NOT_OURS.values())


def test_the_runner_says_what_failed_and_exits_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "schema_defs.json").write_text(
        '{"cases": [{"id": "right", "input": {"schema": {}}, "expect": []},'
        ' {"id": "wrong", "input": {"schema": 1}, "expect": []},'
        ' {"id": "known", "input": {"schema": 1}, "expect": [], "upstream_defect": true}]}'
    )
    (tmp_path / "unheard_of.json").write_text('{"cases": [{"input": 1, "expect": 1}]}')
    assert RUNNER.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("wrong: got [{'path': '', 'keyword': 'schema'}], expected []")
    assert lines[1].startswith("unheard_of: got 'no adapter'")
    assert lines[2] == "1 passed, 2 failed, 1 skipped"


def test_a_run_without_failures_says_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = [outcome for path in WITH_SCENARIOS for outcome in RUNNER.run_file(path)]
    assert {outcome.verdict for outcome in outcomes} == {"passed", "skipped"}
    assert capsys.readouterr() == ("", "")


class _WithoutSdk:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "cardloom_sdk":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_cases_that_need_the_sdk_are_skipped_by_name_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cardloom_sdk"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_WithoutSdk(), *sys.meta_path])
    for name in ("store_contract", "safe_ids"):
        (tmp_path / f"{name}.json").write_bytes((HERE / "ui" / f"{name}.json").read_bytes())
    assert RUNNER.main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "store_contract.json: 37 cases skipped, cardloom_sdk is not installed",
        "58 passed, 0 failed, 37 skipped",
    ]


class _WithoutServer:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "cardloom":
            raise ModuleNotFoundError(f"No module named {name!r}", name="cardloom")


def test_attacks_on_files_are_skipped_by_name_where_the_server_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cardloom"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_WithoutServer(), *sys.meta_path])
    (tmp_path / "writing.json").write_bytes((HERE / "fence" / "writing.json").read_bytes())
    assert RUNNER.main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["writing.json: 7 cases skipped, cardloom is not installed", "0 passed, 0 failed, 7 skipped"]


def test_the_attacks_on_files_are_many_and_name_every_operation() -> None:
    cases = [case for path in (HERE / "fence").glob("*.json") for case in RUNNER.load(path)["cases"]]
    assert len(cases) >= 300
    methods = {call["method"] for case in cases for call in case["input"]["calls"]}
    assert methods == {"fs.stat", "fs.list", "fs.read", "fs.write", "fs.mkdir", "fs.trash"}


@pytest.mark.parametrize(
    ("got", "expected", "agree"),
    [
        (1, 1.0, True),
        (True, 1, False),
        ({"code": "NOT_FOUND"}, {"code": None, "error_name": "Error"}, True),
        ({"code": "NOT_FOUND"}, {"code": "BUSY"}, False),
        ({}, {"code": None}, False),
        ([1], [1, 2], False),
        ({"a": None}, {}, False),
    ],
)
def test_answers_are_compared_as_json_values(got: object, expected: object, agree: bool) -> None:
    assert RUNNER.agrees(got, expected) is agree
