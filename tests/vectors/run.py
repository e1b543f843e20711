"""Replays recorded vectors against the public API: `python tests/vectors/run.py DIR…`.

Every `*.json` file with `cases` needs an adapter of the same name in adapters.py; the recorded exchanges of a file with
`scenarios` are played by the package traces. A line per failing case, then `N passed, M failed` (and `, K skipped` for
cases whose record is known to be a defect, that a headless card has no part in, or whose package is not installed).
Exit 1 on failure.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import io
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.append(str(HERE))  # the players of recorded exchanges are a package beside this file
MAX_SHOWN_CHARS = 400


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"vectors_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CODEC = _module(HERE / "cards" / "vector_codec.py")
_FENCE = _module(HERE / "adapters_fence.py")
ADAPTERS: dict[str, Any] = {
    **_module(HERE / "adapters.py").ADAPTERS,
    **_module(HERE / "adapters_ui.py").ADAPTERS,
    **_module(HERE / "adapters_stores.py").ADAPTERS,
    **_FENCE.ADAPTERS,
}
OPTIONAL_PACKAGE = "cardloom_sdk"
OPTIONAL_PACKAGES = (OPTIONAL_PACKAGE, "cardloom")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case; `got` and `expected` are filled for failures, `got` also says why one was skipped."""

    case_id: str
    verdict: Literal["passed", "failed", "skipped"]
    got: Any = None
    expected: Any = None


def load(path: Path) -> dict[str, Any]:
    """A vector file with the tagged values of its cases decoded, and an id for every case.

    Cases come as `input` and `expect`, or as one record that holds its own results. The adapter of such a
    record gets it whole and gives it back with the results it saw.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        return {}
    for number, case in enumerate(document.get("cases", ())):
        if "input" in case and "expect" in case:
            case.setdefault("id", f"{path.stem}-{number:04d}")
            case["input"], case["expect"] = CODEC.decode(case["input"]), CODEC.decode(case["expect"])
        else:
            record = {key: value for key, value in case.items() if key != "upstream_defect"}
            case["id"] = f"{path.stem}-{number:04d}"  # a record may hold an id of its own
            case["input"], case["expect"] = copy.deepcopy(record), record
    return document


def agrees(got: Any, expected: Any) -> bool:
    """Equality of JSON values: true is not 1, 1.0 is 1, a recorded `code: null` matches any error code,
    `error_name` is not looked at. None stands for undefined; two other non-JSON stand-ins are equal when they are
    the same kind."""
    if isinstance(expected, CODEC.NonJson) and expected.kind == "undefined" and got is None:
        return True
    if isinstance(expected, CODEC.NonJson) or isinstance(got, CODEC.NonJson):
        return type(got) is type(expected) and got.kind == expected.kind
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = expected.keys() - {"error_name"}
        if expected.get("code", "") is None and got.get("code") is not None:
            keys -= {"code"}
            got = {key: value for key, value in got.items() if key != "code"}
        return got.keys() - {"error_name"} == keys and all(agrees(got[key], expected[key]) for key in keys)
    if isinstance(expected, list) and isinstance(got, list | tuple):
        return len(got) == len(expected) and all(map(agrees, got, expected))
    if isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    return bool(got == expected) or (got != got and expected != expected)


def run_file(path: Path) -> Iterator[Outcome]:
    """The outcome of every case of one file; a file without an adapter is one failure of that name."""
    document = load(path)
    yield from _play(path.stem, document.get("scenarios", ()))
    if "cases" not in document:
        return
    adapter = ADAPTERS.get(path.stem)
    if adapter is None:
        yield Outcome(path.stem, "failed", "no adapter", f"{len(document['cases'])} cases")
        return
    for case in document["cases"]:
        if case.get("upstream_defect"):
            yield Outcome(case["id"], "skipped")
            continue
        try:
            got = adapter(case["input"])
        except Exception as error:  # noqa: BLE001 - a crash of the code under test is a failing case
            reason = _why_skipped(error)
            if reason is not None:
                yield Outcome(case["id"], "skipped", reason)
                continue
            got = f"raised {error!r}"
        verdict: Literal["passed", "failed"] = "passed" if agrees(got, case["expect"]) else "failed"
        yield Outcome(case["id"], verdict, got, case["expect"])


def _play(stem: str, scenarios: Sequence[dict[str, Any]]) -> Iterator[Outcome]:
    """The outcome of every recorded exchange."""
    if not scenarios:
        return
    if not _is_installed(OPTIONAL_PACKAGE):
        reason = f"{OPTIONAL_PACKAGE} is not installed"
        yield from (Outcome(f"{stem}/{one['name']}", "skipped", reason) for one in scenarios)
        return
    traces = importlib.import_module("traces")
    for scenario in scenarios:
        case_id = f"{stem}/{scenario['name']}"
        reason = traces.NOT_OURS.get(scenario["name"])
        if reason is not None:
            yield Outcome(case_id, "skipped", reason)
            continue
        try:
            # Cards of these exchanges fail on purpose, and their SDK tells whoever wrote them why.
            with contextlib.redirect_stderr(io.StringIO()):
                traces.play(scenario)
        except Exception as error:  # noqa: BLE001 - a crash of the code under test is a failing case
            yield Outcome(case_id, "failed", f"raised {error!r}", "what was recorded")
        else:
            yield Outcome(case_id, "passed")


def _why_skipped(error: Exception) -> str | None:
    """Why a case could not be tried here; None when it was tried and failed."""
    if isinstance(error, _FENCE.NotHere):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and error.name in OPTIONAL_PACKAGES:
        return f"{error.name} is not installed"
    return None


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + "…"


def main(folders: list[str]) -> int:
    if not folders:
        print("usage: run.py DIR…", file=sys.stderr)
        return 2
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    left_out: dict[tuple[str, str], int] = {}
    for folder in folders:
        if not Path(folder).is_dir():
            print(f"{folder}: not a folder", file=sys.stderr)
            return 2
        for path in sorted(Path(folder).glob("*.json")):
            for outcome in run_file(path):
                counts[outcome.verdict] += 1
                if outcome.verdict == "skipped" and outcome.got is not None:
                    place = (path.name, str(outcome.got))
                    left_out[place] = left_out.get(place, 0) + 1
                if outcome.verdict == "failed":
                    print(f"{outcome.case_id}: got {_shown(outcome.got)}, expected {_shown(outcome.expected)}")
    for (name, reason), count in left_out.items():
        print(f"{name}: {count} cases skipped, {reason}")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
