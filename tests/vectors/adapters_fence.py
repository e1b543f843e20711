"""Runs the attacks on the file fence; see fence/README.md for what a case says, adapters.py for what an adapter is.

Every case is run twice, with the kernel's fence and with the checked walk, and both must come to the same.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Adapter = Callable[[Any], Any]
Answer = dict[str, Any]

SECRET = "SECRET"
PATIENCE_S = 60.0
_NEEDS: Mapping[str, Callable[[], bool]] = {
    "root": lambda: os.geteuid() == 0,
    "linux": lambda: sys.platform == "linux",
    "exact names": lambda: sys.platform == "linux",
}


class NotHere(Exception):
    """The case needs something that this machine or person does not have."""


def fence(case: Any) -> Any:
    """What a case comes to, told once when both ways agree."""
    from cardloom.host.fence import Fence
    from cardloom.host.openat2 import kernel

    missing = [need for need in case.get("needs", ()) if not _NEEDS[need]()]
    if missing:
        raise NotHere(f"it needs {', '.join(missing)}")
    walked = _run(case, lambda folder: Fence(folder))
    if kernel() is None:
        return walked
    by_kernel = _run(case, lambda folder: Fence.of(folder))
    return by_kernel if by_kernel == walked else {"kernel": by_kernel, "walk": walked}


def _run(case: Mapping[str, Any], make_fence: Callable[[str], Any]) -> Any:
    with _sandbox() as base:
        _set_up(base, case["setup"])
        before = _picture(base / "outside")
        files = _files(base, make_fence)
        if "meanwhile" in case:
            result: dict[str, Any] = {"answers": _race(base, files, case)}
        else:
            result = {"answers": [_answer(base, files, call) for call in case["calls"]]}
        result["outside"] = "unchanged" if _picture(base / "outside") == before else "changed"
        if "look" in case:
            result["look"] = {path: _content(base / path) for path in case["look"]}
        return result


@contextmanager
def _sandbox() -> Iterator[Path]:
    # Folders in memory are made and removed much faster than on a disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="fence-", dir=memory)))
    try:
        (base / "workspace").mkdir()
        (base / "outside" / "folder").mkdir(parents=True)
        (base / "trash").mkdir()
        (base / "outside" / "secret.txt").write_text(SECRET)
        (base / "outside" / "folder" / "inner.txt").write_text(SECRET)
        yield base
    finally:
        shutil.rmtree(base)


def _files(base: Path, make_fence: Callable[[str], Any]) -> Any:
    from cardloom.features.files.workspace_files import WorkspaceFiles
    from cardloom.host.trash import Trash

    def send(path: str) -> None:
        shutil.move(path, base / "trash")

    folder = str(base / "workspace")
    return WorkspaceFiles(folder, make_fence(folder), Trash(base / "private", send))


# The steps of a setup


def _set_up(base: Path, steps: Sequence[Sequence[Any]]) -> None:
    for kind, name, *more in steps:
        path = base / _filled(base, name)
        match kind:
            case "folder":
                path.mkdir(parents=True)
            case "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(more[0])
            case "link":
                path.symlink_to(_filled(base, more[0]))
            case "hardlink":
                os.link(base / more[0], path)
            case "fifo":
                os.mkfifo(path)
            case "socket":
                with socket.socket(socket.AF_UNIX) as unix:
                    _bind(unix, path)
            case "device":
                os.mknod(path, 0o666 | {"c": stat.S_IFCHR, "b": stat.S_IFBLK}[more[0]], os.makedev(more[1], more[2]))
            case "mode":
                path.chmod(int(more[0], 8))
            case _:
                raise ValueError(kind)


def _bind(unix: socket.socket, path: Path) -> None:
    """Bind a socket whose path may be longer than such paths may be."""
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        unix.bind(f"/proc/self/fd/{handle}/{path.name}" if sys.platform == "linux" else str(path))
    finally:
        os.close(handle)


def _filled(base: Path, text: str) -> str:
    return text.replace("{workspace}", str(base / "workspace")).replace("{outside}", str(base / "outside"))


# Calls and answers


def _answer(base: Path, files: Any, call: Mapping[str, Any]) -> Answer:
    """The answer of one call; `blocked` when there is none in time."""
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(_call(base, files, call)), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    return answers[0] if answers else {"blocked": True}


def _call(base: Path, files: Any, call: Mapping[str, Any]) -> Answer:
    from cardloom_protocol.errors import CallError, ErrorCode

    params = {**call["params"], "path": _filled(base, call["params"]["path"])}
    try:
        result = files.do(call["method"].removeprefix("fs."), params)
    except CallError as error:
        if str(base) in error.message.replace(params["path"], ""):
            return {"tells": error.message}
        reason = error.data.get("reason") if isinstance(error.data, dict) else None
        return {"denied" if error.code is ErrorCode.FS_DENIED else "failed": reason}
    except Exception as error:  # noqa: BLE001 - a crash is an answer, and a wrong one
        return {"crashed": repr(error)}
    if SECRET in str(result):
        return {"escaped": result}
    if isinstance(result, dict):
        result.pop("mtimeMs", None)
    return {"gives": result}


def _race(base: Path, files: Any, case: Mapping[str, Any]) -> Any:
    """Make the calls again and again while another thread swaps an entry; gives the answers that may not be."""
    swap, over = case["meanwhile"], threading.Event()
    place = base / swap["path"]
    stage = base / "stage"
    stage.mkdir()
    for number, steps in enumerate(swap["states"]):
        _set_up(stage, [[kind, f"{number}{name}", *more] for kind, name, *more in steps])
    first, second = stage / "0", stage / "1"
    first.rename(place)
    second.rename(place.with_suffix(".other"))

    def swapping() -> None:
        handle = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
        while not over.is_set():
            _swap(handle, place.name, f"{place.name}.other")
        os.close(handle)

    thread = threading.Thread(target=swapping)
    thread.start()
    seen: list[Answer] = []
    try:
        for _ in range(swap["times"]):
            for call in case["calls"]:
                answer = _answer(base, files, call)
                if answer not in seen:
                    seen.append(answer)
    finally:
        over.set()
        thread.join()
    return [answer for answer in seen if answer not in swap["may"]]


def _swap(folder: int, one: str, other: str) -> None:
    from cardloom.host.renaming import exchange

    if not exchange(folder, one, other):
        for name, new_name in ((one, "between"), (other, one), ("between", other)):
            os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=folder)


# What is on disk


def _picture(folder: Path) -> dict[str, Any]:
    """Everything below a folder: kinds, modes, contents, targets, times of change."""
    found: dict[str, Any] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(info.st_mode) else None
        target = os.readlink(path) if path.is_symlink() else None
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_ino, info.st_mtime_ns, content, target)
    return found


def _content(path: Path) -> Any:
    """A file's text, a link's target, the names in a folder; None for nothing."""
    if path.is_symlink():
        return {"link": os.readlink(path).replace(str(path.parents[-1]), "/")}
    if path.is_dir():
        return sorted(entry.name for entry in path.iterdir())
    return path.read_text() if path.is_file() else ("special" if path.exists() else None)


ADAPTERS: dict[str, Adapter] = dict.fromkeys(
    ("traversal", "names", "links", "hard_links", "special_files", "protected", "folding", "races", "writing"), fence
)
