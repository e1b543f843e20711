"""Files of a workspace: opening behind the fence, lists, watches, reads and writes; beside Python without a fence."""

from __future__ import annotations

import asyncio
import base64
import os
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from cardloom.app import running
from cardloom.core.bus import Event
from cardloom.core.ids import new_connection_id
from cardloom.features.files.watches import Asker
from cardloom.features.files.workspace_files import WorkspaceFiles
from cardloom.host.fence import Fence, Inside
from cardloom.host.trash import Trash
from cardloom.settings import Settings
from cardloom_protocol.limits import limit

from .report import Goal, Row, Table
from .sampling import Sample, Stopwatch, in_turns, percentile, us_a_call

ROUNDS = 11
ENTRIES = limit("fsListEntries")
BURST = 5000
CHANGES = 40
MIB = 10
PATIENCE_S = 60
OPEN_GOAL = Goal("≤", 10)
LIST_GOAL = Goal("≤", 25)
LATENCY_GOAL = Goal("≤", 140)
BURST_GOAL = Goal("≥", BURST)
RATIO_GOAL = Goal("≥", 0.7, "ratio")
TEXT = f"""
Opening is what every read does: look at the file, then open it, both by a call that the kernel keeps below the folder.
Beside it: `realpath`, a look at the beginning of what it gives, and `open`, which a link swapped in between would
outwit. The list is of {ENTRIES:,} files in one folder; beside it `scandir` and `stat` alone. A watch gathers changes
for {limit("fsWatchGatherMs")} ms, so that is the least its news can take. Reads and writes are of {MIB} MiB, as base64
and as text, for the wire; plain Python does the same coding, and its write also goes to a temporary file, onto the
disk and into place.
"""

Work = Callable[[], object]


def measure() -> Table:
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        base = Path(folder)
        rows = [*_opening(base / "open"), *_listing(base / "list"), *_contents(base / "contents")]
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            rows += runner.run(_watching(base / "watch"))
        return Table("Files behind the fence", TEXT, rows)


def _opening(folder: Path) -> list[Row]:
    path = "a/b/c.txt"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / path).write_text("x")
    root = os.path.realpath(folder)

    def plain() -> None:
        real = os.path.realpath(os.path.join(root, path))
        if not real.startswith(f"{root}/"):
            raise PermissionError(real)
        os.close(os.open(real, os.O_RDONLY | os.O_CLOEXEC))

    peer = us_a_call(plain)
    rows = []
    for what, fence, goal in (
        ("open at depth 3", Fence.of(root), OPEN_GOAL),
        ("the same by the checked walk", Fence(root), None),
    ):
        with fence.enter() as inside:
            pairs = in_turns(us_a_call(partial(_open, inside, path)), peer, ROUNDS, less_is_better=True)
        rows.append(pairs.row(what, "µs", "realpath and open", goal))

    def enter_and_open() -> None:
        with kernel_fence.enter() as inside:
            _open(inside, path)

    kernel_fence = Fence.of(root)
    pairs = in_turns(us_a_call(enter_and_open), peer, ROUNDS, less_is_better=True)
    rows.append(pairs.row("the same, the workspace entered first", "µs", "realpath and open"))
    return rows


def _open(inside: Inside, path: str) -> None:
    os.close(inside.open_file(path)[0])


def _listing(folder: Path) -> list[Row]:
    folder.mkdir()
    for number in range(ENTRIES):
        (folder / f"file-{number:05}.txt").touch()
    files = _files(folder)

    def plain() -> list[dict[str, Any]]:
        with os.scandir(folder) as entries:
            found = [{"path": one.name, "type": "file", "size": one.stat().st_size} for one in entries]
        return sorted(found, key=lambda one: str(one["path"]))

    assert files.list("")["entries"] == plain()
    pairs = in_turns(_ms(lambda: files.list("")), _ms(plain), ROUNDS, less_is_better=True)
    return [pairs.row(f"list {ENTRIES:,} entries with sizes", "ms", "scandir and stat", LIST_GOAL)]


def _contents(folder: Path) -> list[Row]:
    folder.mkdir()
    files, file = _files(folder), folder / "file"
    text = ("All work and no play. " * (MIB << 16))[: MIB << 20]
    coded = base64.b64encode(text.encode()).decode()
    file.write_text(text)

    def plain_write(data: bytes) -> None:
        temporary = folder / "temporary"
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(file)

    tries: tuple[tuple[str, Work, Work], ...] = (
        (
            "read as base64",
            lambda: files.read("file", encoding="base64"),
            lambda: base64.b64encode(file.read_bytes()).decode(),
        ),
        ("read as text", lambda: files.read("file"), file.read_text),
        ("write from text", lambda: files.write("file", text), lambda: plain_write(text.encode())),
        (
            "write from base64",
            lambda: files.write("file", coded, encoding="base64"),
            lambda: plain_write(base64.b64decode(coded)),
        ),
    )
    return [
        in_turns(_mib_a_second(ours), _mib_a_second(plain), ROUNDS).row(what, "MiB/s", "plain Python", RATIO_GOAL)
        for what, ours, plain in tries
    ]


async def _watching(folder: Path) -> list[Row]:
    (folder / "project").mkdir(parents=True)
    async with running(Settings(folder / "data", package_folders=())) as app:
        workspace = await app.canvas.workspaces.at(str(folder / "project"), "Bench")
        told: asyncio.Queue[str] = asyncio.Queue()
        connection_id = new_connection_id()

        def take(event: Event) -> None:
            for change in event.data["changes"]:
                told.put_nowait(change["path"])

        app.bus.attach(connection_id, take)
        await app.files.watch(Asker(connection_id, workspace.id, None), "", recursive=True)
        latencies = await _latencies(folder / "project", told)
        complete = await _burst(folder / "project", told)
    gather_ms = float(limit("fsWatchGatherMs"))
    window = "the window alone"
    middle = statistics.median(latencies)
    return [
        Row("news of a change, median", middle, "ms", window, gather_ms, gather_ms / middle, LATENCY_GOAL),
        Row("news of a change, 95 of 100", percentile(latencies, 95), "ms", window, gather_ms),
        Row(
            f"told of a burst of {BURST:,} new files", complete, "changes", "made", BURST, complete / BURST, BURST_GOAL
        ),
    ]


async def _latencies(folder: Path, told: asyncio.Queue[str]) -> list[float]:
    found = []
    for number in range(CHANGES):
        started = asyncio.get_running_loop().time()
        (folder / f"one-{number}").touch()
        await asyncio.wait_for(told.get(), PATIENCE_S)
        found.append((asyncio.get_running_loop().time() - started) * 1000)
        while not told.empty():
            told.get_nowait()
    return found


async def _burst(folder: Path, told: asyncio.Queue[str]) -> int:
    """How many of the new files were told of."""

    def make() -> None:
        for number in range(BURST):
            (folder / f"many-{number}").touch()

    await asyncio.to_thread(make)
    seen: set[str] = set()
    try:
        async with asyncio.timeout(PATIENCE_S):
            while len(seen) < BURST:
                path = await told.get()
                if path.startswith("many-"):
                    seen.add(path)
    except TimeoutError:
        return len(seen)
    return len(seen)


def _files(folder: Path) -> WorkspaceFiles:
    return WorkspaceFiles(str(folder), Fence.of(str(folder)), Trash(folder.parent / "private"))


def _ms(work: Work) -> Sample:
    def sample() -> float:
        watch = Stopwatch()
        work()
        return watch.seconds() * 1000

    return sample


def _mib_a_second(work: Work) -> Sample:
    def sample() -> float:
        watch = Stopwatch()
        work()
        return MIB / watch.seconds()

    return sample
