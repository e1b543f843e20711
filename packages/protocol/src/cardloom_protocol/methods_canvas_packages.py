"""The owner's methods about installed packages and catalogues. Spec: cards, install and update; decision 39."""

from __future__ import annotations

from typing import Final

from .method_row import MethodRow
from .param_shapes import Shape, boolean, ident, nothing, record, text

_PACKAGE = {"packageId": ident(512)}
_SOURCE = text(1, 4096)
_PLACE = {"ref": text(1, 200), "folder": text(1, 240)}
_TREE = text(64, 64)
_LOCATION = {"location": text(1, 4096)}


def _row(name: str, params: Shape, doc: str, result: str) -> MethodRow:
    return MethodRow(name, params, "cards", doc, result, ns="cardloom", built=True)


PACKAGE_ROWS: Final = (
    _row(
        "package.inspect",
        record({}, {**_PACKAGE, "source": _SOURCE, **_PLACE, "dev": boolean()}),
        "Tells what a source holds and asks for before it is installed, or, for a packageId, what an update of it "
        "from its own source or another one would change. `dev` links a folder instead of copying it.",
        "PackageReview",
    ),
    _row(
        "package.install",
        record({"source": _SOURCE, "treeHash": _TREE}, {**_PLACE, "dev": boolean()}),
        "Installs what was looked at under that hash, with the permissions that it requires.",
        "PackageInfo",
    ),
    _row(
        "package.update",
        record(_PACKAGE, {"treeHash": _TREE, "source": _SOURCE, **_PLACE, "accept": boolean()}),
        "Puts what was looked at under that hash in a package's place. What it asks for beyond what was agreed to "
        "stays off without `accept`; `accept` alone agrees to what the current version asks for.",
        "PackageInfo",
    ),
    _row(
        "package.rollback",
        record(_PACKAGE),
        "Returns to a package's version before, with what that one was granted.",
        "PackageInfo",
    ),
    _row(
        "package.remove",
        record({**_PACKAGE, "dropData": boolean()}),
        "Removes a package and its grants; with `dropData` also what its cards keep. Its cards stay and say so.",
        "nothing",
    ),
    _row(
        "catalogue.list",
        nothing(),
        "Lists the catalogues and what they vouch for.",
        "{catalogues, entries}",
    ),
    _row(
        "catalogue.add",
        record(_LOCATION),
        "Adds a catalogue from a file or an address: packages that are exactly what it vouches for count as verified.",
        "{catalogues, entries}",
    ),
    _row("catalogue.remove", record(_LOCATION), "Forgets a catalogue.", "{catalogues, entries}"),
    _row(
        "catalogue.refresh",
        nothing(),
        "Reads every catalogue again; `problems` tell which could not be read and stay as they were.",
        "{catalogues, entries, problems[]}",
    ),
)
