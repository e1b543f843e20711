"""`cardloom mcp …`: how a program becomes an agent of the canvas."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, run

mcp = typer.Typer(help="Tools for agents, over the Model Context Protocol.", no_args_is_help=True)


@mcp.callback()
def group() -> None:
    """Tools for agents, over the Model Context Protocol."""


@mcp.command()
def token(
    card: Annotated[
        str, typer.Argument(metavar="CARD", help="The terminal at which the agent sits, by id or unique name.")
    ],
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="A workspace by name or id.")] = None,
    json: Json = False,
) -> None:
    """Make the token with which the agent in a terminal uses the canvas; an earlier one ends."""
    from .canvas import agent_token

    run(lambda: agent_token(card, workspace), json)
