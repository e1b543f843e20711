"""Commits fetched by the git command, from repositories that mean no good."""

from __future__ import annotations

import asyncio
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardloom.host.archive import unpack
from cardloom.host.git import Git, is_ref
from cardloom_protocol.errors import CallError, ErrorCode

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the attacks are shell scripts")


class Repository:
    """A repository of a test, with one commit on `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Ann")
        self.git("config", "user.email", "ann@example.org")
        self.first = self.commit({"card.js": "one", "cards/x/a.js": "inside", "cards/y/b.js": "beside"})

    @property
    def url(self) -> str:
        return f"file://{self.folder}"

    def git(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", "change")
        return self.git("rev-parse", "HEAD")


class Fetching:
    """Fetches into a folder of its own each time."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.home = place / "home"
        self.home.mkdir()
        self.times = 0

    async def __call__(
        self, url: str, ref: str | None = None, part: str = "", git: Git | None = None
    ) -> tuple[str, dict[str, str]]:
        """The commit and its files."""
        self.times += 1
        work, into = self.place / f"work{self.times}", self.place / f"into{self.times}"
        work.mkdir()
        into.mkdir()
        git = git or Git({"PATH": os.environ["PATH"], "HOME": str(self.home)})
        fetched = await git.fetch(url, ref, part, work)
        unpack(fetched.archive, into, part)
        files = {path.relative_to(into).as_posix(): path.read_text() for path in into.rglob("*") if path.is_file()}
        return fetched.commit, files

    async def refused(self, url: str, ref: str | None = None, part: str = "", git: Git | None = None) -> CallError:
        with pytest.raises(CallError) as refusal:
            await self(url, ref, part, git)
        return refusal.value


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def fetching(tmp_path: Path) -> Fetching:
    return Fetching(tmp_path)


async def test_the_newest_commit_comes_where_none_is_named(fetching: Fetching, repository: Repository) -> None:
    second = repository.commit({"card.js": "two"})
    commit, files = await fetching(repository.url)
    assert (commit, files["card.js"]) == (second, "two")


async def test_a_branch_a_tag_and_a_commit_can_be_named(fetching: Fetching, repository: Repository) -> None:
    repository.git("tag", "v1.0.0")
    repository.git("tag", "--annotate", "v1.0.1", "--message", "one")
    repository.git("branch", "old/one")
    second = repository.commit({"card.js": "two"})
    first = repository.first
    for ref in ("v1.0.0", "v1.0.1", "old/one", "refs/heads/old/one", "refs/tags/v1.0.0", first, first[:8]):
        commit, files = await fetching(repository.url, ref)
        assert (commit, files["card.js"]) == (first, "one"), ref
    assert (await fetching(repository.url, "main"))[0] == second


async def test_a_folder_alone_can_be_asked_for(fetching: Fetching, repository: Repository) -> None:
    assert await fetching(repository.url, None, "cards/x") == (repository.first, {"a.js": "inside"})
    error = await fetching.refused(repository.url, None, "cards/z")
    assert (error.code, "'cards/z'" in error.message) == (ErrorCode.NOT_FOUND, True)
    error = await fetching.refused(repository.url, None, "cards/[xy]")
    assert error.code is ErrorCode.NOT_FOUND


async def test_files_are_as_hosting_services_serve_them(fetching: Fetching, repository: Repository) -> None:
    attributes = "secret.txt export-ignore\nversion.txt export-subst\n*.txt text eol=crlf\n"
    commit = repository.commit({".gitattributes": attributes, "secret.txt": "x", "version.txt": "$Format:%H$\n"})
    _, files = await fetching(repository.url)
    assert "secret.txt" not in files
    assert files["version.txt"].split() == [commit]


async def test_what_is_not_there_is_named(fetching: Fetching, repository: Repository, tmp_path: Path) -> None:
    for url, ref in ((repository.url, "v9"), (f"file://{tmp_path}/nowhere", None), (f"file://{tmp_path}", None)):
        error = await fetching.refused(url, ref)
        assert error.code is ErrorCode.NOT_FOUND
        assert url in error.message


async def test_a_commit_that_no_branch_has_is_refused(fetching: Fetching, repository: Repository) -> None:
    stray = repository.commit({"card.js": "evil"})
    repository.git("update-ref", "refs/pull/1/head", stray)
    repository.git("reset", "--quiet", "--hard", repository.first)
    for ref in (stray, stray[:10], "refs/pull/1/head", "pull/1/head"):
        error = await fetching.refused(repository.url, ref)
        assert error.code in (ErrorCode.NOT_FOUND, ErrorCode.INVALID_PARAMS), ref


@pytest.mark.parametrize(
    "ref",
    [
        "--upload-pack=touch",
        "-x",
        "a b",
        "a:b",
        "+main",
        "a..b",
        "main^",
        "main~1",
        "@{-1}",
        "",
        "x" * 300,
        "a\nb",
        "a*",
    ],
)
async def test_what_is_no_ref_never_reaches_git(fetching: Fetching, repository: Repository, ref: str) -> None:
    assert not is_ref(ref)
    assert (await fetching.refused(repository.url, ref)).code is ErrorCode.INVALID_PARAMS


async def test_no_program_that_a_repository_names_is_started(
    fetching: Fetching, repository: Repository, tmp_path: Path
) -> None:
    marker, script = tmp_path / "ran", tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    repository.commit({".gitattributes": "* filter=evil diff=evil\n", ".gitmodules": "[submodule]\n"})
    for name in ("filter.evil.smudge", "filter.evil.clean", "core.fsmonitor", "core.sshCommand", "core.pager"):
        repository.git("config", name, str(script))
    repository.git("config", "uploadpack.packObjectsHook", str(script))
    for hook in ("post-checkout", "post-merge", "reference-transaction", "pre-receive", "post-update"):
        (repository.folder / ".git" / "hooks" / hook).write_text(script.read_text())
        (repository.folder / ".git" / "hooks" / hook).chmod(0o755)
    await fetching(repository.url)
    assert not marker.exists()


async def test_no_setting_of_the_user_starts_a_program_or_leads_elsewhere(
    fetching: Fetching, repository: Repository, tmp_path: Path
) -> None:
    marker, script = tmp_path / "ran", tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "reference-transaction").write_text(script.read_text())
    (template / "reference-transaction").chmod(0o755)
    settings = f"""[core]
        hooksPath = {template}
        sshCommand = {script}
        fsmonitor = {script}
    [init]
        templateDir = {template.parent}
    [url "file://{tmp_path}/nowhere"]
        insteadOf = {repository.url}
    [credential]
        helper = !{script}
    """
    (fetching.home / ".gitconfig").write_text(settings)
    variables = {
        "GIT_CONFIG_GLOBAL": str(fetching.home / ".gitconfig"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(template),
        "GIT_TEMPLATE_DIR": str(template.parent),
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_DIR": str(repository.folder / ".git"),
        "GIT_ASKPASS": str(script),
        "SSH_ASKPASS": str(script),
        "GIT_PROXY_COMMAND": str(script),
        "GIT_TRACE": str(tmp_path / "trace"),
    }
    git = Git({"PATH": os.environ["PATH"], "HOME": str(fetching.home), **variables})
    commit, _ = await fetching(repository.url, git=git)
    assert commit == repository.first
    assert not marker.exists()
    assert not (tmp_path / "trace").exists()


async def test_links_in_a_repository_are_left_out(fetching: Fetching, repository: Repository) -> None:
    (repository.folder / "passwd").symlink_to("/etc/passwd")
    (repository.folder / "way").symlink_to("/etc")
    repository.commit({})
    _, files = await fetching(repository.url)
    assert set(files) == {"card.js", "cards/x/a.js", "cards/y/b.js"}


@pytest.mark.parametrize("url", ["ext::sh -c touch% ran", "fd::17", "ftp://127.0.0.1/x", "/etc"])
async def test_other_ways_to_a_repository_are_closed(fetching: Fetching, url: str) -> None:
    await fetching.refused(url)
    assert not list(fetching.place.rglob("ran"))


class _Asking(http.server.BaseHTTPRequestHandler):
    """A server that wants a name and a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def asking() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Asking)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/repository.git"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_server_that_asks_for_a_password_is_refused_and_nobody_is_asked(
    fetching: Fetching, asking: str
) -> None:
    error = await fetching.refused(asking)
    assert error.code is ErrorCode.NETWORK_ERROR
    assert "could not be fetched" in error.message


async def test_a_fetch_that_takes_too_long_is_ended_with_its_processes(fetching: Fetching, tmp_path: Path) -> None:
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 1000\n")
    (slow / "git").chmod(0o755)
    pid = tmp_path / "pid"
    for timeout_ms in (400, 1600, 6400, 25_600):  # a busy machine may be slow to start it at all
        git = Git({"PATH": f"{slow}:{os.environ['PATH']}"}, timeout_ms=timeout_ms)
        error = await fetching.refused("https://example.org/x", git=git)
        assert error.code is ErrorCode.TIMEOUT
        if pid.exists() and pid.read_text():
            break
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


async def test_a_repository_too_large_is_refused(fetching: Fetching, repository: Repository) -> None:
    noise = "".join(f"{index:x}" for index in range(400_000))
    repository.commit({"large.txt": noise})
    git = Git({"PATH": os.environ["PATH"]}, max_file_bytes=100_000)
    await fetching.refused(repository.url, git=git)


async def test_without_git_it_says_so(fetching: Fetching, tmp_path: Path) -> None:
    error = await fetching.refused("https://example.org/x", git=Git({"PATH": str(tmp_path)}))
    assert (error.code, "not installed" in error.message) == (ErrorCode.UNAVAILABLE, True)


async def test_a_fetch_can_be_called_off(fetching: Fetching, repository: Repository) -> None:
    task = asyncio.create_task(fetching(repository.url))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
