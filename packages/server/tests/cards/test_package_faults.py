"""Packages that are refused, each fault at its place, through the whole server."""

from __future__ import annotations

import asyncio
import tarfile
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode

from .making_packages import PAGE, PNG, Author
from .owning import Owner


async def faults(owner: Owner, source: Path, **more: Any) -> list[tuple[str, str]]:
    """Where a package is refused, and for what."""
    error = await owner.page.refused("package.inspect", source=str(source), **more)
    assert error.code is ErrorCode.INVALID_PARAMS
    assert owner.staged() == 0
    return [(fault["path"], fault["keyword"]) for fault in error.data]


async def test_every_fault_of_the_manifest_is_told_with_its_place(owner: Owner, author: Author) -> None:
    author.describe(version="one", colour="red", permissions=[{"id": 5}])
    assert sorted(path for path, _ in await faults(owner, author.folder)) == [
        "/manifest/colour",
        "/manifest/permissions/0",
        "/manifest/version",
    ]
    author.describe(
        displayName="Official \u200b pantry",
        minSize=None,
    )
    assert ("/manifest/minSize", "schema") in await faults(owner, author.folder)


async def test_what_the_manifest_names_has_to_be_there(owner: Owner, author: Author) -> None:
    author.write({"dist/index.html": None, "icon.png": b"no image", "dist/other.html": PAGE})
    author.describe(icon="icon.png")
    assert await faults(owner, author.folder) == [("/manifest/entry", "file"), ("/manifest/icon", "file")]
    author.describe(icon="none.png", entry="dist/other.html")
    assert await faults(owner, author.folder) == [("/manifest/icon", "file")]
    author.write({"icon.png": PNG + bytes(128 * 1024)})
    author.describe(icon="icon.png", entry="dist/other.html")
    assert await faults(owner, author.folder) == [("/manifest/icon", "file")]


async def test_a_card_that_needs_a_newer_contract_is_refused_with_that_reason(owner: Owner, author: Author) -> None:
    author.describe(minAppVersion="0.1.265")
    error = await owner.page.refused("package.inspect", source=str(author.folder))
    assert [(fault["path"], fault["keyword"]) for fault in error.data] == [("/manifest/minAppVersion", "minAppVersion")]
    assert "0.1.265" in error.message
    author.describe(minAppVersion="0.1.264")
    assert (await owner.inspect(author.folder))["version"] == "1.0.0"


async def test_a_card_that_speaks_a_newer_protocol_is_refused(owner: Owner, author: Author) -> None:
    author.describe(protocol=2)
    assert await faults(owner, author.folder) == [("/manifest/protocol", "protocol")]


async def test_a_card_that_gives_itself_out_for_somebody_elses_is_refused(owner: Owner, author: Author) -> None:
    author.describe(displayName={"en": "Pantry", "ru": "Neuro Squad"}, author={"name": "V.e.r.i.f.i.e.d"})
    assert await faults(owner, author.folder) == [
        ("/manifest/displayName/ru", "impersonation"),
        ("/manifest/author/name", "impersonation"),
    ]


@pytest.mark.parametrize(
    ("text", "keyword"),
    [("{", "json"), ("[]", "type"), ('{"version": NaN}', "json"), ("[" * 100_000, "json"), (" " * 262_145, "size")],
)
async def test_a_manifest_that_is_none_is_refused(owner: Owner, author: Author, text: str, keyword: str) -> None:
    author.write({author.manifest_name: text})
    assert await faults(owner, author.folder) == [("/manifest", keyword)]


async def test_texts_with_half_a_character_do_no_harm(desk: Any, owner: Owner, author: Author) -> None:
    author.describe(displayName="Pantry \ud83d", description="half \udc00", author={"name": "A\ud800"})
    package = await owner.install(author.folder)
    assert package["displayName"].startswith("Pantry ")
    card_id = await desk.add("custom", packageId=package["packageId"])
    assert desk.card(card_id)["name"].startswith("Pantry ")


async def test_a_package_has_one_manifest(owner: Owner, author: Author) -> None:
    author.write({"cardloom-card.json": "{}"})
    assert await faults(owner, author.folder) == [("/files", "manifest")]
    author.write({"cardloom-card.json": None, author.manifest_name: None})
    assert await faults(owner, author.folder) == [("/files", "manifest")]


async def test_an_attack_by_archive_leaves_nothing_behind(owner: Owner, author: Author, tmp_path: Path) -> None:
    packed = tmp_path / "evil.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(author.folder, "pantry")
        archive.add(author.folder / "dist" / "index.html", "pantry/../../../../evil.html")
    assert await faults(owner, packed) == [("/files/pantry/../../../../evil.html", "path")]
    assert await asyncio.to_thread(lambda: list(tmp_path.rglob("evil.html"))) == []


@pytest.mark.parametrize("source", ["", "some folder", "./here", "ftp://example.org/x", "https://a:b@example.org/x"])
async def test_a_source_that_is_none_is_refused(owner: Owner, source: str) -> None:
    error = await owner.page.refused("package.inspect", source=source)
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_source_that_is_not_there_is_named(owner: Owner, tmp_path: Path) -> None:
    error = await owner.page.refused("package.inspect", source=str(tmp_path / "nowhere"))
    assert (error.code, str(tmp_path / "nowhere") in error.message) == (ErrorCode.NOT_FOUND, True)


async def test_neither_cards_nor_anybody_without_the_key_may_install(
    desk: Any, owner: Owner, author: Author, clients: Any
) -> None:
    package = await owner.install(author.folder)
    card = clients.card(await desk.add("custom", packageId=package["packageId"]))
    await card.call("host.ready", sdkVersion="1.0.0", protocol=1)
    for method in ("package.install", "package.update", "package.remove", "catalogue.add"):
        assert (await card.refused(method)).code is ErrorCode.METHOD_NOT_FOUND
