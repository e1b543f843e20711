"""Makes every generated file of the repository from the tables of `cardloom_protocol`, and from that of harnesses.

`python tools/generate.py` writes what is not current; with `--check` it writes nothing, names each file that is not
current and exits with 1. The same tables give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from cardloom_protocol.themes import theme_css
from generating.golden import golden_frames
from generating.harness_page import harness_page
from generating.hosting import hosting_cases
from generating.reference import reference_pages
from generating.run_states import run_states
from generating.typescript import generated_typescript
from generating.wire_table import wire_table

ROOT = Path(__file__).resolve().parent.parent


def outputs() -> Mapping[str, str]:
    """Every generated file: its path below the root, and its text."""
    return {
        "wire/protocol.json": wire_table(),
        "web/protocol/src/generated.ts": generated_typescript(),
        "web/app/src/generated/theme.css": theme_css(),
        "wire/hosting.json": hosting_cases(),
        "wire/run-states.json": run_states(),
        **golden_frames(),
        **reference_pages(),
        "docs/reference/harnesses.md": harness_page(),
    }


def stale(root: Path) -> dict[str, str]:
    """The files below `root` whose text differs from what the tables give."""
    return {name: text for name, text in outputs().items() if _text_of(root / name) != text}


def _text_of(path: Path) -> str | None:
    return path.read_bytes().decode() if path.is_file() else None


def main(arguments: list[str]) -> int:
    """Writes or checks; the exit code."""
    parser = argparse.ArgumentParser(description="Makes the generated files from the tables.")
    parser.add_argument("--check", action="store_true", help="write nothing; name what is not current")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder to write below or check (the repository)")
    given = parser.parse_args(arguments)
    checking: bool = given.check
    root: Path = given.root
    changed = stale(root)
    for name, text in changed.items():
        print(f"not current: {name}" if checking else f"wrote {name}")
        if not checking:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    return 1 if checking and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
