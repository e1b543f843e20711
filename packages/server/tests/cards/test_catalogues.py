"""Catalogues: what is read of them, and which packages count as verified."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.features.cards.installed.catalogue import parse_catalogue, voucher
from cardloom_protocol.errors import CallError, ErrorCode

from .making_packages import Author

COMMIT, TREE = "a" * 40, "b" * 64


def entry(**fields: Any) -> dict[str, Any]:
    return {
        "id": "pantry",
        "packageId": "pantry-watch",
        "name": "Pantry Watch",
        "description": "Watches.",
        "author": {"name": "Ann", "github": "acme"},
        "repo": "Acme/pantry",
        "version": "1.0.0",
        "commit": COMMIT,
        "treeHash": TREE,
        "permissions": ["cards.connected"],
        "category": "data",
        "license": "MIT",
        "official": False,
        "verifiedAt": "2026-01-01",
        "reviewer": "bob",
        **fields,
    }


def text(*entries: Any, **whole: Any) -> str:
    return json.dumps({"schemaVersion": 1, "cards": list(entries), **whole})


def test_entries_are_read_with_what_is_needed_to_install_exactly_them() -> None:
    catalogue = parse_catalogue("here", 5, text(entry(), entry(path="cards/x", official=True)))
    first, second = (each.to_wire() for each in catalogue.entries)
    assert first == {
        "packageId": "github:acme/pantry",
        "name": "pantry-watch",
        "displayName": "Pantry Watch",
        "description": "Watches.",
        "author": "Ann",
        "version": "1.0.0",
        "commit": COMMIT,
        "treeHash": TREE,
        "category": "data",
        "license": "MIT",
        "official": False,
        "permissions": ["cards.connected"],
        "verifiedAt": "2026-01-01",
        "reviewer": "bob",
        "source": f"Acme/pantry@{COMMIT}",
    }
    assert (second["source"], second["official"]) == (f"Acme/pantry/cards/x@{COMMIT}", True)
    assert catalogue.to_wire() == {"location": "here", "readAtMs": 5, "entries": 2, "faults": []}


def test_one_bad_entry_hides_no_other() -> None:
    bad = [entry(commit="abc"), entry(treeHash="x"), entry(repo="no"), entry(path="../x"), 5, {}]
    catalogue = parse_catalogue("here", 0, text(entry(), *bad))
    assert [each.name for each in catalogue.entries] == ["pantry-watch"]
    assert [fault.split(":")[0] for fault in catalogue.faults] == [
        "entry 1/commit",
        "entry 2/treeHash",
        "entry 3/repo",
        "entry 4/path",
        "entry 5",
        "entry 6/packageId",
    ]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"schemaVersion": 2, "cards": []}', '{"schemaVersion": 1}', "[" * 100_000]
)
def test_what_is_no_catalogue_is_refused(content: str) -> None:
    with pytest.raises(CallError) as refusal:
        parse_catalogue("here", 0, content)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("github:acme/pantry", "pantry-watch", COMMIT, TREE), True),
        (("file:pantry-1a2b3c4d", "pantry-watch", COMMIT, TREE), True),
        (("github:fork/pantry", "pantry-watch", COMMIT, TREE), False),
        (("github:acme/pantry/cards/x", "pantry-watch", COMMIT, TREE), False),
        (("github:acme/pantry", "other", COMMIT, TREE), False),
        (("github:acme/pantry", "pantry-watch", "c" * 40, TREE), False),
        (("github:acme/pantry", "pantry-watch", COMMIT, "c" * 64), False),
        (("file:pantry-1a2b3c4d", "pantry-watch", None, TREE), False),
        (("dev:1a2b3c4d", "pantry-watch", COMMIT, None), False),
    ],
)
def test_an_entry_vouches_for_its_commit_and_tree_alone(
    asked: tuple[str, str, str | None, str | None], found: bool
) -> None:
    catalogue = parse_catalogue("here", 0, text(entry()))
    assert (voucher([catalogue], *asked) is not None) is found


@pytest.fixture
def author(tmp_path: Path) -> Author:
    return Author(tmp_path / "pantry")


async def pinned(page: Any, author: Author, **fields: Any) -> tuple[dict[str, Any], str]:
    """A repository's package as it is looked at, and a catalogue that vouches for it."""
    commit = author.commit()
    review = await page.call("package.inspect", source=str(author.folder), ref=commit)
    return review, text(entry(commit=commit, treeHash=review["treeHash"], **fields))


async def test_a_pinned_package_is_verified_until_it_is_updated(page: Any, author: Author, tmp_path: Path) -> None:
    review, content = await pinned(page, author)
    assert review["verified"] is False
    path = tmp_path / "verified.json"
    path.write_text(content)
    added = await page.call("catalogue.add", location=str(path))
    assert [each["location"] for each in added["catalogues"]] == [str(path)]
    source = {"source": str(author.folder), "ref": "main"}
    assert (await page.call("package.inspect", **source))["verified"] is True
    package = await page.call("package.install", **source, treeHash=review["treeHash"])
    assert package["verified"] is True
    author.describe(version="1.0.1")
    author.commit()
    update = await page.call("package.inspect", packageId=package["packageId"])
    assert update["verified"] is False
    package = await page.call("package.update", packageId=package["packageId"], treeHash=update["treeHash"])
    assert package["verified"] is False
    package = await page.call("package.rollback", packageId=package["packageId"])
    assert package["verified"] is True


async def test_removing_a_catalogue_takes_the_mark_and_leaves_the_package(
    page: Any, author: Author, tmp_path: Path
) -> None:
    review, content = await pinned(page, author)
    path = tmp_path / "verified.json"
    path.write_text(content)
    await page.call("package.install", source=str(author.folder), ref=review["commit"], treeHash=review["treeHash"])
    await page.event("packages.changed")
    await page.call("catalogue.add", location=str(path))
    told = await page.event("packages.changed")
    assert [package["verified"] for package in told["packages"]] == [True]
    assert await page.call("catalogue.remove", location=str(path)) == {"catalogues": [], "entries": []}
    told = await page.event("packages.changed")
    assert [package["verified"] for package in told["packages"]] == [False]
    assert (await page.refused("catalogue.remove", location=str(path))).code is ErrorCode.NOT_FOUND


async def test_the_maker_of_guarded_words_may_use_them_where_a_catalogue_says_so(
    page: Any, author: Author, tmp_path: Path
) -> None:
    author.describe(displayName="Official pantry")
    commit = author.commit()
    source = {"source": str(author.folder), "ref": commit}
    assert (await page.refused("package.inspect", **source)).code is ErrorCode.INVALID_PARAMS
    author.describe()
    path = tmp_path / "verified.json"
    tree = author.tree_of(commit)
    for official in (False, True):
        path.write_text(text(entry(commit=commit, treeHash=tree, official=official)))
        await page.call("catalogue.add", location=str(path))
        if official:
            assert (await page.call("package.inspect", **source))["displayName"] == "Official pantry"
        else:
            assert (await page.refused("package.inspect", **source)).code is ErrorCode.INVALID_PARAMS


async def test_catalogues_outlast_what_they_were_read_from_and_are_read_again_when_asked_to(
    page: Any, app: App, author: Author, tmp_path: Path
) -> None:
    _, content = await pinned(page, author)
    path = tmp_path / "verified.json"
    path.write_text(content)
    await page.call("catalogue.add", location=str(path))
    path.write_text("{")
    refreshed = await page.call("catalogue.refresh")
    assert len(refreshed["entries"]) == 1
    assert str(path) in refreshed["problems"][0]
    path.write_text(text())
    refreshed = await page.call("catalogue.refresh")
    assert (refreshed["entries"], refreshed["problems"]) == ([], [])


async def test_a_catalogue_that_cannot_be_read_is_not_added(page: Any, tmp_path: Path) -> None:
    for location, code in (
        (str(tmp_path / "none.json"), ErrorCode.NOT_FOUND),
        (str(tmp_path), ErrorCode.UNAVAILABLE),
        ("verified.json", ErrorCode.INVALID_PARAMS),
        ("http://example.org/verified.json", ErrorCode.HOST_NOT_ALLOWED),
    ):
        assert (await page.refused("catalogue.add", location=location)).code is code
    assert (await page.call("catalogue.list"))["catalogues"] == []


@pytest.fixture
def published() -> Iterator[tuple[str, list[str]]]:
    """A catalogue on a server of this computer, and what it gives."""
    content = [text(entry())]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = content[0].encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/verified.json", content
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_catalogue_can_be_read_from_an_address(page: Any, app: App, published: tuple[str, list[str]]) -> None:
    address, content = published
    added = await page.call("catalogue.add", location=address)
    assert [each["name"] for each in added["entries"]] == ["pantry-watch"]
    content[0] = text(entry(), entry(packageId="other-card", path="other"))
    refreshed = await page.call("catalogue.refresh")
    assert [each["name"] for each in refreshed["entries"]] == ["other-card", "pantry-watch"]
    staging = app.settings.data_folder / "packages" / ".staging"
    assert list(staging.iterdir()) == []
