"""`cardloom card …` for packages: their options, and nothing else. The work is in `packages`."""

from __future__ import annotations

from typing import Annotated

import typer

from . import author_commands
from .options import Json, Yes, run

PackageName = Annotated[str, typer.Argument(metavar="PACKAGE", help="A package by id or unique name.")]
Location = Annotated[str, typer.Argument(metavar="PLACE", help="A file or an https address.")]
Ref = Annotated[str | None, typer.Option("--ref", help="A branch, tag or commit of a repository.")]
SourceOption = Annotated[str | None, typer.Option("--source", help="Take it from here instead.")]

catalogue = typer.Typer(help="Catalogues that vouch for packages.", no_args_is_help=True)


def add_to(card: typer.Typer) -> None:
    """Add the commands to `cardloom card`."""
    for name, command in (
        ("install", install),
        ("list", list_packages),
        ("update", update),
        ("rollback", rollback),
        ("remove", remove),
    ):
        card.command(name=name)(command)
    author_commands.add_to(card)
    card.add_typer(catalogue, name="catalogue")


def install(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A folder, a .tar.gz, a repository's URL, or owner/repo[/folder][@ref]."),
    ],
    dev: Annotated[bool, typer.Option("--dev", help="Link the folder instead of copying it.")] = False,
    ref: Ref = None,
    folder: Annotated[str, typer.Option("--folder", metavar="DIR", help="The package is in this part of it.")] = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Install a card package, after showing what it is and asks for."""
    from .packages import install as work

    run(lambda: work(source, ref, folder, dev=dev, yes=yes, as_json=json), json)


def list_packages(json: Json = False) -> None:
    """List the packages that can be put on a canvas."""
    from .packages import list_packages as work

    run(work, json)


def update(
    package: Annotated[
        str | None,
        typer.Argument(metavar="[PACKAGE]", help="A package by id or unique name; without, tell what is new."),
    ] = None,
    ref: Ref = None,
    source: SourceOption = None,
    accept: Annotated[bool, typer.Option("--accept", help="Agree to what the new version asks for besides.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Update a package, after showing what changes. What it asks for besides stays off unless you accept it."""
    from .packages import look_for_updates
    from .packages import update as work

    if package is None:
        run(look_for_updates, json)
    else:
        run(lambda: work(package, ref, source, accept=accept, yes=yes, as_json=json), json)


def rollback(package: PackageName, json: Json = False) -> None:
    """Return to a package's version before."""
    from .packages import roll_back as work

    run(lambda: work(package), json)


def remove(
    package: PackageName,
    drop_data: Annotated[
        bool | None, typer.Option("--drop-data/--keep-data", help="Drop or keep what its cards stored.")
    ] = None,
    json: Json = False,
) -> None:
    """Remove a package; its cards stay on their canvases and say that it is missing."""
    from .packages import remove as work

    run(lambda: work(package, drop_data=drop_data, as_json=json), json)


@catalogue.command(name="list")
def catalogue_list(json: Json = False) -> None:
    """List the catalogues and the packages that they vouch for."""
    from .packages import list_catalogues as work

    run(work, json)


@catalogue.command(name="add")
def catalogue_add(location: Location, json: Json = False) -> None:
    """Add a catalogue: packages that are exactly what it vouches for count as verified."""
    from .packages import add_catalogue as work

    run(lambda: work(location), json)


@catalogue.command(name="remove")
def catalogue_remove(location: Location, json: Json = False) -> None:
    """Forget a catalogue; installed packages stay."""
    from .packages import remove_catalogue as work

    run(lambda: work(location), json)


@catalogue.command(name="refresh")
def catalogue_refresh(json: Json = False) -> None:
    """Read every catalogue again."""
    from .packages import refresh_catalogues as work

    run(work, json)
