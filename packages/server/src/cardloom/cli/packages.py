"""Commands about card packages: shown before anything happens, then done by the running server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError
from cardloom_sdk import Client

from .console import Answer, UsageError, say, table, visible
from .session import Record, package_of, session

_KIB = 1024
_IN_WORDS = {"frame": "a page in a sandboxed frame", "python": "a program that runs with your rights"}


async def install(source: str, ref: str | None, folder: str, *, dev: bool, yes: bool, as_json: bool) -> Answer:
    """Show a package and install it; one that is installed already is updated."""
    place: dict[str, Any] = {"source": whole_source(source), "dev": dev}
    place |= {name: value for name, value in (("ref", ref), ("folder", folder)) if value}
    async with session() as client:
        review = await client.call("package.inspect", place)
        if review["installed"] is not None:
            return await _update(client, review, place, accept=False, yes=yes, as_json=as_json)
        if not as_json:
            say(review_text(review))
        await _confirm("Install it?", yes=yes, as_json=as_json)
        package = await client.call("package.install", {**place, "treeHash": review["treeHash"]})
    return Answer(package, f"{package['displayName']} {package['version']} is installed as {package['packageId']}.")


async def list_packages() -> Answer:
    """Every package there is."""
    async with session() as client:
        packages = (await client.call("package.list"))["packages"]
    rows = [
        (
            one["name"],
            one["version"],
            one["kind"],
            _state(one),
            one["source"] or "comes with Cardloom",
            one["packageId"],
        )
        for one in packages
    ]
    heads = ("NAME", "VERSION", "KIND", "STATE", "FROM", "ID")
    return Answer(packages, table(heads, rows) if rows else "There are no packages. Install one: cardloom card install")


async def look_for_updates() -> Answer:
    """What every installed package would become; nothing is changed."""
    found, lines = [], []
    async with session() as client:
        packages = (await client.call("package.list"))["packages"]
        for package in packages:
            if package["source"] is None or package["dev"]:
                continue
            try:
                review = await client.call("package.inspect", {"packageId": package["packageId"]})
            except CallError as error:
                lines.append(f"{package['name']}: {error.message}")
                continue
            if not review["installed"]["isCurrent"]:
                found.append(review)
                lines.append(f"{package['name']}: {package['version']} → {review['version']}")
    if not lines:
        return Answer([], "Every package is current.")
    hint = "\nUpdate one with: cardloom card update PACKAGE" if found else ""
    return Answer(found, "\n".join(lines) + hint)


async def update(named: str, ref: str | None, source: str | None, *, accept: bool, yes: bool, as_json: bool) -> Answer:
    """Show what an update changes and take it."""
    place = {name: value for name, value in (("ref", ref), ("source", source and whole_source(source))) if value}
    async with session() as client:
        package = await package_of(client, named)
        review = await client.call("package.inspect", {"packageId": package["packageId"], **place})
        return await _update(client, review, place, accept=accept, yes=yes, as_json=as_json)


async def roll_back(named: str) -> Answer:
    """Return to the version before."""
    async with session() as client:
        package = await package_of(client, named)
        former = await client.call("package.rollback", {"packageId": package["packageId"]})
    return Answer(former, f"{former['displayName']} is back at {former['version']}.")


async def remove(named: str, *, drop_data: bool | None, as_json: bool) -> Answer:
    """Remove a package, with or without what its cards stored."""
    async with session() as client:
        package = await package_of(client, named)
        if drop_data is None:
            question = f"Drop what the cards of {package['displayName']} stored as well?"
            drop_data = await _ask(question, as_json=as_json, otherwise="Say --drop-data or --keep-data.")
        await client.call("package.remove", {"packageId": package["packageId"], "dropData": drop_data})
    kept = "with its data" if drop_data else "its data is kept"
    return Answer({"packageId": package["packageId"]}, f"{package['displayName']} is removed; {kept}.")


async def list_catalogues() -> Answer:
    """The catalogues and what they vouch for."""
    async with session() as client:
        listed = await client.call("catalogue.list")
    return Answer(listed, _catalogue_text(listed))


async def add_catalogue(location: str) -> Answer:
    """Add a catalogue."""
    place = whole_source(location, (".json",))
    async with session() as client:
        listed = await client.call("catalogue.add", {"location": place})
    added = next((one for one in listed["catalogues"] if one["location"] == place), None)
    faults = [] if added is None else added["faults"]
    lines = [f"{place} vouches for {added['entries'] if added else 0} packages.", *faults]
    return Answer(listed, "\n".join(lines))


async def remove_catalogue(location: str) -> Answer:
    """Forget a catalogue."""
    async with session() as client:
        known = [one["location"] for one in (await client.call("catalogue.list"))["catalogues"]]
        place = location if location in known else whole_source(location, (".json",))
        listed = await client.call("catalogue.remove", {"location": place})
    return Answer(listed, f"{place} is forgotten.")


async def refresh_catalogues() -> Answer:
    """Read every catalogue again."""
    async with session() as client:
        listed = await client.call("catalogue.refresh")
    text = "\n".join([_catalogue_text(listed), *listed["problems"]])
    return Answer(listed, text, 1 if listed["problems"] else 0)


def whole_source(text: str, files: tuple[str, ...] = (".tar.gz", ".tgz")) -> str:
    """A source as the server can use it: what is on this computer by its whole path, anything else as it is.

    A name that ends like one of `files` is meant for one here, even if it is not there.
    """
    if "://" in text:
        return text
    path = Path(text).expanduser()
    here = text.startswith((".", "~")) or text.lower().endswith(files) or path.exists()
    return str(path.absolute()) if here else text


def review_text(review: Record) -> str:
    """What a package is and asks for, for people to judge."""
    author = f" by {review['author']['name']}" if review["author"] else ""
    facts = [
        ("from", review["source"]),
        ("id", review["packageId"]),
        ("hash", review["treeHash"]),
        ("commit", review["commit"]),
        ("verified", "yes, by a catalogue" if review["verified"] else None),
        ("license", review["license"]),
        ("files", f"{review['files']['count']} ({_size(review['files']['bytes'])})"),
        ("is", _IN_WORDS[review["kind"]]),
        ("tools", ", ".join(review["tools"]) or None),
    ]
    lines = [f"{review['displayName']} {review['version']} ({review['name']}){author}"]
    lines += [f"  {name:<9}{value}" for name, value in facts if value]
    if review["description"]:
        lines.insert(1, f"  {review['description']}")
    if review["permissions"]:
        lines += ["It asks for:", *(f"  {_permission(row)}" for row in review["permissions"])]
    else:
        lines.append("It asks for no permission.")
    lines += [f"Note: another package named {review['name']} is installed as {other}." for other in review["sameName"]]
    return "\n".join([*lines, *(f"Note: {warning}." for warning in review["warnings"])])


def difference_text(review: Record) -> str:
    """What an update changes."""
    installed = review["installed"]
    changes = installed["difference"]
    files = changes["files"]
    lines = [
        f"{review['displayName']} {installed['version']} → {review['version']}",
        f"  hash     {review['treeHash']}",
    ]
    lines += [f"  commit   {review['commit']}"] if review["commit"] else []
    for sign, name in (("+", "added"), ("~", "changed"), ("-", "removed")):
        lines += [f"  {sign} {path}" for path in files[name]]
    lines += [f"  and {changes['more']} more files"] if changes["more"] else []
    for what in ("permissions", "hosts"):
        lines += [f"  + {what.removesuffix('s')} {one}" for one in changes[what]["added"]]
        lines += [f"  - {what.removesuffix('s')} {one}" for one in changes[what]["removed"]]
    return "\n".join(lines)


async def _update(client: Client, review: Record, place: Record, *, accept: bool, yes: bool, as_json: bool) -> Answer:
    """Take an update that was looked at. What it needs and is not accepted stays off."""
    needs = [
        *review["installed"]["difference"]["needs"]["permissions"],
        *review["installed"]["difference"]["needs"]["hosts"],
    ]
    if review["installed"]["isCurrent"] and not (accept and needs):
        return Answer(review, f"{review['displayName']} {review['version']} is installed and current.")
    if not as_json:
        say(difference_text(review))
    await _confirm("Update it?", yes=yes, as_json=as_json)
    if needs and not accept and not yes and not as_json:
        accept = await _ask(
            f"It asks for more: {', '.join(needs)}. Allow that?", as_json=False, otherwise="Say --accept."
        )
    params = {name: value for name, value in place.items() if name in ("source", "ref", "folder")}
    params |= {"packageId": review["packageId"], "treeHash": review["treeHash"], "accept": accept}
    package = await client.call("package.update", params)
    off = "" if accept or not needs else f" What it asks for besides stays off: {', '.join(needs)}."
    return Answer(package, f"{package['displayName']} is at {package['version']} now.{off}")


async def _confirm(question: str, *, yes: bool, as_json: bool) -> None:
    """Go on only with a yes. UsageError: there is nobody to ask, or the answer was no."""
    if not yes and not await _ask(question, as_json=as_json, otherwise="Say --yes to go on without being asked."):
        raise UsageError("nothing was changed.")


async def _ask(question: str, *, as_json: bool, otherwise: str) -> bool:
    if as_json or not sys.stdin.isatty():
        raise UsageError(f"there is nobody to ask. {otherwise}")
    print(f"{visible(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    answer = await asyncio.to_thread(sys.stdin.readline)
    return answer.strip().lower() in ("y", "yes")


def _permission(row: Record) -> str:
    notes = [f"{row['risk']} risk", *(["optional: asked when it is needed"] if row["optional"] else [])]
    hosts = f" {', '.join(row['hosts'])}" if row.get("hosts") else ""
    reason = f" – {row['reason']}" if row["reason"] else ""
    return f"{row['id']}{hosts} ({'; '.join(notes)}){reason}"


def _state(package: Record) -> str:
    held = [*package["held"]["permissions"], *package["held"]["hosts"]]
    states = [
        *(["linked"] if package["dev"] else []),
        *(["verified"] if package["verified"] else []),
        *([f"off: {', '.join(held)}"] if held else []),
        *([package["problem"]] if package["problem"] else []),
    ]
    return "; ".join(states) or "-"


def _catalogue_text(listed: Record) -> str:
    if not listed["catalogues"]:
        return "There are no catalogues. Add one with: cardloom card catalogue add PLACE"
    rows: Iterable[tuple[str, ...]] = [
        (one["name"], one["version"], one["author"] or "-", one["source"]) for one in listed["entries"]
    ]
    places = "\n".join(f"{one['location']} ({one['entries']})" for one in listed["catalogues"])
    return f"{places}\n\n{table(('NAME', 'VERSION', 'AUTHOR', 'INSTALL WITH'), rows)}"


def _size(count: int) -> str:
    return (
        f"{count} bytes"
        if count < _KIB
        else f"{count / _KIB:.0f} KiB"
        if count < _KIB**2
        else f"{count / _KIB**2:.1f} MiB"
    )
