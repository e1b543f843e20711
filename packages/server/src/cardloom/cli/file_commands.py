"""`cardloom fs …`: the options of commands about a workspace's files, and nothing else. The work is in `files`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from cardloom_protocol.limits import limit

from .options import Json, TextCommand, run

_MOST_BYTES: Final = limit("fsReadBytes")
_MOST_ENTRIES: Final = limit("fsListEntries")

fs = typer.Typer(help="Files of a workspace, by the rules that cards follow.", no_args_is_help=True)

FilePath = Annotated[str, typer.Argument(metavar="PATH", help="A path below the workspace folder.")]
FolderPath = Annotated[str, typer.Argument(metavar="[PATH]", help="A path below the workspace folder. Default: all.")]
Recursive = Annotated[bool, typer.Option("--recursive", "-r", help="Folders below as well.")]
Workspace = Annotated[str | None, typer.Option("--workspace", "-w", help="A workspace by name or id.")]


@fs.command(name="list")
def list_(
    path: FolderPath = "",
    recursive: Recursive = False,
    most: Annotated[int | None, typer.Option("--max", min=1, max=_MOST_ENTRIES, help="How many entries.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """List a folder."""
    from .files import list_folder

    run(lambda: list_folder(workspace, path, most, recursive=recursive), json)


@fs.command()
def stat(path: FilePath, workspace: Workspace = None, json: Json = False) -> None:
    """Tell size and time of a file or folder."""
    from .files import stat as work

    run(lambda: work(workspace, path), json)


@fs.command()
def read(
    path: FilePath,
    most: Annotated[int | None, typer.Option("--max", min=1, max=_MOST_BYTES, help="How many bytes.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Print a file as it is, at most 10 MiB."""
    from .files import read as work

    run(lambda: work(workspace, path, most, as_json=json), json)


@fs.command(cls=TextCommand)
def write(
    path: FilePath,
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Without it, standard input.")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FILE", help="Take this file's content.")] = None,
    create_dirs: Annotated[bool, typer.Option("--create-dirs", "-p", help="Make missing folders.")] = False,
    if_mtime_ms: Annotated[
        float | None, typer.Option("--if-mtime-ms", help="Only if it was not changed since then, as `stat` tells it.")
    ] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Write a file whole."""
    from .files import write as work

    run(lambda: work(workspace, path, text, source, if_mtime_ms, create_dirs=create_dirs), json)


@fs.command()
def mkdir(path: FilePath, workspace: Workspace = None, json: Json = False) -> None:
    """Make a folder."""
    from .files import mkdir as work

    run(lambda: work(workspace, path), json)


@fs.command()
def trash(path: FilePath, workspace: Workspace = None, json: Json = False) -> None:
    """Move a file or folder to the system's trash."""
    from .files import trash as work

    run(lambda: work(workspace, path), json)


@fs.command()
def watch(path: FolderPath = "", recursive: Recursive = False, workspace: Workspace = None, json: Json = False) -> None:
    """Print changes until you end it; with --json, one object a line."""
    from .files import watch as work

    run(lambda: work(workspace, path, recursive=recursive, as_json=json), json)
