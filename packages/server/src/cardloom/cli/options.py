"""What commands share: an option, and how a command ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def run(work: Callable[[], object], json: bool) -> None:
    """Do a command's work and end with its exit code."""
    from .console import finish

    raise typer.Exit(finish(work, as_json=json))
