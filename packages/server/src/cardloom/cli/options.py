"""What commands share: an option, and how a command ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Final

import typer
from typer.core import TyperCommand

_TEXT: Final = re.compile(r"-[\s\d.]|---")
_MARK: Final = "\0"  # no argument of a program can hold it

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class TextCommand(TyperCommand):
    """A command that is given a text. One that begins as a list item, a rule or a negative number does is no option."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        rest = super().parse_args(ctx, [_MARK + arg if _TEXT.match(arg) else arg for arg in args])
        for name, value in ctx.params.items():
            if isinstance(value, str):
                ctx.params[name] = value.removeprefix(_MARK)
        return rest


def run(work: Callable[[], object], json: bool) -> None:
    """Do a command's work and end with its exit code."""
    from .console import finish

    raise typer.Exit(finish(work, as_json=json))
