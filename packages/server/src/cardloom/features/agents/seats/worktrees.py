"""Git worktrees for agents: a folder of its own on a branch of its own, and what changed in it.

A worktree outlives its card, and its branch outlives both: what an agent made is never thrown away from here.
Spec: harnesses, worktrees.
"""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode

from ....host.environment import cleaned

GIT_WAIT_S: Final = 30.0
_BRANCH = re.compile(r"(?!-)[A-Za-z0-9._/-]+")
_COUNTS = re.compile(r"(\d+|-)\t(\d+|-)\t")


@dataclass(frozen=True, slots=True)
class Worktree:
    """A folder that holds a branch."""

    branch: str
    path: str

    def to_content(self) -> dict[str, str]:
        return {"branch": self.branch, "path": self.path}


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from the last commit: files, and lines that came and went (binary files count no lines)."""

    branch: str
    files: int
    added: int
    removed: int

    def to_wire(self) -> dict[str, Any]:
        return {"branch": self.branch, "files": self.files, "added": self.added, "removed": self.removed}


async def make(repository: str, branch: str, root: Path) -> Worktree:
    """Make a worktree for a branch, new from HEAD where it does not exist.

    INVALID_PARAMS: no name for a branch, or it is checked out elsewhere; UNAVAILABLE: no git repository.
    """
    if not _BRANCH.fullmatch(branch) or ".." in branch or branch.endswith((".lock", "/", ".")):
        raise CallError(ErrorCode.INVALID_PARAMS, f"{branch!r} cannot be the name of a branch", [])
    if (await _git(repository, "rev-parse", "--verify", "HEAD"))[0] != 0:
        raise CallError(
            ErrorCode.UNAVAILABLE, "a worktree needs a git repository with a commit in the workspace's folder"
        )
    path = root / re.sub(r"[^A-Za-z0-9._-]", "-", branch)
    number = 1
    while path.exists():
        number += 1
        path = path.with_name(f"{path.name.rsplit('~', 1)[0]}~{number}")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = (await _git(repository, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}"))[0] == 0
    if known:
        await _git(repository, "worktree", "prune")  # a folder that somebody deleted still holds its branch
    arguments = (str(path), branch) if known else ("-b", branch, str(path), "HEAD")
    code, output = await _git(repository, "worktree", "add", *arguments)
    if code != 0:
        raise CallError(ErrorCode.INVALID_PARAMS, f"git made no worktree for {branch!r}: {_last_line(output)}", [])
    return Worktree(branch, str(path))


async def restore(repository: str, worktree: Worktree) -> None:
    """Bring a worktree's folder back where it is gone. UNAVAILABLE with git's reason."""
    if await asyncio.to_thread(os.path.isdir, worktree.path):
        return
    await _git(repository, "worktree", "prune")
    code, output = await _git(repository, "worktree", "add", worktree.path, worktree.branch)
    if code != 0:
        raise CallError(
            ErrorCode.UNAVAILABLE, f"the worktree of {worktree.branch!r} is gone and git says: {_last_line(output)}"
        )


async def changes(folder: str) -> Changes | None:
    """What a folder holds that its last commit does not; None outside git. New files count, their lines do not."""
    code, branch = await _git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    if code != 0:
        return None
    _, status = await _git(folder, "status", "--porcelain=v1", "-z", "--untracked-files=all")
    _, counts = await _git(folder, "diff", "--numstat", "HEAD")
    added = removed = 0
    for found in _COUNTS.finditer(counts):
        added += 0 if found[1] == "-" else int(found[1])
        removed += 0 if found[2] == "-" else int(found[2])
    files = sum(1 for entry in status.split("\0") if len(entry) > 3 and entry[2] == " ")
    return Changes(branch.strip(), files, added, removed)


async def _git(folder: str, *arguments: str) -> tuple[int, str]:
    """The exit code and output of one git command. UNAVAILABLE: no git, or no answer in time."""
    environment = {**cleaned(os.environ), "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            "-C",
            folder,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=environment,
        )
    except OSError as error:
        raise CallError(ErrorCode.UNAVAILABLE, "git is not installed") from error
    try:
        async with asyncio.timeout(GIT_WAIT_S):
            output, _ = await process.communicate()
    except TimeoutError as error:
        process.kill()
        raise CallError(ErrorCode.UNAVAILABLE, f"git did not answer in {GIT_WAIT_S:g} s") from error
    return process.returncode or 0, output.decode("utf-8", "replace")


def _last_line(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"
