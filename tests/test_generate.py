"""The generator: what it writes it finds current, and it names what somebody changed by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GENERATE = Path(__file__).resolve().parents[1] / "tools" / "generate.py"


def generate(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GENERATE), "--root", str(root), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_generated_files_are_current_until_one_is_changed_by_hand(tmp_path: Path) -> None:
    assert generate(tmp_path, "--check").returncode == 1
    assert generate(tmp_path).returncode == 0
    clean = generate(tmp_path, "--check")
    assert (clean.returncode, clean.stdout) == (0, "")

    changed = tmp_path / "docs" / "reference" / "limits.md"
    changed.write_text(changed.read_text(encoding="utf-8") + "by hand\n", encoding="utf-8")
    (tmp_path / "wire" / "protocol.json").unlink()
    refused = generate(tmp_path, "--check")
    assert refused.returncode == 1
    assert refused.stdout.splitlines() == ["not current: wire/protocol.json", "not current: docs/reference/limits.md"]


def test_every_generated_file_says_so_at_its_top(tmp_path: Path) -> None:
    generate(tmp_path)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    for path in written:
        top = path.read_text(encoding="utf-8").splitlines()[:2]
        assert any("Generated" in line for line in top), path
