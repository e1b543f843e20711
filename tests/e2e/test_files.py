"""A person looks into the workspace's files, sends one to a card, follows a reference back, and changes the folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .person import Person, inside, middle
from .running_server import RunningServer
from .test_packages import picture

RADAR = {
    "manifestVersion": 1,
    "protocol": 1,
    "name": "spot-light",
    "displayName": "Spot Light",
    "description": "Takes a place in a file.",
    "version": "1.0.0",
    "author": {"name": "Ann Baker"},
    "license": "MIT",
    "entry": "index.html",
    "permissions": ["fs.read", "fs.write", "clipboard.write"],
    "ports": {"inputs": [{"id": "spot", "label": "Spot", "type": "ns:file-ref"}]},
}
PAGE = """<!doctype html><title>Spot</title><h1>Spot Light</h1><p id="said"></p><script type="module">
import { connect } from "./__ns/sdk.js";
const card = await connect();
const said = document.getElementById("said");
card.ports.onMessage(async (spot) => {
  const text = await card.fs.readText(spot.path);
  const line = text.split("\\n")[spot.line - 1];
  await card.fs.writeText("spots/latest.txt", line, { createDirs: true });
  await card.copyText(line);
  const why = await card.fs.writeText("CLAUDE.md", line).catch((error) => error);
  said.textContent = `${why.code} ${why.data.reason}`;
}, { input: "spot" });
</script>"""


@pytest.fixture
def package(home: Path) -> Path:
    folder = home / "spot-light"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE)
    (folder / "neurosquad-card.json").write_text(json.dumps(RADAR))
    return folder


@pytest.fixture
def project(folder: Path) -> Path:
    """A workspace folder with a bit of everything."""
    (folder / "src" / "cart").mkdir(parents=True)
    (folder / "src" / "cart" / "prices.py").write_text(
        "".join(f"def price_{number}() -> int:\n    return {number}\n\n\n" for number in range(1, 200))
    )
    (folder / "docs").mkdir()
    (folder / "docs" / "logo.png").write_bytes(picture())
    (folder / "README.md").write_text(
        "# Corner shop\n\nWhat [a jar costs](src/cart/prices.py#L401) and how it [looks](docs/logo.png).\n\n"
        "| jam | price |\n|---|---|\n| plum | 3 |\n\n- [x] counted\n- [ ] sold\n"
    )
    (folder / "data.bin").write_bytes(bytes(range(256)))
    (folder / "jars").mkdir()
    for number in range(3000):
        (folder / "jars" / f"jar {number}.txt").touch()
    return folder


class Files:
    """The drawer at the left."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.page = person.page

    def open(self) -> None:
        self.person.button("Show or hide the files").click()
        expect(self.tree()).to_be_visible()

    def tree(self) -> Locator:
        return self.page.get_by_role("tree", name=re.compile("^Files of "))

    def row(self, name: str) -> Locator:
        return self.tree().get_by_role("treeitem", name=name, exact=True)

    def preview(self) -> Locator:
        return self.page.get_by_role("region", name="Preview")

    def line(self, number: int) -> Locator:
        return self.preview().locator("[aria-current=true]").filter(has=self.page.get_by_label(f"Line {number}"))


@pytest.fixture
def files(project: Path, server: RunningServer, person: Person) -> Files:
    return Files(person)


def test_files_are_looked_at_sent_to_a_card_and_found_again(
    files: Files, person: Person, server: RunningServer, project: Path, package: Path
) -> None:
    server.cardloom("card", "install", str(package), "--yes")
    person.add("Note")
    person.add("Spot Light")
    person.see_all()
    files.open()
    keyboard = person.page.keyboard

    # By keys alone: into a folder of the tree and to a file, whose text stands there with its lines.
    expect(files.row("src")).to_be_visible()
    files.tree().focus()
    keyboard.press("s")
    keyboard.press("ArrowRight")
    expect(files.row("cart")).to_be_visible()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowRight")
    expect(files.row("prices.py")).to_be_visible()
    keyboard.press("ArrowRight")
    keyboard.press("Enter")
    expect(files.preview().get_by_text("def price_1() -> int:")).to_be_visible()

    # A link of a Markdown file leads to its line.
    files.row("README.md").click()
    expect(files.preview().get_by_role("heading", name="Corner shop")).to_be_visible()
    files.preview().get_by_role("link", name="a jar costs").click()
    expect(files.line(401)).to_contain_text("def price_101")
    expect(files.line(401)).to_be_in_viewport()

    # Dragged onto cards: one takes it, the other says why it cannot.
    person.see_all()
    note, radar = person.card("Note", "Note"), person.card("Custom card", "Spot Light")
    person.press_and_hold(middle(files.preview().get_by_role("heading").first), inside(note))
    expect(note.get_by_text("Note takes no file, only markdown")).to_be_visible()
    refused = person.toast_to_come("Note takes no file, only markdown")
    person.page.mouse.up()
    refused()
    person.press_and_hold(middle(files.preview().get_by_role("heading").first), inside(radar))
    expect(radar.get_by_text("File → Spot")).to_be_visible()
    sent = person.toast_to_come("Spot Light has prices.py:401")
    copied = person.toast_to_come("Spot Light: Text copied to the clipboard")
    person.page.mouse.up()
    sent()

    # The card reads the file, writes another and copies the line; what nobody may write it may not either.
    copied()
    assert person.clipboard() == "def price_101() -> int:"
    expect(files.row("spots")).to_be_visible()
    assert (project / "spots" / "latest.txt").read_text() == "def price_101() -> int:"
    frame = radar.frame_locator("iframe")
    expect(frame.get_by_text("FS_DENIED protected")).to_be_visible()

    # What was sent is in the journal, and leads back to the line from there.
    person.button("Close the preview").click()
    keyboard.press("Escape")
    person.details().get_by_role("button", name="Open src/cart/prices.py:401").first.click()
    expect(files.line(401)).to_be_in_viewport()

    # The disk and the drawer stay the same, whoever changes it.
    (project / "src" / "cart" / "prices.py").write_text("COUNT = 1\n")
    expect(files.preview().get_by_text("COUNT = 1")).to_be_visible()
    expect(files.preview().get_by_text("There is no line 401")).to_be_visible()
    server.cardloom("fs", "write", "src/cart/new.py", "pass")
    expect(files.row("new.py")).to_be_visible()
    (project / "src" / "cart" / "new.py").unlink()
    expect(files.row("new.py")).to_have_count(0)

    # A new folder, and into the trash with something.
    person.button("New folder…").click()
    person.page.get_by_label("Name", exact=True).fill("..")
    person.button("Create").click()
    expect(person.page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    person.page.get_by_label("Name", exact=True).fill("old")
    person.button("Create").click()
    expect(files.row("old")).to_be_visible()
    assert (project / "src" / "cart" / "old").is_dir()
    files.row("prices.py").click(button="right")
    person.page.get_by_role("menuitem", name="Move to the trash…").click()
    trashed = person.toast_to_come("prices.py is in the trash")
    person.button("Move to the trash").click()
    trashed()
    expect(files.row("prices.py")).to_have_count(0)
    expect(files.preview()).to_have_count(0)
    assert not (project / "src" / "cart" / "prices.py").exists()

    # A folder of thousands, to its end and back.
    files.row("jars").click()
    expect(files.row("jar 0.txt")).to_be_visible()
    keyboard.press("End")
    expect(files.row("README.md")).to_be_in_viewport()
    keyboard.press("Home")
    expect(files.row("docs")).to_be_in_viewport()


def test_a_workspace_without_access_to_files_says_why(
    start_server: Callable[..., RunningServer], sit_down: Callable[..., Person], home: Path
) -> None:
    server = start_server("up", str(home))
    person = sit_down(server.address())
    person.button("Show or hide the files").click()
    drawer = person.page.get_by_role("complementary", name="Files")
    expect(drawer.get_by_role("alert")).to_contain_text("gives no access to files")
    expect(drawer.get_by_role("button", name="New folder…")).to_be_disabled()
    person.look("closed")


@pytest.mark.parametrize(
    ("scheme", "width", "height", "language"),
    [
        ("dark", 1280, 800, "English"),
        ("light", 1920, 1080, "English"),
        ("light", 1280, 800, "Русский"),
        ("dark", 1920, 1080, "中文"),
    ],
)
def test_how_the_drawer_looks(
    project: Path,
    server: RunningServer,
    sit_down: Callable[..., Person],
    package: Path,
    scheme: str,
    width: int,
    height: int,
    language: str,
) -> None:
    person = sit_down(server.address(), width=width, height=height, scheme=scheme)
    server.cardloom("card", "install", str(package), "--yes")
    name = f"{scheme}-{width}"
    person.add("Note")
    person.add("To-do list")
    person.add("Spot Light")
    if language != "English":
        person.choose("Language", language)
    person.page.locator(".topbar button[title$='(F)']").click()
    tree = person.page.get_by_role("tree")
    expect(tree).to_be_visible()
    row = tree.get_by_role("treeitem")
    row.filter(has_text="src").click()
    row.filter(has_text="cart").click()
    expect(row.filter(has_text="prices.py")).to_be_visible()
    person.look(f"tree-{name}")
    row.filter(has_text="prices.py").click()
    expect(person.page.get_by_text("def price_1() -> int:")).to_be_visible()
    person.page.locator("[role=document] button").nth(4).click()
    person.look(f"text-{name}")
    row.filter(has_text="README.md").click()
    expect(person.page.get_by_role("heading", name="Corner shop")).to_be_visible()
    person.look(f"markdown-{name}")
    person.page.locator(".view-bar button").nth(3).click()
    person.let_rest()
    card = person.page.locator(".card.kind-note")
    person.press_and_hold(middle(row.filter(has_text="prices.py")), inside(card))
    expect(card.locator("[role=status]").first).to_be_visible()
    person.look(f"dragging-{name}")
    person.page.keyboard.press("Escape")
    person.page.mouse.up()
    row.filter(has_text="docs").click()
    row.filter(has_text="logo.png").click()
    expect(person.page.get_by_role("img", name="logo.png")).to_be_visible()
    row.filter(has_text="prices.py").click(button="right")
    expect(person.page.get_by_role("menu")).to_be_visible()
    person.look(f"menu-{name}")
    person.page.keyboard.press("Escape")
    tree.press("Delete")
    expect(person.page.get_by_role("dialog")).to_be_visible()
    person.look(f"trash-{name}")
