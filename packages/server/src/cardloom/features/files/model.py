"""The rules of workspace files: which paths are usable, which may be written, how contents travel, how refusals read.

A refusal names the path as it was given, and never one of the machine. Spec: files; cards, fs; decisions 17, 21, 47.
"""

from __future__ import annotations

import codecs
import errno
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue, js_trim, utf16_length
from cardloom_protocol.limits import limit
from cardloom_protocol.paths import MAX_WORKSPACE_PATH_CHARS, normalize_workspace_path
from cardloom_protocol.protected import protects

from ...host.fence import Closed, FolderGone, Special
from ...host.replacing import TEMPORARY, Changed
from ...host.walk import Outside
from ...host.watch import TooManyFolders

Denial: TypeAlias = Literal["path", "outside", "protected", "closed"]
Failure: TypeAlias = Literal["not_found", "not_a_directory", "is_a_directory", "exists", "too_large", "conflict", "io"]
Encoding: TypeAlias = Literal["utf8", "base64"]

SKIPPED: Final = frozenset((".git", "node_modules"))
"""Folders that recursive lists and watches leave out, unless they were asked for inside one."""

_HALVES: Final = re.compile("[\ud800-\udfff]")
_UNSPEAKABLE: Final = re.compile("[\\\\\ud800-\udfff]")  # a path with either means another entry, or none
_REASONS: Final[dict[int, tuple[Failure, str]]] = {
    errno.ENOENT: ("not_found", "does not exist"),
    errno.ENOTDIR: ("not_a_directory", "is no folder, or lies below something that is none"),
    errno.EISDIR: ("is_a_directory", "is a folder"),
    errno.EEXIST: ("exists", "exists already"),
}
_WORDS: Final = {
    errno.ELOOP: "leads through too many links",
    errno.ENAMETOOLONG: "has a name that is too long for this disk",
    errno.ENOSPC: "cannot be written: the disk is full",
    errno.EDQUOT: "cannot be written: the disk quota is used up",
    errno.EROFS: "cannot be written: the disk is read-only",
    errno.EACCES: "cannot be used: permission denied",
    errno.EPERM: "cannot be used: permission denied",
}


def denied(path: str, reason: Denial, words: str) -> CallError:
    """FS_DENIED for a path as it was given."""
    return CallError(ErrorCode.FS_DENIED, f"{path!r} {words}.", {"reason": reason})


def failed(path: str, reason: Failure, words: str) -> CallError:
    """FS_ERROR for a path as it was given."""
    return CallError(ErrorCode.FS_ERROR, f"{path!r} {words}.", {"reason": reason})


@contextmanager
def refusals(path: str) -> Iterator[None]:
    """Turn what the fence and the system refuse into what the caller is told of a path."""
    try:
        yield
    except Closed as error:
        message = f"This workspace gives no access to files: its folder is {error}."
        raise CallError(ErrorCode.FS_DENIED, message, {"reason": "closed"}) from None
    except FolderGone:
        message = "The workspace's folder is not there any more."
        raise CallError(ErrorCode.FS_ERROR, message, {"reason": "not_found"}) from None
    except Outside:
        raise denied(path, "outside", "leads out of the workspace") from None
    except Special:
        raise failed(path, "io", "is neither a file nor a folder") from None
    except Changed as error:
        data: JsonValue = {"reason": "conflict", "conflict": True, "mtimeMs": error.mtime_ms}
        words = "does not exist any more" if error.mtime_ms is None else "was changed meanwhile"
        raise CallError(ErrorCode.FS_ERROR, f"{path!r} {words}.", data) from None
    except TooManyFolders:
        message = f"{path!r} has more folders than can be watched."
        raise CallError(ErrorCode.QUOTA_EXCEEDED, message) from None
    except OSError as error:
        raise _from_system(path, error) from None


def normal(path: str) -> str:
    """A path in its one spelling, "" for the workspace folder. FS_DENIED (`path`) when it is none."""
    if _HALVES.search(path):
        raise denied(path, "path", "cannot be used: it holds half a character")
    try:
        return normalize_workspace_path(path)
    except CallError as error:
        raise CallError(error.code, error.message, {"reason": "path"}) from None


def check_may_change(given: str, normal_path: str, names: tuple[str, ...]) -> None:
    """FS_DENIED for the workspace folder itself and for protected names, in the path and behind its links."""
    if normal_path == "":
        raise denied(given, "path", "is the workspace folder itself, which cannot be replaced")
    for path in (normal_path, "/".join(names)):
        if protects(path):
            raise denied(given, "protected", "is protected: whoever writes it can make others run programs")
        if any(name.lower().startswith(TEMPORARY) for name in path.split("/")):
            raise denied(given, "protected", "is kept for Cardloom's own use")


def admits(path: str, *, recursive: bool) -> Callable[[str], bool]:
    """Which names below a folder are told: those that a path can carry, and in a recursive task none of `SKIPPED`."""
    skipped = SKIPPED if recursive and SKIPPED.isdisjoint(path.split("/")) else frozenset()

    def admit(name: str) -> bool:
        if name in skipped or name.startswith(TEMPORARY):
            return False
        return "\\" not in name if name.isascii() else _UNSPEAKABLE.search(name) is None

    return admit


def is_addressable(path: str) -> bool:
    """Whether a call can name this path of an entry that was found."""
    if path.isascii() and len(path) <= MAX_WORKSPACE_PATH_CHARS and path[0] > " " and path[-1] > " ":
        return True
    return utf16_length(path) <= MAX_WORKSPACE_PATH_CHARS and js_trim(path) == path


def to_bytes(given: str, data: str, encoding: Encoding) -> bytes:
    """The content to write. INVALID_PARAMS when it is no text or no base64; FS_ERROR `too_large`."""
    try:
        content = data.encode() if encoding == "utf8" else b64decode(data, validate=True)
    except UnicodeEncodeError:
        raise _unfit("holds half a character (a lone surrogate)") from None
    except ValueError:
        raise _unfit("is not base64") from None
    if len(content) > limit("fsWriteBytes"):
        raise failed(given, "too_large", f"cannot be written: more than {limit('fsWriteBytes') >> 20} MiB")
    return content


def to_text(content: bytes, encoding: Encoding, *, cut: bool) -> str:
    """What was read, for the wire. A character that the cut went through is left out; broken ones are U+FFFD."""
    if encoding == "base64":
        return b64encode(content).decode("ascii")
    return codecs.getincrementaldecoder("utf-8")("replace").decode(content, final=not cut)


def _unfit(words: str) -> CallError:
    message = f"data {words}"
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "/data", "keyword": "format", "message": message}])


def _from_system(path: str, error: OSError) -> CallError:
    number = error.errno or errno.EIO
    if number in _REASONS:
        return failed(path, *_REASONS[number])
    return failed(path, "io", _WORDS.get(number, f"cannot be used: {error.strerror or 'input/output error'}"))
