"""The folder behind a workspace: whether it can be used, said in words that name it."""

from __future__ import annotations

import os
from pathlib import Path

from cardloom_protocol.errors import CallError, ErrorCode


def folder_problem(path: str) -> str | None:
    """What is wrong with a folder, None when it can be used. Touches the disk, which may be slow on a network."""
    try:
        with os.scandir(path) as entries:
            next(entries, None)
    except FileNotFoundError:
        return f"The folder {path} does not exist."
    except NotADirectoryError:
        return f"{path} is not a folder."
    except PermissionError:
        return f"The folder {path} cannot be read: permission denied."
    except OSError as error:
        return f"The folder {path} cannot be read: {error.strerror or 'input/output error'}."
    except ValueError:  # a null character, or half a character
        return f"{path!r} names no folder."
    return None


def absolute_path(path: str) -> str:
    """The path a person means: `~` is theirs, and it must not depend on where the server was started."""
    if "\0" in path or any("\ud800" <= char <= "\udfff" for char in path):
        raise CallError(ErrorCode.INVALID_PARAMS, "path: must be text without null characters")
    expanded = os.path.expanduser(path)
    if not os.path.isabs(expanded):
        raise CallError(ErrorCode.INVALID_PARAMS, f"path: {path!r} is not absolute")
    return os.path.normpath(expanded)


def make_folder(path: str) -> None:
    """Create a folder with its parents. FS_ERROR says why it cannot be."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise CallError(ErrorCode.FS_ERROR, f"{path} is not a folder", {"reason": "not_a_directory"}) from error
    except OSError as error:
        raise CallError(ErrorCode.FS_ERROR, f"{path} cannot be created: {error.strerror}", {"reason": "io"}) from error


def check_folder(path: str) -> None:
    """FS_ERROR with the reason when a folder cannot be used."""
    problem = folder_problem(path)
    if problem is None:
        return
    reason = "io"
    if not os.path.lexists(path):
        reason = "not_found"
    elif not os.path.isdir(path):
        reason = "not_a_directory"
    raise CallError(ErrorCode.FS_ERROR, problem, {"reason": reason})
