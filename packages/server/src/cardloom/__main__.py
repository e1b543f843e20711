"""`python -m cardloom up [DIR] [PORT]`: the server without the command line's comforts."""

from __future__ import annotations

import sys
from pathlib import Path

from .serving import main_up


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; gives the exit code."""
    if not arguments or arguments[0] != "up" or len(arguments) > 3:
        print("usage: python -m cardloom up [DIR] [PORT]", file=sys.stderr)
        return 2
    folder = Path(arguments[1]) if len(arguments) > 1 else Path.cwd()
    return main_up(folder, int(arguments[2]) if len(arguments) > 2 else None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
