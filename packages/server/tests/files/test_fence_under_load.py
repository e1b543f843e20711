"""Thirty seconds of everything at once while another process swaps folders and files for links that lead out."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.files.model import admits
from cardloom.features.files.workspace_files import WorkspaceFiles
from cardloom.host.fence import Fence
from cardloom.host.openat2 import kernel
from cardloom.host.trash import Trash
from cardloom.host.watch import Change, Wanted
from cardloom.host.watcher import make_watcher
from cardloom_protocol.errors import CallError

SECONDS = 30.0
CAP_S = 300.0  # a busy machine may take longer until every act has met both
LED_OUT = 20
SECRET = "SECRET"
DOORS = ("door", "deep/middle", "turn")

Act = Callable[[WorkspaceFiles, int], Any]


class Place:
    """A workspace with doors that swing, a folder outside, and what was seen and done."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.workspace, self.outside = base / "workspace", base / "outside"
        self.trash = base / "trash"
        self.trash.mkdir()
        for folder in (self.outside, *(self.workspace / door for door in DOORS), self.workspace / "inner"):
            (folder / "sub").mkdir(parents=True)
            for name in ("secret.txt", "sub/secret.txt"):
                (folder / name).write_text(SECRET if folder == self.outside else "inside")
        for number in range(50):
            (self.outside / f"throw{number}").write_text(SECRET)
        (self.workspace / "file").write_text("inside")
        self.results: Counter[str] = Counter()
        self.escaped: list[Any] = []
        self.told: list[Change] = []
        self.watches = 0
        self.over = threading.Event()

    def seen_enough(self) -> bool:
        """Whether each act was done once at least, and the doors did swing: acts met ways out now and then."""
        results = list(self.results.items())
        done = {name.removesuffix(": done") for name, _ in results if name.endswith(": done")}
        return done == set(ACTS) and sum(count for name, count in results if name.endswith("outside")) > LED_OUT

    def files(self, fence: Fence) -> WorkspaceFiles:
        def send(path: str) -> None:
            if SECRET in Path(path).read_text():
                self.escaped.append(f"thrown away: {path}")
            Path(path).unlink()

        return WorkspaceFiles(str(self.workspace), fence, Trash(self.base / "private", send))

    def picture(self) -> dict[str, tuple[int, int, bytes | None]]:
        """The outside as it is: what an escape would change."""
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes() if path.is_file() else None)
            for path in [self.outside, *self.outside.rglob("*")]
        }


@contextlib.contextmanager
def swapping(place: Place) -> Iterator[None]:
    command = [sys.executable, str(Path(__file__).with_name("swapping.py")), str(place.workspace), str(place.outside)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"swapping\n"
        yield
        process.stdin.close()
        assert process.wait() == 0


def throw(files: WorkspaceFiles, number: int) -> None:
    path = f"{DOORS[number % 3]}/throw{number % 50}"
    with contextlib.suppress(CallError):
        files.write(path, "inside")
    files.trash(path)


ACTS: dict[str, Act] = {
    "read": lambda files, number: files.read(f"{DOORS[number % 3]}/secret.txt"),
    "read deep": lambda files, number: files.read(f"{DOORS[number % 3]}/sub/secret.txt", encoding="base64"),
    "read file": lambda files, _: files.read("file"),
    "stat": lambda files, number: files.stat(f"{DOORS[number % 3]}/throw{number % 50}"),
    "list": lambda files, number: files.list("" if number % 4 == 0 else DOORS[number % 3], recursive=True),
    "write": lambda files, number: files.write(f"{DOORS[number % 3]}/written{number % 5}", "inside"),
    "write deep": lambda files, number: files.write(f"{DOORS[number % 3]}/a/b/c", "inside", create_dirs=True),
    "write over": lambda files, number: files.write(f"{DOORS[number % 3]}/secret.txt", "inside"),
    "write file": lambda files, _: files.write("file", "inside"),
    "make": lambda files, number: files.mkdir(f"{DOORS[number % 3]}/made{number}"),
    "throw": throw,
}
SECRETS = (SECRET, "U0VDUkVU")  # the second is the first as base64


def work(place: Place, name: str, act: Act, every: list[WorkspaceFiles]) -> None:
    number = 0
    while not place.over.is_set():
        number += 1
        try:
            result = act(every[number % len(every)], number)
        except CallError as error:
            reason = error.data["reason"] if isinstance(error.data, dict) else error.code
            place.results[f"{name}: {reason}"] += 1
            continue
        place.results[f"{name}: done"] += 1
        if any(secret in str(result) for secret in SECRETS):
            place.escaped.append((name, result))


def watch(place: Place, fence: Fence) -> None:
    watcher = make_watcher()
    while not place.over.is_set():
        for door in ("", *DOORS):
            with contextlib.suppress(Exception):
                wanted = Wanted(fence, door, True, admits(door, recursive=True), place.told.extend)
                watcher.remove(watcher.add(wanted))
                place.watches += 1
    watcher.close()


@pytest.mark.stress
@pytest.mark.skipif(sys.platform != "linux", reason="names are swapped in one step by Linux")
def test_nothing_escapes_while_links_are_swapped_under_load(tmp_path: Path) -> None:
    place = Place(tmp_path)
    fences = [Fence(str(place.workspace))]
    if kernel() is not None:
        fences.append(Fence.of(str(place.workspace)))
    every = [place.files(fence) for fence in fences]
    before = place.picture()
    watching = threading.Thread(target=watch, args=(place, fences[0]))
    with swapping(place):
        threads = [threading.Thread(target=work, args=(place, name, act, every)) for name, act in ACTS.items()]
        for thread in (watching, *threads):
            thread.start()
        begun = time.monotonic()
        while (lasted := time.monotonic() - begun) < SECONDS or (lasted < CAP_S and not place.seen_enough()):
            place.over.wait(0.1)
        place.over.set()
        for thread in threads:
            thread.join()
    watching.join()  # a folder that never stands still is taken in slowly; now all of them do
    assert place.escaped == []
    assert place.picture() == before
    assert place.watches > 0
    assert place.seen_enough(), place.results
