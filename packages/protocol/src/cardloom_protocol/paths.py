"""Paths inside a card package and inside a workspace, and the names nobody may write to.

These rules look at text alone; links and real locations are the file fence's. Spec: package paths,
workspace paths, protected files.
"""

import re
from itertools import pairwise

from .errors import CallError, ErrorCode
from .jstext import js_trim, utf16_length
from .limits import limit

MAX_WORKSPACE_PATH_CHARS = 1024

PROTECTED_DIRS: tuple[str, ...] = (
    ".git",
    ".claude",
    ".codex",
    ".cursor",
    ".vscode",
    ".idea",
    ".husky",
    ".gemini",
    ".qwen",
    ".opencode",
    ".kilocode",
    ".windsurf",
    ".continue",
    ".devcontainer",
    ".circleci",
    ".buildkite",
)
"""Names, in lower case, that protect themselves and all below them at any depth."""

WORKFLOWS_FOLDER = (".github", "workflows")
"""Two names that together protect all below them."""

PROTECTED_FILES: tuple[str, ...] = (
    ".git",
    ".gitmodules",
    ".gitattributes",
    ".mcp.json",
    "claude.md",
    "claude.local.md",
    "agents.md",
    "gemini.md",
    "qwen.md",
    ".cursorrules",
    ".windsurfrules",
    "opencode.json",
    "opencode.jsonc",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".gitlab-ci.yml",
    "azure-pipelines.yml",
    "jenkinsfile",
    ".travis.yml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    "appveyor.yml",
    ".appveyor.yml",
)
"""Names, in lower case, that protect a file at any depth."""

_PROTECTED_DIRS = frozenset(PROTECTED_DIRS)
_PROTECTED_FILES = frozenset(PROTECTED_FILES)
_HOST_FOLDER = "__ns"
_FORBIDDEN_CHARS = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')
_DRIVE = re.compile(r"[A-Za-z]:")
# re.ASCII: the Kelvin sign folds to k in Unicode, and Windows knows no such device.
# The extension stops at line separators, as the published rule's "any character" does.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$) *(?:\.[^\n\r\u2028\u2029]*)?",
    re.IGNORECASE | re.ASCII,
)


def normalize_package_path(path: object) -> str | None:
    """Gives a package path without its final slash, or None when it is not one.

    At most 240 UTF-16 units and 20 segments, `/` between them, nothing at or below `__ns`, which
    belongs to the host.
    """
    if not isinstance(path, str) or package_path_fault(path) is not None:
        return None
    return path.removesuffix("/")


def package_path_fault(path: str) -> str | None:
    """Says what keeps a text from being a package path, or None when nothing does."""
    if not 1 <= utf16_length(path) <= limit("pathChars"):
        return f"it is empty or longer than {limit('pathChars')} characters"
    segments = path.removesuffix("/").split("/")
    if "\\" in path:
        return "it has a backslash"
    if len(segments) > limit("pathDepth"):
        return f"it is more than {limit('pathDepth')} folders deep"
    if segments[0].lower() == _HOST_FOLDER:
        return f"{_HOST_FOLDER!r} belongs to the host"
    return next((fault for segment in segments if (fault := segment_fault(segment)) is not None), None)


def normalize_workspace_path(path: object) -> str:
    """Gives a workspace path with `/` between its segments; "" is the workspace folder itself.

    Raises FS_DENIED, naming the path and the fault, for anything that is absolute, steps upwards or
    holds a name that some file system cannot keep.
    """
    if not isinstance(path, str):
        raise CallError(ErrorCode.FS_DENIED, "The path must be a text.")
    if utf16_length(path) > MAX_WORKSPACE_PATH_CHARS:
        raise CallError(ErrorCode.FS_DENIED, f"The path is longer than {MAX_WORKSPACE_PATH_CHARS} characters.")
    normal = js_trim(path.replace("\\", "/"))
    if normal in ("", ".", "./"):
        return ""
    if normal.startswith("/") or _DRIVE.match(normal) is not None:
        raise CallError(ErrorCode.FS_DENIED, f"{path!r} is absolute; paths start at the workspace folder.")
    normal = normal.removeprefix("./").removesuffix("/")
    for segment in normal.split("/"):
        fault = segment_fault(segment)
        if fault is not None:
            raise CallError(ErrorCode.FS_DENIED, f"{path!r} cannot be used: {fault}.")
    return normal


def is_protected(path: str) -> bool:
    """Tells whether writing to a normalised workspace path is forbidden to every card.

    Such files steer agents, editors, hooks or build servers, so whoever writes them runs code. Letter
    case is ignored and every depth counts.
    """
    segments = path.lower().split("/")
    if not _PROTECTED_DIRS.isdisjoint(segments) or segments[-1] in _PROTECTED_FILES:
        return True
    return any(pair == WORKFLOWS_FOLDER for pair in pairwise(segments))


def segment_fault(segment: str) -> str | None:
    """Says what keeps one segment of a path from being a name everywhere, or None when nothing does."""
    if segment == "":
        return "it has an empty segment"
    if segment in (".", ".."):
        return f"it has the segment {segment!r}"
    if _FORBIDDEN_CHARS.search(segment) is not None:
        return f"{segment!r} holds a character that file names cannot have"
    if segment.endswith((".", " ")):
        return f"{segment!r} ends with a dot or a space"
    if _DEVICE.fullmatch(segment) is not None:
        return f"{segment!r} is a device name on Windows"
    return None
