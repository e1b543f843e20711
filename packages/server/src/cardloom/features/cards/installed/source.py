"""Where a package comes from: what the owner typed, understood; and the id that its place gives it.

Pure. Spec: cards, install; decision 13.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosts import is_local_host
from cardloom_protocol.ids import PackageId
from cardloom_protocol.paths import normalize_package_path

from ....host.git import is_ref

SourceKind: TypeAlias = Literal["path", "git", "archive"]
"""`path` is on this computer: a folder, a repository or an archive; `archive` is one to download."""

_GITHUB: Final = re.compile(
    r"(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/(?P<repo>[A-Za-z0-9_.-]{1,100})"
    r"(?:/(?P<folder>[^@]+))?(?:@(?P<ref>[^\s]+))?"
)
_SCP: Final = re.compile(r"(?:[A-Za-z0-9_.-]+@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>[A-Za-z0-9_~.][^\s:]*)")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_ARCHIVES: Final = (".tar.gz", ".tgz")
_GITHUB_HOSTS: Final = ("github.com", "www.github.com", "ssh.github.com")


@dataclass(frozen=True, slots=True)
class Source:
    """One place. `location` is a path, a git URL or the address of an archive; `folder` a part of what is there."""

    kind: SourceKind
    location: str
    ref: str | None = None
    folder: str = ""
    dev: bool = False

    @property
    def text(self) -> str:
        """The place as a person reads it."""
        github = github_place(self.location) if self.kind == "git" else None
        place = self.location if github is None else f"github.com/{github}"
        return f"{place}{f' ({self.folder})' if self.folder else ''}{f' @ {self.ref}' if self.ref else ''}"

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "location": self.location,
            "ref": self.ref,
            "folder": self.folder,
            "dev": self.dev,
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Source:
        return cls(wire["kind"], wire["location"], wire["ref"], wire["folder"], wire["dev"])


def parse_source(text: str, *, ref: str | None = None, folder: str = "", dev: bool = False) -> Source:
    """Understand what the owner typed: a path, a URL, or `owner/repo[/folder][@ref]` on GitHub.

    INVALID_PARAMS says what is wrong. A relative path has to be made absolute before: the server's folder is not the
    owner's.
    """
    source = _place(text.strip(), dev=dev)
    if ref is not None:
        source = _with_ref(source, ref)
    if folder:
        source = _with_folder(source, folder)
    if source.ref is not None and not is_ref(source.ref):
        raise _unfit(f"{source.ref!r} is no branch, tag or commit", "/ref")
    if source.dev and (source.kind != "path" or source.ref is not None):
        raise _unfit("only a folder on this computer can be linked; a branch, tag or commit of it cannot", "/dev")
    return source


def package_id_of(source: Source, name: str) -> PackageId:
    """The id of a package: by its place, so that what comes from elsewhere is another package.

    `name` is what its manifest says, for places that give no better one.
    """
    if source.dev:
        return PackageId(f"dev:{_short_hash(_whole(source))}")
    github = github_place(source.location) if source.kind == "git" else None
    if github is not None:
        return PackageId(f"github:{github}{f'/{source.folder}' if source.folder else ''}")
    is_archive = source.location.lower().endswith(_ARCHIVES)
    last = PurePath(source.folder or source.location.rstrip("/").removesuffix(".git")).name
    shown = name if is_archive and not source.folder else re.sub(r"[^A-Za-z0-9._-]", "-", last) or name
    return PackageId(f"file:{shown}-{_short_hash(_whole(source))}")


def github_place(url: str) -> str | None:
    """`owner/repo`, in lower case as the service takes names, of a repository's URL on GitHub; None for others."""
    host, path = _host_and_path(url)
    if host not in _GITHUB_HOSTS:
        return None
    names = path.strip("/").removesuffix(".git").split("/")
    return "/".join(names).lower() if len(names) == 2 and all(names) else None


def is_archive_name(text: str) -> bool:
    """Whether a path or an address names an archive."""
    return text.lower().endswith(_ARCHIVES)


def _place(text: str, *, dev: bool) -> Source:
    if not text or any(ord(char) < 32 for char in text):
        raise _unfit("a source is a folder, an archive, a repository's URL, or owner/repo on GitHub", "/source")
    if text.startswith(("/", "~")) or _DRIVE.match(text):
        return Source("path", text, dev=dev)
    if "://" in text:
        return _url(text, dev=dev)
    if text.startswith((".", "-")):
        raise _unfit(f"{text!r} is no whole path; it has to begin at the top", "/source")
    github = _GITHUB.fullmatch(text)
    if github is not None:
        url = f"https://github.com/{github['owner']}/{github['repo'].removesuffix('.git')}"
        place = Source("git", url, dev=dev)
        place = _with_folder(place, github["folder"]) if github["folder"] else place
        return _with_ref(place, github["ref"]) if github["ref"] else place
    if _SCP.fullmatch(text) is not None:
        return Source("git", text, dev=dev)
    raise _unfit(f"{text!r} is no whole path, no URL, and no owner/repo on GitHub", "/source")


def _url(text: str, *, dev: bool) -> Source:
    try:
        parts = urlsplit(text)
        host, login = parts.hostname or "", parts.username is not None
    except ValueError as error:
        raise _unfit(f"{text!r} is no URL", "/source") from error
    if parts.scheme == "file" and not parts.netloc:
        return Source("path", parts.path, dev=dev)
    plain = parts.scheme == "http" and is_local_host(host)
    if parts.scheme not in ("https", "ssh") and not plain:
        raise _unfit(f"{parts.scheme}: is no way to a package; https, ssh and file are", "/source")
    if parts.password is not None or (login and parts.scheme != "ssh"):
        raise _unfit("a URL must not hold a name or a password", "/source")
    if not host or host.startswith("-") or any(char.isspace() for char in text):
        raise _unfit("this URL names no host", "/source")
    if parts.scheme != "ssh" and is_archive_name(parts.path):
        return Source("archive", text, dev=dev)
    if parts.query or parts.fragment:
        raise _unfit("a repository's URL has no ? and no #", "/source")
    return Source("git", text.rstrip("/"), dev=dev)


def _with_ref(source: Source, ref: str) -> Source:
    if source.kind == "archive" or is_archive_name(source.location):
        raise _unfit("an archive has no branches and tags", "/ref")
    return Source(source.kind, source.location, ref, source.folder, source.dev)


def _with_folder(source: Source, folder: str) -> Source:
    normal = normalize_package_path(folder)
    if normal is None:
        raise _unfit(f"{folder!r} is no path of a folder inside the source", "/folder")
    return Source(source.kind, source.location, source.ref, normal, source.dev)


def _host_and_path(url: str) -> tuple[str, str]:
    if "://" in url:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), parts.path
    scp = _SCP.fullmatch(url)
    return (scp["host"].lower(), scp["path"]) if scp else ("", "")


def _whole(source: Source) -> str:
    return f"{source.location}\n{source.folder}" if source.folder else source.location


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _unfit(message: str, path: str) -> CallError:
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": path, "keyword": "source", "message": message}])
