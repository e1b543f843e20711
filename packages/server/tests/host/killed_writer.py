"""Writes one file again and again in a child that is killed at a random moment; exits with 1 at the first half file.

`python killed_writer.py FOLDER TRIALS`. Everything is imported once, and each trial is a fork.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from cardloom.host.fence import Fence
from cardloom.host.replacing import TEMPORARY, replace_file

LETTERS = b"abcdefghij"
SIZE = 200_000


def write_for_ever(folder: str) -> None:
    """Write files of one letter each, whole or not at all."""
    fence = Fence.of(folder)
    for number in range(1_000_000):
        with fence.enter() as inside, inside.place("file") as place:
            expected = None if place.found is None or number % 2 else place.found.st_mtime_ns / 1e6
            replace_file(place, LETTERS[number % 10 : number % 10 + 1] * SIZE, if_mtime_ms=expected)


def main(folder: str, trials: int) -> int:
    """Kill a writer so many times and look at what it leaves."""
    file = Path(folder, "file")
    file.write_bytes(b"a" * SIZE)
    seen = set()
    for _ in range(trials):
        child = os.fork()
        if child == 0:
            write_for_ever(folder)
        time.sleep(random.uniform(0.0005, 0.006))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        content = file.read_bytes()
        if len(content) != SIZE or len(set(content)) != 1:
            print(f"half a file: {len(content)} bytes of {len(set(content))} letters")
            return 1
        seen.add(content[:1])
        for left in Path(folder).glob(f"{TEMPORARY}*"):
            left.unlink()
    print(f"{trials} writers killed, {len(seen)} contents seen")
    return 0 if len(seen) > 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
