"""Packages looked at, installed, updated, returned to a former version and removed, through the whole server."""

from __future__ import annotations

import asyncio
import hashlib
import json
import tarfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App, running
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, PackageId
from cardloom_protocol.package_tree import tree_hash

from .making_packages import PAGE, Author

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


class Owner:
    """The owner at a page."""

    def __init__(self, app: App, page: Any) -> None:
        self.app = app
        self.page = page

    async def inspect(self, source: Path | str, **more: Any) -> dict[str, Any]:
        review: dict[str, Any] = await self.page.call("package.inspect", source=str(source), **more)
        return review

    async def install(self, source: Path | str, **more: Any) -> dict[str, Any]:
        """Look at a package and install it."""
        review = await self.inspect(source, **more)
        made: dict[str, Any] = await self.page.call(
            "package.install", source=str(source), treeHash=review["treeHash"], **more
        )
        return made

    async def update(self, package_id: str, *, accept: bool = False, **more: Any) -> dict[str, Any]:
        """Look at what an update would change and take it; gives what was shown."""
        review: dict[str, Any] = await self.page.call("package.inspect", packageId=package_id, **more)
        tree = review["treeHash"]
        await self.page.call("package.update", packageId=package_id, treeHash=tree, accept=accept, **more)
        return review

    async def package(self, package_id: str) -> dict[str, Any]:
        """An installed package as the list has it."""
        listed = (await self.page.call("package.list"))["packages"]
        return next(package for package in listed if package["packageId"] == package_id)

    async def packages(self) -> list[str]:
        return [package["packageId"] for package in (await self.page.call("package.list"))["packages"]]

    def trees(self) -> set[str]:
        """The trees that lie on disk."""
        folder = self.app.settings.data_folder / "packages"
        return {path.name for path in folder.iterdir() if path.name != ".staging"} if folder.exists() else set()

    def staged(self) -> int:
        folder = self.app.settings.data_folder / "packages" / ".staging"
        return len(list(folder.iterdir())) if folder.exists() else 0


@pytest.fixture
def owner(app: App, page: Any) -> Owner:
    return Owner(app, page)


@pytest.fixture
def author(tmp_path: Path) -> Author:
    return Author(tmp_path / "work" / "pantry")


def files_hash(folder: Path) -> str:
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return tree_hash(
        {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    )


# Looking and installing


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


# Faults


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


# Updating


async def test_an_update_shows_what_changes_in_files_permissions_and_hosts(owner: Owner, author: Author) -> None:
    author.write({"dist/old.js": "old"})
    network = {"id": "network", "hosts": ["a.example.org", "b.example.org"]}
    author.describe(permissions=[network, "agents.read", {"id": "fs.read", "optional": True}])
    package = await owner.install(author.folder)
    author.write({"dist/old.js": None, "dist/new.js": "new", "dist/index.html": f"{PAGE}!"})
    network = {"id": "network", "hosts": ["b.example.org", "c.example.org"]}
    author.describe(
        version="1.1.0", permissions=[network, "fs.read", "cards.connected", {"id": "usage.read", "optional": True}]
    )
    review = await owner.page.call("package.inspect", packageId=package["packageId"])
    assert (review["version"], review["installed"]["version"], review["installed"]["isCurrent"]) == (
        "1.1.0",
        "1.0.0",
        False,
    )
    assert review["installed"]["difference"] == {
        "files": {
            "added": ["dist/new.js"],
            "changed": ["dist/index.html", "neurosquad-card.json"],
            "removed": ["dist/old.js"],
        },
        "more": 0,
        "permissions": {"added": ["cards.connected", "fs.read", "usage.read"], "removed": ["agents.read"]},
        "hosts": {"added": ["c.example.org"], "removed": ["a.example.org"]},
        "needs": {"permissions": ["cards.connected", "fs.read"], "hosts": ["c.example.org"]},
    }
    assert (await owner.package(package["packageId"]))["version"] == "1.0.0"


async def test_what_an_update_asks_for_is_off_until_the_owner_accepts_it(
    desk: Any, owner: Owner, author: Author
) -> None:
    author.describe(permissions=["cards.connected", {"id": "network", "hosts": ["a.example.org"]}])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = CardId(await desk.add("custom", packageId=package_id))
    network = {"id": "network", "hosts": ["a.example.org", "evil.example.org"]}
    author.describe(version="2.0.0", permissions=["cards.connected", "agents.output", network])
    await owner.update(package_id)
    assert desk.app.grants.effective(card_id) == {"cards.connected", "network"}
    listed = await owner.package(package_id)
    assert listed["held"] == {"permissions": ["agents.output"], "hosts": ["evil.example.org"]}
    hosts = [entry["hosts"] for entry in listed["permissions"] if entry["id"] == "network"]
    assert hosts == [["a.example.org"]]
    second = CardId(await desk.add("custom", packageId=package_id))
    assert desk.app.grants.effective(second) == {"cards.connected", "network"}
    await owner.page.call("package.update", packageId=package_id, accept=True)
    assert desk.app.grants.effective(card_id) == {"cards.connected", "network", "agents.output", "agents.read"}
    listed = await owner.package(package_id)
    assert listed["held"] == {"permissions": [], "hosts": []}
    hosts = [entry["hosts"] for entry in listed["permissions"] if entry["id"] == "network"]
    assert hosts == [["a.example.org", "evil.example.org"]]


async def test_accepting_with_the_update_grants_it_at_once_but_nothing_that_was_revoked(
    desk: Any, owner: Owner, author: Author
) -> None:
    author.describe(permissions=["cards.connected"])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = CardId(await desk.add("custom", packageId=package_id))
    revoked = {"packageId": package_id, "permission": "cards.connected", "granted": False}
    await owner.page.call("grant.set", workspaceId=desk.id, **revoked)
    author.describe(version="2.0.0", permissions=["cards.connected", "usage.read"])
    await owner.update(package_id, accept=True)
    assert desk.app.grants.effective(card_id) == {"usage.read"}


async def test_an_update_takes_away_what_it_does_not_ask_for_any_more(desk: Any, owner: Owner, author: Author) -> None:
    author.describe(permissions=["cards.connected", "usage.read"])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = CardId(await desk.add("custom", packageId=package_id))
    author.describe(version="2.0.0", permissions=["cards.connected"])
    await owner.update(package_id)
    assert desk.app.grants.effective(card_id) == {"cards.connected"}
    author.describe(version="3.0.0", permissions=["cards.connected", "usage.read"])
    await owner.update(package_id)
    assert desk.app.grants.effective(card_id) == {"cards.connected"}


async def test_cards_follow_an_update_and_a_running_frame_is_loaded_anew(
    desk: Any, owner: Owner, author: Author
) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    mounted = await owner.page.call("card.mount", cardId=card_id)
    assert desk.runtime(card_id)["status"] == "loading"
    inputs = [{"id": "items", "label": "Items", "type": "ns:tasks"}]
    author.describe(version="2.0.0", displayName="Pantry 2", ports={"inputs": inputs})
    await owner.update(package_id)
    card = desk.card(card_id)
    assert (card["content"]["version"], card["name"]) == ("2.0.0", "Pantry 2")
    assert [port["id"] for port in card["ports"]["inputs"]] == ["items"]
    assert card["runtime"]["status"] == "unmounted"
    assert desk.app.cards.frames.has(CardId(card_id)) is False
    again = await owner.page.call("card.mount", cardId=card_id)
    assert again["token"] != mounted["token"]


async def test_a_program_is_started_anew_after_an_update(
    desk: Any, owner: Owner, tmp_path: Path, listening: Any
) -> None:
    author = Author(tmp_path / "watcher", "log-watcher", python=True)
    author.write({"card.py": "import time\nprint('one', flush=True)\ntime.sleep(1000)\n"})
    author.describe()
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    await desk.answer(accepted=True)
    await desk.until(lambda: "one" in [line["text"] for line in desk.app.cards.logs.lines(CardId(card_id), None)])
    author.write({"card.py": "print('two')\n"})
    author.describe(version="2.0.0")
    await owner.update(package_id)
    await desk.until_status(card_id, "stopped")
    assert await desk.log(card_id) == ["one", "two"]


async def test_an_update_comes_from_the_branch_that_was_installed(owner: Owner, author: Author) -> None:
    author.commit()
    package_id = (await owner.install(author.folder, ref="main"))["packageId"]
    author.describe(version="2.0.0")
    review = await owner.page.call("package.inspect", packageId=package_id)
    assert review["installed"]["isCurrent"] is True
    commit = author.commit()
    review = await owner.update(package_id)
    assert (review["version"], review["commit"]) == ("2.0.0", commit)
    assert (await owner.package(package_id))["commit"] == commit


async def test_an_update_may_come_from_another_file_but_must_be_the_same_package(
    owner: Owner, author: Author, tmp_path: Path
) -> None:
    first = author.pack(tmp_path / "pantry-1.tar.gz")
    package_id = (await owner.install(first))["packageId"]
    assert package_id.startswith("file:pantry-watch-")
    author.describe(version="2.0.0")
    second = author.pack(tmp_path / "pantry-2.tar.gz")
    await owner.update(package_id, source=str(second))
    assert (await owner.package(package_id))["version"] == "2.0.0"
    other = Author(tmp_path / "other", "other-card")
    error = await owner.page.refused("package.inspect", packageId=package_id, source=str(other.folder))
    assert (error.code, "other-card" in error.message) == (ErrorCode.INVALID_PARAMS, True)


async def test_a_page_cannot_become_a_program_by_an_update(owner: Owner, author: Author) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    manifest = json.loads((author.folder / author.manifest_name).read_text())
    del manifest["entry"]
    author.write({author.manifest_name: None, "card.py": "print()"})
    author.write({"cardloom-card.json": json.dumps({**manifest, "python": "card.py"})})
    error = await owner.page.refused("package.inspect", packageId=package_id)
    assert (error.code, "another kind" in error.message) == (ErrorCode.INVALID_PARAMS, True)


async def test_a_package_of_a_hosting_service_cannot_be_updated_from_elsewhere(
    owner: Owner, author: Author, app: App
) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    versions = app.packaging.library._versions
    elsewhere = PackageId("github:acme/pantry")
    versions[elsewhere] = [replace(version, package_id=elsewhere) for version in versions.pop(package_id)]
    error = await owner.page.refused("package.inspect", packageId=elsewhere, source=str(author.folder))
    assert (error.code, "install it instead" in error.message) == (ErrorCode.INVALID_PARAMS, True)


async def test_an_update_needs_what_was_looked_at_or_consent(owner: Owner, author: Author) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    for method, code in (("package.update", ErrorCode.INVALID_PARAMS), ("package.inspect", ErrorCode.NOT_FOUND)):
        error = await owner.page.refused(method, packageId=package_id if method.endswith("update") else "file:none")
        assert error.code is code
    assert (await owner.page.refused("package.inspect")).code is ErrorCode.INVALID_PARAMS


# Returning


async def test_a_package_returns_to_the_version_before_with_what_that_was_granted(
    desk: Any, owner: Owner, author: Author
) -> None:
    author.describe(permissions=["cards.connected", "usage.read", {"id": "agents.read", "optional": True}])
    first = await owner.install(author.folder)
    package_id = first["packageId"]
    card_id = CardId(await desk.add("custom", packageId=package_id))
    for permission, granted in (("agents.read", True), ("usage.read", False)):
        await owner.page.call(
            "grant.set", workspaceId=desk.id, packageId=package_id, permission=permission, granted=granted
        )
    author.describe(version="2.0.0", permissions=["cards.connected", "clipboard.write"])
    await owner.update(package_id, accept=True)
    assert desk.app.grants.effective(card_id) == {"cards.connected", "clipboard.write"}
    assert (await owner.package(package_id))["former"] == "1.0.0"
    returned = await owner.page.call("package.rollback", packageId=package_id)
    assert {**returned, "icon": None} == {**first, "former": None, "icon": None}
    assert desk.app.grants.effective(card_id) == {"cards.connected", "agents.read"}
    assert desk.card(card_id)["content"]["version"] == "1.0.0"
    assert owner.trees() == {first["treeHash"]}
    error = await owner.page.refused("package.rollback", packageId=package_id)
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_only_the_last_versions_are_kept(owner: Owner, author: Author) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    for version in range(1, 9):
        author.describe(version=f"1.{version}.0")
        await owner.update(package_id)
    assert len(owner.trees()) == 5
    for _ in range(4):
        await owner.page.call("package.rollback", packageId=package_id)
    assert (await owner.package(package_id))["version"] == "1.4.0"


# Removing


async def test_a_removed_package_is_gone_and_its_cards_say_so(
    desk: Any, owner: Owner, author: Author, listening: Any
) -> None:
    author.describe(permissions=["cards.connected"])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    await owner.page.call("card.mount", cardId=card_id)
    await owner.page.call("package.remove", packageId=package_id, dropData=False)
    assert (await owner.packages(), owner.trees()) == ([], set())
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    await desk.until(lambda: "not installed" in (desk.runtime(card_id).get("error") or ""))
    error = await owner.page.refused("card.mount", cardId=card_id)
    assert error.code is ErrorCode.UNAVAILABLE
    error = await owner.page.refused("package.remove", packageId=package_id, dropData=False)
    assert error.code is ErrorCode.NOT_FOUND


async def test_cards_of_a_package_that_is_installed_again_come_back(desk: Any, owner: Owner, author: Author) -> None:
    author.describe(permissions=["cards.connected"])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    await owner.page.call("package.remove", packageId=package_id, dropData=False)
    await owner.install(author.folder)
    assert desk.app.grants.effective(CardId(card_id)) == {"cards.connected"}
    assert (await owner.page.call("card.mount", cardId=card_id))["token"]


async def test_a_removed_program_ends(desk: Any, owner: Owner, tmp_path: Path, listening: Any) -> None:
    author = Author(tmp_path / "watcher", "log-watcher", python=True)
    author.write({"card.py": "import time\nprint('up', flush=True)\ntime.sleep(1000)\n"})
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    await desk.answer(accepted=True)
    await desk.until(lambda: desk.app.cards.programs.pid(CardId(card_id)) is not None)
    await owner.page.call("package.remove", packageId=package_id, dropData=False)
    assert desk.app.cards.programs.pid(CardId(card_id)) is None
    await owner.install(author.folder)
    assert (await desk.answer(accepted=False))["kind"] == "startProgram"


async def test_a_question_of_a_removed_package_is_closed_and_its_answer_grants_nothing(
    desk: Any, owner: Owner, tmp_path: Path, listening: Any
) -> None:
    author = Author(tmp_path / "watcher", "log-watcher", python=True)
    author.describe(permissions=["cards.connected"])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    dialog = (await owner.page.event("dialog.opened"))["dialog"]
    await owner.page.call("package.remove", packageId=package_id, dropData=False)
    await owner.page.event("dialog.closed", lambda data: data["dialogId"] == dialog["id"])
    error = await owner.page.refused("dialog.answer", dialogId=dialog["id"], accepted=True)
    assert error.code is ErrorCode.NOT_FOUND
    await owner.install(author.folder)
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    assert (await desk.answer(accepted=False))["kind"] == "startProgram"


async def test_a_question_of_a_page_is_closed_by_its_update(
    desk: Any, owner: Owner, author: Author, clients: Any
) -> None:
    author.describe(permissions=[{"id": "agents.output", "optional": True}])
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    shown = [{"cardId": card_id, "visibility": "visible"}]
    await owner.page.call("client.presence", workspaceId=desk.id, active=True, cards=shown)
    card = clients.card(card_id)
    await card.call("host.ready", sdkVersion="1.0.0", protocol=1)
    asking = asyncio.create_task(card.call("permissions.request", ids=["agents.output"]))
    await owner.page.event("dialog.opened")
    author.describe(version="2.0.0")
    await owner.update(package_id)
    assert await asking == {"granted": []}
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()


@pytest.mark.parametrize("drop", [False, True])
async def test_what_cards_keep_goes_only_when_the_owner_says_so(
    desk: Any, owner: Owner, author: Author, clients: Any, drop: bool
) -> None:
    package_id = (await owner.install(author.folder))["packageId"]
    card_id = await desk.add("custom", packageId=package_id)
    card = clients.card(card_id)
    await card.call("host.ready", sdkVersion="1.0.0", protocol=1)
    for scope in ("instance", "package"):
        await card.call("storage.set", scope=scope, key="jam", value=3)
    await owner.page.call("package.remove", packageId=package_id, dropData=drop)
    await owner.install(author.folder)
    for scope in ("instance", "package"):
        assert (await card.call("storage.get", scope=scope, key="jam"))["exists"] is not drop
