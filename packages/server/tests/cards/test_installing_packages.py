"""Packages looked at and installed, through the whole server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from cardloom.app import App, running
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId
from cardloom_protocol.package_tree import tree_hash

from .making_packages import PAGE, PNG, Author
from .owning import Owner


def files_hash(folder: Path) -> str:
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return tree_hash(
        {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    )


async def test_a_review_shows_who_made_it_what_it_is_and_what_it_asks_for(owner: Owner, author: Author) -> None:
    permissions = [
        {"id": "network", "hosts": ["api.example.org"], "reason": {"en": "Reads prices.", "ru": "Цены."}},
        {"id": "agents.read", "optional": True},
    ]
    author.write({"icon.png": PNG})
    author.describe(permissions=permissions, license="MIT", description="Watches.", icon="icon.png")
    review = await owner.inspect(author.folder)
    assert review["packageId"].startswith("file:pantry-")
    shown = {name: review[name] for name in ("name", "displayName", "description", "version", "kind", "license")}
    assert shown == {
        "name": "pantry-watch",
        "displayName": "Pantry Watch",
        "description": "Watches.",
        "version": "1.0.0",
        "kind": "frame",
        "license": "MIT",
    }
    assert review["author"] == {"name": "Ann", "url": None}
    assert review["treeHash"] == files_hash(author.folder)
    assert review["files"] == {"count": 3, "bytes": sum(p.stat().st_size for p in author.folder.rglob("*.*"))}
    assert review["permissions"] == [
        {"id": "agents.read", "risk": "low", "optional": True, "reason": None},
        {
            "id": "network",
            "risk": "medium",
            "optional": False,
            "reason": "Reads prices.",
            "hosts": ["api.example.org"],
        },
    ]
    assert (review["hosts"], review["installed"], review["verified"]) == (["api.example.org"], None, False)
    assert review["icon"].startswith("data:image/png;base64,")
    assert owner.trees() == set()
    assert await owner.packages() == []


async def test_an_installed_package_can_be_put_on_a_canvas_with_what_it_requires(
    desk: Any, owner: Owner, author: Author
) -> None:
    author.describe(permissions=["cards.connected", {"id": "agents.read", "optional": True}])
    package = await owner.install(author.folder)
    assert await owner.packages() == [package["packageId"]]
    assert (await owner.page.event("packages.changed"))["packages"] == [package]
    card_id = await desk.add("custom", packageId=package["packageId"])
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected"}
    assert desk.card(card_id)["content"]["displayName"] == "Pantry Watch"
    mounted = await owner.page.call("card.mount", cardId=card_id)
    assert mounted["url"].endswith("/dist/index.html")


async def test_a_card_is_told_where_its_package_comes_from(
    desk: Any, owner: Owner, author: Author, clients: Any
) -> None:
    commit = author.commit()
    package = await owner.install(author.folder, ref="main")
    card = clients.card(await desk.add("custom", packageId=package["packageId"]))
    instance = (await card.call("host.ready", sdkVersion="1.0.0", protocol=1))["instance"]
    assert (instance["commit"], instance["dev"]) == (commit, False)
    assert instance["packageId"] == package["packageId"]


async def test_what_is_installed_is_a_copy(owner: Owner, author: Author) -> None:
    package = await owner.install(author.folder)
    author.write({"dist/index.html": "changed"})
    kept = owner.app.settings.data_folder / "packages" / package["treeHash"] / "dist" / "index.html"
    assert kept.read_text() == PAGE
    assert (owner.trees(), owner.staged()) == ({package["treeHash"]}, 0)


async def test_an_archive_a_folder_and_a_repository_of_the_same_files_have_one_hash(
    owner: Owner, author: Author, tmp_path: Path
) -> None:
    packed = author.pack(tmp_path / "pantry-watch-1.0.0.tar.gz")
    author.commit()
    hashes = {
        (await owner.inspect(source, **more))["treeHash"]
        for source, more in (
            (author.folder, {}),
            (packed, {}),
            (author.folder, {"ref": "main"}),
            (f"file://{author.folder}", {}),
        )
    }
    assert hashes == {files_hash(author.folder)}


async def test_a_folder_of_a_repository_or_an_archive_can_be_installed(owner: Owner, tmp_path: Path) -> None:
    whole = Author(tmp_path / "many", "other-card")
    part = Author(whole.folder / "cards" / "pantry")
    whole.commit()
    packed = whole.pack(tmp_path / "many.tgz")
    for source, more in ((whole.folder, {}), (packed, {}), (whole.folder, {"ref": "main"})):
        review = await owner.inspect(source, folder="cards/pantry", **more)
        assert (review["name"], review["treeHash"]) == ("pantry-watch", files_hash(part.folder))
        error = await owner.page.refused("package.inspect", source=str(source), folder="cards/none", **more)
        assert error.code is ErrorCode.NOT_FOUND


async def test_a_linked_folder_is_used_as_it_is(desk: Any, owner: Owner, author: Author) -> None:
    package = await owner.install(author.folder, dev=True)
    assert package["packageId"].startswith("dev:")
    assert (package["dev"], package["treeHash"], owner.trees()) == (True, None, set())
    card_id = await desk.add("custom", packageId=package["packageId"])
    assert desk.app.cards.book.is_outside(desk.app.graph.card(card_id)) is False
    author.describe(version="1.1.0", displayName="Pantry")
    assert (await owner.package(package["packageId"]))["version"] == "1.1.0"
    author.write({author.manifest_name: "{"})
    broken = await owner.package(package["packageId"])
    assert broken["version"] == "1.0.0"
    assert "not JSON" in broken["problem"]


async def test_what_a_linked_folder_asks_for_later_is_off_until_accepted(
    desk: Any, owner: Owner, author: Author
) -> None:
    package = await owner.install(author.folder, dev=True)
    author.describe(permissions=["cards.connected", {"id": "network", "hosts": ["a.example.org"]}])
    listed = await owner.package(package["packageId"])
    assert listed["held"]["permissions"] == ["cards.connected", "network"]
    card_id = await desk.add("custom", packageId=package["packageId"])
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    accepted = await owner.page.call("package.update", packageId=package["packageId"], accept=True)
    assert accepted["held"] == {"permissions": [], "hosts": []}
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected", "network"}


async def test_a_package_that_changed_since_it_was_looked_at_is_not_installed(
    owner: Owner, author: Author, app: App
) -> None:
    review = await owner.inspect(author.folder)
    app.packaging.library.looks.forget()
    author.write({"dist/evil.js": "x"})
    error = await owner.page.refused("package.install", source=str(author.folder), treeHash=review["treeHash"])
    assert (error.code, "look at it again" in error.message) == (ErrorCode.INVALID_PARAMS, True)
    assert await owner.packages() == []


async def test_what_was_looked_at_is_what_is_installed_though_its_folder_changed_since(
    owner: Owner, author: Author
) -> None:
    review = await owner.inspect(author.folder)
    author.write({"dist/index.html": "evil"})
    package = await owner.page.call("package.install", source=str(author.folder), treeHash=review["treeHash"])
    kept = owner.app.settings.data_folder / "packages" / package["treeHash"] / "dist" / "index.html"
    assert kept.read_text() == PAGE


async def test_looking_often_keeps_no_more_than_a_few(owner: Owner, author: Author) -> None:
    for version in range(12):
        author.describe(version=f"1.0.{version}")
        await owner.inspect(author.folder)
    assert owner.staged() == 8


async def test_a_package_is_installed_once_and_then_updated(owner: Owner, author: Author) -> None:
    package = await owner.install(author.folder)
    review = await owner.inspect(author.folder)
    assert review["installed"]["isCurrent"] is True
    error = await owner.page.refused("package.install", source=str(author.folder), treeHash=review["treeHash"])
    assert (error.code, package["packageId"] in error.message) == (ErrorCode.INVALID_PARAMS, True)


async def test_the_same_name_from_elsewhere_is_another_package_and_the_review_says_so(
    owner: Owner, author: Author, tmp_path: Path
) -> None:
    first = await owner.install(author.folder)
    twin = Author(tmp_path / "elsewhere" / "pantry")
    review = await owner.inspect(twin.folder)
    assert review["packageId"] != first["packageId"]
    assert review["sameName"] == [first["packageId"]]
    await owner.install(twin.folder)
    assert len(await owner.packages()) == 2


async def test_a_program_is_installed_the_same_way_and_its_first_start_asks(
    desk: Any, owner: Owner, tmp_path: Path, listening: Any
) -> None:
    author = Author(tmp_path / "watcher", "log-watcher", python=True)
    author.describe(permissions=["cards.connected"])
    package = await owner.install(author.folder)
    assert (package["kind"], package["held"]["permissions"]) == ("python", [])
    card_id = await desk.add("custom", packageId=package["packageId"])
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    dialog = await desk.answer(accepted=True)
    assert dialog["kind"] == "startProgram"
    await desk.until_status(card_id, "stopped")
    assert await desk.log(card_id) == ["hello"]
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected"}


async def test_installed_packages_outlive_the_server(
    settings: Settings, author: Author, clients_of: Callable[[App], AbstractAsyncContextManager[Any]]
) -> None:
    async with running(settings) as app, clients_of(app) as clients:
        owner = Owner(app, await clients.page())
        package = await owner.install(author.folder)
        author.describe(version="1.1.0")
        await owner.update(package["packageId"])
        before = await owner.package(package["packageId"])
        await owner.inspect(author.folder)
        trees, staged = owner.trees(), owner.staged()
    assert (len(trees), staged) == (2, 1)
    (settings.data_folder / "packages" / ("0" * 64)).mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        owner = Owner(app, await clients.page())
        assert await owner.package(package["packageId"]) == before
        assert (owner.trees(), owner.staged()) == (trees, 0)
