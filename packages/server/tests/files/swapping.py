"""Swaps folders, files and links below a workspace as fast as it can, until its standard input ends.

`python swapping.py WORKSPACE OUTSIDE`. It is a process of its own, so that it swaps in the middle of what others do.
"""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

from cardloom.host.renaming import exchange

TURNS = 200


def main(workspace: Path, outside: Path) -> None:
    """Make two things for each door and let them change places."""
    (workspace / "door.other").symlink_to(outside)
    (workspace / "file.other").symlink_to(outside / "secret.txt")
    (workspace / "deep" / "middle.other").symlink_to("../../outside")
    (workspace / "turn.other").symlink_to(outside)
    handles = {name: os.open(workspace / name, os.O_RDONLY | os.O_DIRECTORY) for name in (".", "deep")}
    print("swapping", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(TURNS):
            exchange(handles["."], "door", "door.other")
            exchange(handles["."], "file", "file.other")
            exchange(handles["deep"], "middle", "middle.other")
            exchange(handles["."], "turn", "turn.other")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
