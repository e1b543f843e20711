"""`cardloom key …`: the keys of backends. The options, and nothing else; the work is in `keys`."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, run

key = typer.Typer(help="Keys that backends in backends.json name.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name that backends.json gives as `key`.")]


@key.callback()
def group() -> None:
    """Keys that backends in backends.json name."""


@key.command("set")
def set_key(name: Name, json: Json = False) -> None:
    """Keep a key, sealed. It is asked for, or read from standard input; never give it as an argument."""
    from .keys import keep_key

    run(lambda: keep_key(name), json)


@key.command()
def forget(name: Name, json: Json = False) -> None:
    """Forget a key."""
    from .keys import forget_key

    run(lambda: forget_key(name), json)
