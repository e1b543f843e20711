"""Fetches one commit of a repository through the git command and nothing else of it: no checkout, hooks or prompts.

git runs with a configuration of ours alone, so that neither the user's nor a repository's settings start programs.
What comes out is an archive as hosting services serve it. A commit named by its number counts only when a branch or a
tag of that very repository has it: services hand out commits of forks as well. Spec: cards, install.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

from .processes import Command, Program

_AT: Final = "refs/cardloom/at"
_REF: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+@#=-]{0,199}")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}|[0-9a-f]{64}")
_STOP_MS: Final = 2000
_ULIMIT_BYTES: Final = 512
_MAX_OUTPUT_BYTES: Final = 1 << 20

# What of the user's environment git gets: how to find programs, the network and the ssh agent.
_KEPT: Final = frozenset(
    (
        "PATH",
        "SSH_AUTH_SOCK",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "USERPROFILE",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "GIT_SSL_CAINFO",
    )
)
_SETTINGS: Final = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.version": "2",
    "advice.detachedHead": "false",
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """A commit as an archive that is not packed. `part` of it alone is inside when one was asked for."""

    commit: str
    archive: Path


class Git:
    """The git command with its own configuration. `max_file_bytes` bounds each file that it writes."""

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        timeout_ms: int = limit("gitFetchMs"),
        max_file_bytes: int = limit("gitFetchBytes"),
    ) -> None:
        self._environment = environment
        self._timeout_ms = timeout_ms
        self._max_file_bytes = max_file_bytes

    async def fetch(self, url: str, ref: str | None, part: str, work: Path) -> Fetched:
        """Fetch a commit into files below `work`, an empty folder.

        `ref` is a branch, a tag or a commit; None means what the repository shows first. INVALID_PARAMS: it is no
        ref; NOT_FOUND: the repository, the ref or the folder is not there; TIMEOUT; NETWORK_ERROR; UNAVAILABLE: there
        is no git.
        """
        if ref is not None and not is_ref(ref):
            raise CallError(ErrorCode.INVALID_PARAMS, f"{ref!r} is no branch, tag or commit", [])
        if shutil.which("git", path=self._environment.get("PATH")) is None:
            raise CallError(ErrorCode.UNAVAILABLE, "the git command is not installed here")
        try:
            async with asyncio.timeout(self._timeout_ms / 1000):
                return await _Fetch(self, url, work).run(ref, part)
        except TimeoutError:
            raise CallError(ErrorCode.TIMEOUT, f"fetching {url} took more than {self._timeout_ms // 1000} s") from None

    async def run(self, arguments: Sequence[str], work: Path) -> tuple[int, str, str]:
        """Run git; gives its exit code and what it printed."""
        out, err = bytearray(), bytearray()

        def heard(data: bytes, errors: bool) -> None:
            into = err if errors else out
            into.extend(data[: max(0, _MAX_OUTPUT_BYTES - len(into))])

        settings = [text for name, value in _SETTINGS.items() for text in ("-c", f"{name}={value}")]
        argv = ["git", "--no-pager", "--literal-pathspecs", *settings, *arguments]
        if sys.platform != "win32":
            blocks = str(self._max_file_bytes // _ULIMIT_BYTES)
            argv = ["/bin/sh", "-c", 'ulimit -f "$0"; exec "$@"', blocks, *argv]
        program = await Program.start(Command(argv, work, self._clean(work)), heard)
        try:
            code = await program.wait()
        except asyncio.CancelledError:
            await asyncio.shield(program.stop(_STOP_MS))
            raise
        return code, out.decode(errors="replace"), err.decode(errors="replace")

    def _clean(self, work: Path) -> dict[str, str]:
        kept = {name: value for name, value in self._environment.items() if name.upper() in _KEPT}
        return kept | {
            "HOME": str(work),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "https:http:ssh:file",
            "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=20",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_OPTIONAL_LOCKS": "0",
        }


class _Fetch:
    """One fetch: what the repository has, the commit alone, its files."""

    def __init__(self, git: Git, url: str, work: Path) -> None:
        self._git = git
        self._url = url
        self._work = work

    async def run(self, ref: str | None, part: str) -> Fetched:
        await self._init("repository")
        wanted = await self._wanted(ref)
        where = "repository"
        await self._do(where, "fetch", "--quiet", "--depth=1", "--no-tags", "--", self._url, f"+{wanted}:{_AT}")
        commit = (await self._do(where, "rev-parse", "--verify", "--quiet", f"{_AT}^{{commit}}")).strip()
        archive = self._work / "package.tar"
        arguments = ["archive", "--format=tar", f"--output={archive}", "--prefix=package/", commit]
        code, _, said = await self._git.run(
            self._in(where, [*arguments, "--", part] if part else arguments), self._work
        )
        if code != 0 and "did not match any files" in said:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no folder {part!r} in {self._url}")
        if code != 0:
            raise self._failed(said)
        return Fetched(commit, archive)

    async def _wanted(self, ref: str | None) -> str:
        """What to fetch for a ref: a branch or tag by its full name, or a commit that one of them has."""
        if ref is None:
            return "HEAD"
        tag, branch = f"refs/tags/{ref}", f"refs/heads/{ref}"
        names = [ref] if ref.startswith(("refs/tags/", "refs/heads/")) else [tag, branch]
        listed = await self._do("repository", "ls-remote", "--quiet", "--", self._url, *names)
        found = {line.partition("\t")[2] for line in listed.splitlines()}
        for name in names:
            if name in found:
                return name
        if _COMMIT.fullmatch(ref) is None:
            raise CallError(ErrorCode.NOT_FOUND, f"{self._url} has no branch or tag {ref!r}")
        return await self._own_commit(ref)

    async def _own_commit(self, ref: str) -> str:
        """The full number of a commit that a branch or tag of the repository has. Fetches its history without files."""
        where = "history"
        await self._init(where)
        refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
        await self._do(where, "fetch", "--quiet", "--no-tags", "--filter=tree:0", "--", self._url, *refs)
        query = ("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        code, commit, _ = await self._git.run(self._in(where, query), self._work)
        if code == 0:
            holders = await self._do(where, "for-each-ref", "--count=1", f"--contains={commit.strip()}")
            if holders.strip():
                return commit.strip()
        raise CallError(ErrorCode.NOT_FOUND, f"no branch or tag of {self._url} has the commit {ref!r}")

    async def _init(self, where: str) -> None:
        await self._do(where, "init", "--quiet", "--bare", "--template=", "--", str(self._work / where))

    async def _do(self, where: str, *arguments: str) -> str:
        code, out, said = await self._git.run(self._in(where, arguments), self._work)
        if code != 0:
            raise self._failed(said)
        return out

    def _in(self, where: str, arguments: Sequence[str]) -> list[str]:
        return list(arguments) if arguments[0] == "init" else [f"--git-dir={self._work / where}", *arguments]

    def _failed(self, said: str) -> CallError:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        why = next(
            (line for line in lines if line.startswith(("fatal:", "error:", "ERROR:"))), lines[-1] if lines else ""
        )
        missing = ("not found", "does not appear to be a git repository", "does not exist", "couldn't find remote ref")
        code = ErrorCode.NOT_FOUND if any(part in said for part in missing) else ErrorCode.NETWORK_ERROR
        return CallError(code, f"{self._url} could not be fetched: {why or 'git failed without a word'}")


def is_ref(text: str) -> bool:
    """Whether a text may name a branch, a tag or a commit; nothing that git could take for something else."""
    return _REF.fullmatch(text) is not None and ".." not in text and "@{" not in text and "//" not in text
