"""A card package is looked at, installed, put on the canvas, updated, returned and removed, all on the page."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .person import Person
from .running_server import RunningServer

PAGE = "<!doctype html><title>Pantry</title><h1>Pantry {version}</h1>"
REASON = {"en": "Reads what jam costs.", "ru": "Узнаёт цены на варенье.", "zh": "读取果酱价格。"}


def picture() -> bytes:
    """A green square as PNG."""
    rows = b"".join(b"\0" + bytes((60, 160, 110)) * 16 for _ in range(16))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def write_package(folder: Path, version: str, permissions: list[Any], **more: Any) -> Path:
    """A package as its author has it in a folder."""
    (folder / "dist").mkdir(parents=True, exist_ok=True)
    (folder / "dist" / "index.html").write_text(PAGE.format(version=version))
    (folder / "icon.png").write_bytes(picture())
    manifest = {
        "manifestVersion": 1,
        "protocol": 1,
        "name": "pantry-watch",
        "displayName": {"en": "Pantry Watch", "ru": "Кладовая", "zh": "储藏室"},
        "description": {"en": "Says what runs low.", "ru": "Скажет, что кончается.", "zh": "提示哪些快用完了。"},
        "version": version,
        "author": {"name": "Ann Baker", "url": "https://example.org/ann"},
        "license": "MIT",
        "icon": "icon.png",
        "entry": "dist/index.html",
        "permissions": permissions,
        **more,
    }
    (folder / "neurosquad-card.json").write_text(json.dumps(manifest))
    return folder


NETWORK = {"id": "network", "hosts": ["prices.example.org", "*.jam.example.org"], "reason": REASON}


@pytest.fixture
def package(home: Path) -> Path:
    return write_package(home / "pantry", "1.0.0", [NETWORK, {"id": "agents.read", "optional": True}])


class Packages:
    """The window of packages."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.page = person.page

    def open(self) -> None:
        self.person.choose("Add card", "Packages…")
        expect(self.window("Packages")).to_be_visible()

    def window(self, title: str) -> Locator:
        return self.page.get_by_role("dialog", name=title, exact=True)

    def look_at(self, source: str, *, dev: bool = False) -> None:
        self.page.get_by_label("Install from").fill(source)
        if dev:
            self.page.get_by_role("checkbox", name="Link the folder").check()
        self.person.button("Look at it").click()

    def row(self, name: str) -> Locator:
        return self.page.get_by_role("listitem", name=name, exact=True)

    def act(self, name: str, entry: str) -> None:
        self.person.button(f"Actions for {name}").click()
        self.page.get_by_role("menuitem", name=entry, exact=True).click()


@pytest.fixture
def packages(person: Person) -> Packages:
    return Packages(person)


def test_a_package_is_judged_before_it_is_installed_and_then_added(
    packages: Packages, person: Person, package: Path
) -> None:
    packages.open()
    packages.look_at(str(package))
    review = packages.window("Install “Pantry Watch”?")
    expect(review).to_be_visible()
    for text in ("Ann Baker", "1.0.0", "MIT", "3 files", "Reads what jam costs.", "prices.example.org", "medium risk"):
        expect(review.get_by_text(text).first).to_be_visible()
    expect(review.get_by_text("Granted by installing")).to_be_visible()
    expect(review.get_by_text("Asked for when needed")).to_be_visible()
    told = person.toast_to_come("Pantry Watch 1.0.0 is installed")
    person.button("Install").click()
    told()
    expect(packages.row("Pantry Watch")).to_be_visible()
    person.page.keyboard.press("Escape")
    person.add("Pantry Watch")
    expect(person.card("Custom card", "Pantry Watch")).to_be_visible()
    person.page.keyboard.press("Control+k")
    person.page.get_by_role("combobox").fill("pantry")
    expect(person.page.get_by_role("option", name="Add: Pantry Watch")).to_be_visible()


def test_an_update_shows_its_difference_and_asks_for_what_is_new(
    packages: Packages, person: Person, package: Path
) -> None:
    packages.open()
    packages.look_at(str(package))
    person.button("Install").click()
    expect(packages.row("Pantry Watch")).to_be_visible()
    packages.act("Pantry Watch", "Look for an update…")
    expect(person.page.get_by_text("is installed and current")).to_be_visible()
    person.button("Back").click()

    write_package(package, "2.0.0", [NETWORK, "cards.connected"])
    (package / "dist" / "app.js").write_text("export {}")
    packages.act("Pantry Watch", "Look for an update…")
    update = packages.window("Update “Pantry Watch”?")
    changes = update.get_by_role("region", name="What changes")
    expect(changes.get_by_text("dist/app.js")).to_be_visible()
    expect(changes.get_by_text("cards.connected", exact=True)).to_be_visible()
    expect(changes.get_by_text("agents.read")).to_be_visible()
    person.button("Update").click()
    row = packages.row("Pantry Watch")
    expect(row.get_by_text("this stays off: cards.connected")).to_be_visible()
    person.button("Allow").click()
    expect(row.get_by_text("this stays off")).to_have_count(0)

    packages.act("Pantry Watch", "Return to 1.0.0")
    expect(row.get_by_text("1.0.0", exact=True)).to_be_visible()
    packages.act("Pantry Watch", "Remove…")
    expect(packages.window("Remove “Pantry Watch”?")).to_be_visible()
    told = person.toast_to_come("Pantry Watch is removed")
    person.button("Remove").click()
    told()
    expect(row).to_have_count(0)


def test_a_faulty_package_says_everything_that_is_wrong_with_it(
    packages: Packages, person: Person, package: Path
) -> None:
    write_package(package, "one", ["nothing"], colour="red")
    packages.open()
    packages.look_at(str(package))
    alert = person.page.get_by_role("dialog").get_by_role("alert")
    for place in ("/manifest/version", "/manifest/colour"):
        expect(alert.get_by_text(place)).to_be_visible()
    write_package(package, "1.0.0", [], displayName="Official Pantry")
    packages.look_at(str(package))
    expect(alert).to_contain_text("Official Pantry")


def test_the_command_line_and_the_page_see_the_same_packages(
    packages: Packages, person: Person, server: RunningServer, package: Path
) -> None:
    packages.open()
    command = server.cardloom("card", "install", str(package), "--yes", "--json")
    assert json.loads(command)["version"] == "1.0.0"
    expect(packages.row("Pantry Watch")).to_be_visible()
    server.cardloom("card", "remove", "pantry-watch", "--drop-data")
    expect(packages.row("Pantry Watch")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "width", "height"), [("dark", 1280, 800), ("light", 1920, 1080)])
def test_how_the_window_looks(
    server: RunningServer,
    sit_down: Callable[..., Person],
    package: Path,
    home: Path,
    scheme: str,
    width: int,
    height: int,
) -> None:
    person = sit_down(server.address(), width=width, height=height, scheme=scheme)
    packages = Packages(person)
    name = f"{scheme}-{width}"
    packages.open()
    person.look(f"empty-{name}")
    packages.look_at(str(package))
    expect(packages.window("Install “Pantry Watch”?")).to_be_visible()
    person.look(f"review-{name}")
    person.button("Install").click()
    expect(packages.row("Pantry Watch")).to_be_visible()
    write_package(package, "2.0.0", [{**NETWORK, "hosts": ["prices.example.org", "new.example.org"]}, "fs.write"])
    for index in range(12):
        (package / "dist" / f"chunk-{index}.js").write_text("export {}")
    packages.act("Pantry Watch", "Look for an update…")
    expect(packages.window("Update “Pantry Watch”?")).to_be_visible()
    person.look(f"update-{name}")
    person.button("Update").click()
    expect(packages.row("Pantry Watch").get_by_text("this stays off")).to_be_visible()
    person.look(f"list-{name}")
    packages.act("Pantry Watch", "Remove…")
    expect(packages.window("Remove “Pantry Watch”?")).to_be_visible()
    person.look(f"remove-{name}")
    person.button("Back").click()
    write_package(package, "3", ["nothing"], colour="red")
    packages.look_at(str(package))
    expect(person.page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    person.look(f"faults-{name}")
    catalogue = home / "verified.json"
    catalogue.write_text(json.dumps({"schemaVersion": 1, "cards": [_entry(index) for index in range(9)]}))
    person.page.get_by_role("tab", name="Catalogues").click()
    person.page.get_by_label("File or address of a catalogue").fill(str(catalogue))
    person.button("Add").last.click()
    expect(packages.row("Jam Clock 3")).to_be_visible()
    person.look(f"catalogue-{name}")
    person.page.keyboard.press("Escape")
    person.button("Add card").click()
    expect(person.page.get_by_role("menu")).to_be_visible()
    person.look(f"menu-{name}")


def _entry(index: int) -> dict[str, Any]:
    return {
        "packageId": f"jam-clock-{index}",
        "name": f"Jam Clock {index}",
        "description": "Counts the jars on the shelf and says when to cook again.",
        "author": {"name": "Ann Baker"},
        "repo": f"ann/jam-clock-{index}",
        "version": "1.2.0",
        "commit": "a" * 40,
        "treeHash": "b" * 64,
        "official": index == 0,
    }
