"""Packages updated, returned to a former version and removed, through the whole server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, PackageId

from .making_packages import PAGE, Author
from .owning import Owner


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
