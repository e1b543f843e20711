"""`cardloom card …` for whoever writes cards: their options, and nothing else. The work is in `authoring`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, run

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder with a card's manifest.")]


def add_to(card: typer.Typer) -> None:
    """Add the commands to `cardloom card`."""
    for name, command in (("new", new), ("dev", dev), ("validate", validate), ("pack", pack), ("test", run_tests)):
        card.command(name=name)(command)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The card's name, such as tide-clock; and its folder's.")],
    python: Annotated[bool, typer.Option("--python", help="A program in Python.")] = False,
    html: Annotated[bool, typer.Option("--html", help="A page in one file, not built. The default.")] = False,
    react: Annotated[bool, typer.Option("--react", help="A page in React, built with Vite.")] = False,
    json: Json = False,
) -> None:
    """Begin a card in a new folder, with all that it takes to run."""
    from .authoring import new_card
    from .console import UsageError

    def work() -> object:
        if python + html + react > 1:
            raise UsageError("Choose one of --python, --html and --react.")
        return new_card(name, Path(), "python" if python else "react" if react else "html")

    run(work, json)


def dev(
    folder: Folder = Path(),
    card_id: Annotated[str | None, typer.Option("--card", help="Be this card instead of a new one.")] = None,
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="A workspace by name or id.")] = None,
    json: Json = False,
) -> None:
    """Show a card on the running canvas, load it anew at every change, print its log. Ctrl-C ends it."""
    from .card_dev import dev_card

    run(lambda: dev_card(folder, workspace, card_id, as_json=json), json)


def validate(folder: Folder, json: Json = False) -> None:
    """Tell everything that keeps a folder from being installed as a card, each at its place."""
    from .authoring import validate_card

    run(lambda: validate_card(folder), json)


def pack(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The archive. Default: NAME-VERSION.tar.gz beside FOLDER."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what it would hold.")] = False,
    json: Json = False,
) -> None:
    """Pack a card into an archive: the same files give the same bytes. Refuses files that look like credentials."""
    from .authoring import pack_card

    run(lambda: pack_card(folder, output, dry_run=dry_run), json)


def run_tests(folder: Folder, json: Json = False) -> None:
    """Run a card's tests: with pytest, or those of a page with its package's script named test."""
    from .authoring import run_card_tests

    run(lambda: run_card_tests(folder, as_json=json), json)
