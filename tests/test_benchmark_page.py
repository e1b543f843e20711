"""The page of benchmarks is made from the results that were kept, and says plainly what was missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def page_of(results: Path) -> str:
    command = [sys.executable, "-m", "bench", "--page", str(results)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT, check=True).stdout


def row(what: str, value: float, ratio: float | None, goal: dict[str, object] | None) -> dict[str, object]:
    return {
        "what": what,
        "value": value,
        "unit": "ms",
        "beside": "a peer",
        "beside_value": 2.0,
        "ratio": ratio,
        "goal": goal,
    }


def test_the_page_in_the_documentation_is_made_from_the_kept_results() -> None:
    written = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page_of(ROOT / "bench" / "results.json") == written


def test_a_missed_goal_is_said_at_the_top_and_in_its_row(tmp_path: Path) -> None:
    rows = [
        row("quick", 4.0, 0.5, {"sign": "≤", "bound": 5, "of": "value"}),
        row("slow", 8.0, 0.25, {"sign": "≥", "bound": 0.5, "of": "ratio"}),
        row("plain", 1.0, None, None),
    ]
    table = {"title": "Things", "text": "What.", "rows": rows, "at": "2026-01-02", "seconds": 3.0, "load": 1.5}
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"machine": ["a machine"], "tables": {"things": table}}), encoding="utf-8")
    lines = page_of(results).splitlines()
    assert "* Things: slow: a ratio of 0.25, the goal is ratio ≥ 0.5" in lines
    assert "| quick | 4.00 ms | a peer: 2.00 ms | 0.50 | ≤ 5 ms | yes |" in lines
    assert "| slow | 8.00 ms | a peer: 2.00 ms | 0.25 | ratio ≥ 0.5 | **no** |" in lines
    assert "| plain | 1.00 ms | a peer: 2.00 ms |  |  |  |" in lines
