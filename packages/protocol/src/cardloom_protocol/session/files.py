"""Files of a workspace: paths that stay inside it, content as text or base64, sizes and kinds.

What only a disk knows – links that lead out – the backend checks itself. Spec: session protocol, workspace files.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, Literal, NotRequired, TypedDict

from .errors import FileBadRequest
from .limits import session_limit

WORKSPACE_TRASH_DIR: Final = ".nr-trash"
DEFAULT_FILE_READ_MAX_BYTES: Final[int] = session_limit("fileReadBytes")

FileEncoding = Literal["utf8", "base64"]
FileType = Literal["file", "dir"]

_DRIVE = re.compile(r"[A-Za-z]:")
_ASCII_SPACE = re.compile(r"[\t\n\f\r ]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


class FileEntry(TypedDict):
    """A file or folder in a listing; times are ISO 8601. `ignored` marks what version control leaves out."""

    path: str
    name: str
    type: FileType
    size: NotRequired[int]
    mtime: NotRequired[str]
    mime: NotRequired[str]
    ignored: NotRequired[bool]
    revision: NotRequired[str]


class FileContent(TypedDict):
    """A file's content; `revision` changes with it."""

    path: str
    content: str
    encoding: FileEncoding
    revision: str
    size: NotRequired[int]
    mime: NotRequired[str]


class FileReadOpts(TypedDict, total=False):
    """How much may be read."""

    maxBytes: int


class FileWriteOpts(TypedDict, total=False):
    """`ifRevision` is the revision that the writer has seen; null says that the file must not exist yet."""

    encoding: str
    ifRevision: str | None


def normalize_file_path(path: object) -> str:
    """A relative path with `/` between its segments, "" for the root.

    BAD_REQUEST for anything absolute, for `..` in any segment, a backslash, NUL or a drive letter. Nothing is decoded
    or trimmed.
    """
    if not isinstance(path, str):
        raise FileBadRequest("The path must be a text.")
    fault = _path_fault(path)
    if fault is not None:
        raise FileBadRequest(f"{path!r} is no path inside the workspace: {fault}.")
    return "/".join(segment for segment in path.split("/") if segment not in ("", "."))


def _path_fault(path: str) -> str | None:
    if path.startswith("/"):
        return "it is absolute"
    if "\\" in path:
        return "it holds a backslash"
    if "\0" in path:
        return "it holds a NUL character"
    if ".." in path.split("/"):
        return "it steps upwards"
    return "it begins with a drive letter" if _DRIVE.match(path) else None


def parent_file_path(path: str) -> str:
    """The folder that holds a normalised path; "" for what lies in the root and for the root itself."""
    return path.rpartition("/")[0]


def file_name(path: str) -> str:
    """The last segment of a normalised path."""
    return path.rpartition("/")[2]


def is_trash_path(path: str) -> bool:
    """Whether a normalised path is the workspace's trash or lies in it."""
    return path == WORKSPACE_TRASH_DIR or path.startswith(WORKSPACE_TRASH_DIR + "/")


def trash_path(path: str, stamp: str, random: str) -> str:
    """Where a deleted path goes; `stamp` is the time in a form that file names can hold."""
    return f"{WORKSPACE_TRASH_DIR}/{stamp}-{random}/{path}"


def file_content(*, path: str, data: bytes, revision: str) -> FileContent:
    """The content of a file: as text when its bytes are UTF-8 without NUL, a byte order mark kept; else base64."""
    content: FileContent = {"path": path, "content": "", "encoding": "utf8", "revision": revision, "size": len(data)}
    mime = file_mime(path)
    if mime is not None:
        content["mime"] = mime
    try:
        if b"\0" in data:
            raise UnicodeDecodeError("utf-8", data, 0, 1, "NUL")
        content["content"] = data.decode("utf-8")
    except UnicodeDecodeError:
        content["content"] = base64.b64encode(data).decode("ascii")
        content["encoding"] = "base64"
    return content


def decode_file_content(content: object, encoding: object = "utf8") -> bytes:
    """The bytes of a content. BAD_REQUEST for broken base64, half a character, or another encoding.

    White space inside base64 is skipped and padding may be missing; `utf-8` is read as `utf8`.
    """
    if not isinstance(content, str):
        raise FileBadRequest("The content must be a text.")
    match encoding:
        case "utf8" | "utf-8":
            try:
                return content.encode("utf-8")
            except UnicodeEncodeError as error:
                raise FileBadRequest("The content holds half a character and cannot be written as UTF-8.") from error
        case "base64":
            return _from_base64(content)
        case _:
            raise FileBadRequest(f"{encoding!r} is no encoding: use utf8 or base64.")


def _from_base64(content: str) -> bytes:
    text = _ASCII_SPACE.sub("", content)
    body = text.rstrip("=")
    padding = len(text) - len(body)
    if _BASE64.fullmatch(text) is None or len(body) % 4 == 1 or (padding and len(text) % 4):
        raise FileBadRequest("The content is not base64.")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except binascii.Error as error:
        raise FileBadRequest("The content is not base64.") from error


def check_file_read_size(path: str, size: int, max_bytes: int = DEFAULT_FILE_READ_MAX_BYTES) -> None:
    """Refuses to read more than `max_bytes`: BAD_REQUEST with `{size, maxBytes}`. The limit itself passes."""
    if size > max_bytes:
        raise FileBadRequest(
            f"{path!r} holds {size} bytes; {max_bytes} can be read at most.", {"size": size, "maxBytes": max_bytes}
        )


def file_mime(path: str) -> str | None:
    """The kind of a file by its last extension, None when it has none or an unknown one. Case does not matter."""
    stem, dot, extension = file_name(path).rpartition(".")
    return _MIME.get(extension.lower()) if dot and stem else None


def _mime_table() -> dict[str, str]:
    table = dict.fromkeys(_PLAIN.split(), "text/plain")
    table |= {name: f"text/x-{kind}" for name, kind in (pair.split(":") for pair in _SOURCE.split())}
    return table | dict(pair.split(":") for pair in _OTHER.split())


_PLAIN = "txt log ini cfg conf env lock gitignore rst tex diff patch"
_SOURCE = (
    "py:python pyi:python rb:ruby rs:rust go:go c:c h:c cc:c++ cpp:c++ hpp:c++ java:java kt:kotlin swift:swift "
    "cs:csharp php:php lua:lua pl:perl r:r scala:scala dart:dart sh:shellscript bash:shellscript zsh:shellscript "
    "sql:sql toml:toml yaml:yaml yml:yaml vue:vue svelte:svelte zig:zig hs:haskell ex:elixir exs:elixir clj:clojure"
)
_OTHER = (
    "md:text/markdown markdown:text/markdown mdx:text/markdown html:text/html htm:text/html css:text/css "
    "csv:text/csv tsv:text/tab-separated-values js:text/javascript mjs:text/javascript cjs:text/javascript "
    "jsx:text/javascript ts:text/typescript tsx:text/typescript mts:text/typescript xml:text/xml "
    "json:application/json jsonc:application/json json5:application/json jsonl:application/json "
    "ipynb:application/json webmanifest:application/json map:application/json "
    "png:image/png jpg:image/jpeg jpeg:image/jpeg gif:image/gif webp:image/webp avif:image/avif svg:image/svg+xml "
    "ico:image/x-icon bmp:image/bmp tif:image/tiff tiff:image/tiff "
    "mp3:audio/mpeg wav:audio/wav ogg:audio/ogg flac:audio/flac m4a:audio/mp4 "
    "mp4:video/mp4 webm:video/webm mov:video/quicktime "
    "pdf:application/pdf zip:application/zip gz:application/gzip tar:application/x-tar wasm:application/wasm "
    "woff:font/woff woff2:font/woff2 ttf:font/ttf otf:font/otf"
)
_MIME: Final = _mime_table()
