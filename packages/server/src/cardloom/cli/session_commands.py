"""`cardloom sessions …` and `cardloom chat`: their options, and nothing else. The work is in `sessions` and `chat`."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, TextCommand, run

sessions = typer.Typer(help="Chat sessions of Cardloom and of other programs' folders.", no_args_is_help=True)

Store = Annotated[
    str,
    typer.Option(
        "--store",
        "-s",
        metavar="KIND[:FOLDER]",
        help="cardloom, pi, claude or nr-chat; of the last three a folder may be named.",
    ),
]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="A session by id, or the beginning of one.")]


def add_to(app: typer.Typer) -> None:
    """Put the commands where people look for them."""
    app.add_typer(sessions, name="sessions")
    app.command(cls=TextCommand)(chat)


@sessions.command(name="list")
def list_(
    store: Store = "cardloom",
    most: Annotated[int, typer.Option("--max", min=1, help="How many.")] = 50,
    json: Json = False,
) -> None:
    """List sessions, the last changed first."""
    from .sessions import list_sessions

    run(lambda: list_sessions(store, most), json)


@sessions.command()
def show(session: SessionId, store: Store = "cardloom", json: Json = False) -> None:
    """Print a session's messages."""
    from .sessions import show as work

    run(lambda: work(store, session), json)


@sessions.command()
def export(
    session: SessionId,
    store: Store = "cardloom",
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="markdown, or json with the whole tree.")
    ] = "markdown",
    json: Json = False,
) -> None:
    """Print a session as a document."""
    from .sessions import export as work

    run(lambda: work(store, session, form), json)


@sessions.command()
def convert(
    session: SessionId,
    to: Annotated[str, typer.Option("--to", metavar="KIND[:FOLDER]", help="The store that gets the copy.")],
    store: Store = "cardloom",
    json: Json = False,
) -> None:
    """Copy a session into another store, and tell what it could not take."""
    from .sessions import convert as work

    run(lambda: work(store, session, to), json)


def chat(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="Say one thing; without it, a conversation.")
    ] = None,
    backend: Annotated[str | None, typer.Option("--backend", "-b", help="A backend by id. Default: the first.")] = None,
    session: Annotated[str | None, typer.Option("--session", help="Go on in this session.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="The model to use.")] = None,
    json: Json = False,
) -> None:
    """Talk to a backend of the running server."""
    from .chat import chat as work

    run(lambda: work(text, backend, session, model, as_json=json), json)
