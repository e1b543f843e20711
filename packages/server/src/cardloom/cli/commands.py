"""The commands and their options, and nothing else: each hands over to the module that does the work.

Nothing of the server or the SDK is imported here, so that `cardloom --help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import agent_commands, package_commands, session_commands
from .file_commands import fs
from .key_commands import key
from .mcp_commands import mcp
from .options import Json, TextCommand
from .options import run as _run
from .usage_command import usage

app = typer.Typer(
    name="cardloom",
    help="A local-first canvas for several AI coding agents at once.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
journal = typer.Typer(help="What was delivered, refused and dropped along arrows.", no_args_is_help=True)
card = typer.Typer(help="Card packages, and cards that you run yourself.", no_args_is_help=True)
app.add_typer(journal, name="journal")
app.add_typer(card, name="card")
app.add_typer(fs, name="fs")
app.add_typer(mcp, name="mcp")
app.add_typer(key, name="key")
package_commands.add_to(card)

Workspace = Annotated[str | None, typer.Option("--workspace", "-w", help="A workspace by name or id.")]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="The first port to try.")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")]
CardName = Annotated[str, typer.Argument(metavar="CARD", help="A card by id or unique name.")]


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        typer.echo(f"cardloom {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A local-first canvas for several AI coding agents at once."""


@app.command()
def up(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Open this folder as a workspace. Default: this one.")
    ] = None,
    port: Port = None,
    no_open: NoOpen = False,
    json: Json = False,
) -> None:
    """Start the server and open a page of it."""
    from .server import start

    raise typer.Exit(start(folder or Path(), port, open_page=not no_open, as_json=json))


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the sample project goes.")] = Path(
        "cardloom-demo"
    ),
    port: Port = None,
    no_open: NoOpen = False,
    json: Json = False,
) -> None:
    """Start a server over a sample project whose tests fail, with everything on its canvas."""
    from .demo import start_demo

    raise typer.Exit(start_demo(folder, port, open_page=not no_open, as_json=json))


@app.command(name="open")
def open_page(no_open: NoOpen = False, json: Json = False) -> None:
    """Open another page of the running server; its address works once."""
    from .server import another_page

    _run(lambda: another_page(open_page=not no_open), json)


@app.command()
def status(json: Json = False) -> None:
    """Tell whether a server runs, where, and with which workspaces."""
    from .server import status as work

    _run(work, json)


@app.command()
def cards(workspace: Workspace = None, json: Json = False) -> None:
    """List the cards with their ids, kinds and states."""
    from .canvas import list_cards

    _run(lambda: list_cards(workspace), json)


@app.command()
def connect(
    a: Annotated[str, typer.Argument(metavar="A", help="The card that sends, by id or unique name.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The card that receives, by id or unique name.")],
    two_way: Annotated[bool, typer.Option("--two-way", help="Values travel both ways.")] = False,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Draw an arrow from A to B."""
    from .canvas import connect as work

    _run(lambda: work(a, b, workspace, two_way=two_way), json)


@app.command(cls=TextCommand)
def send(
    card: CardName,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON, or else text. `-` reads standard input.")],
    input_id: Annotated[str | None, typer.Option("--input", "-i", help="The input to use.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Take the value as text even if it is JSON.")] = False,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Send a value into a card."""
    from .canvas import send as work

    _run(lambda: work(card, value, input_id, workspace, as_text=text), json)


@app.command()
def call(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="A method such as workspace.list.")],
    params: Annotated[str, typer.Argument(metavar="[JSON]", help="Its parameters. `-` reads standard input.")] = "{}",
    json: Json = False,
) -> None:
    """Call any method of the server and print its result as JSON."""
    from .canvas import call as work

    _run(lambda: work(method, params), json)


@journal.command(name="list")
def journal_list(
    card: Annotated[str | None, typer.Option("--card", help="Only what a card sent or received.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many entries.")] = 30,
    before: Annotated[int | None, typer.Option(min=1, help="Only entries before this number.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """List the journal, newest first."""
    from .canvas import list_journal

    _run(lambda: list_journal(workspace, card, limit, before), json)


@journal.command(name="replay")
def journal_replay(
    first: Annotated[int | None, typer.Option("--from", min=1, help="The first entry.")] = None,
    last: Annotated[int | None, typer.Option("--to", min=1, help="The last entry.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Deliver a range again into a copy of the workspace and tell where results differ."""
    from .canvas import replay_journal

    _run(lambda: replay_journal(workspace, first, last), json)


@card.command(name="run")
def card_run(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with cardloom-card.json.")],
    card_id: Annotated[str | None, typer.Option("--card", help="Be this card instead of a new one.")] = None,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Run a Python card from its folder on the running canvas until you end it."""
    from .card_run import run_card

    _run(lambda: run_card(folder, workspace, card_id, quiet=json), json)


@app.command()
def doctor(json: Json = False) -> None:
    """Check what Cardloom needs here."""
    from .doctor import examine

    _run(examine, json)


@app.command()
def token(
    show: Annotated[bool, typer.Option("--show", help="Print the key itself.")] = False, json: Json = False
) -> None:
    """Tell where the owner's key is. Whoever has it can do all that you can."""
    from .server import key

    _run(lambda: key(show=show), json)


# Help lists commands in the order of their coming: what everybody needs is above.
agent_commands.add_to(app)
session_commands.add_to(app)
app.command()(usage)
