"""`cardloom usage`: its options, and nothing else. The work is in `usage`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, run


class By(StrEnum):
    """What the rows stand for."""

    DAY = "day"
    AGENT = "agent"
    MODEL = "model"
    SESSION = "session"
    SENDER = "sender"


def usage(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]…", help="Logs anywhere, folders or files. Default: where the agents keep theirs."
        ),
    ] = None,
    by: Annotated[By, typer.Option("--by", help="What the rows stand for.")] = By.DAY,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DAY", help="From this day on: 2026-11-30, or 7d for the last seven."),
    ] = None,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="REQUEST", help="Which lines gave a request its numbers.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")] = False,
    json: Json = False,
) -> None:
    """Sum tokens and money from the agents' own logs; needs no server and sends nothing."""
    from .usage import explain_request, sum_up

    if csv and (json or explain is not None):
        raise typer.BadParameter("--csv goes with neither --json nor --explain")
    if explain is not None:
        run(lambda: explain_request(folders or [], explain), json)
    run(lambda: sum_up(folders or [], by.value, since, as_csv=csv), json)
