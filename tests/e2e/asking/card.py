"""A card that asks for everything a card may ask for, by the entries of its own menu."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardloom_sdk import CallError, Card, MenuItem

card = Card(Path(__file__).parent)

MENU = [
    MenuItem("confirm", "Ask me", icon="bell"),
    MenuItem("drop", "Drop all", tone="danger"),
    MenuItem("link", "Read more", icon="link"),
    MenuItem("permission", "Get permissions", icon="key"),
    MenuItem("copy", "Copy the command"),
    MenuItem("settings", "Set up"),
    MenuItem("spawn", "Make a note"),
    MenuItem("never", "Not now", disabled=True),
]


@card.on_ready
async def ready() -> None:
    await card.ui.set_menu(MENU)
    await card.set_status("ready")


@card.ui.on_menu
async def chosen(entry: str) -> None:
    try:
        await card.set_status(await act(entry))
    except CallError as error:
        await card.set_status(f"{error.code}")


async def act(entry: str) -> str:
    """Do what an entry says, and tell what became of it."""
    match entry:
        case "confirm":
            return f"confirmed: {await card.ui.confirm('Go on?', 'The release is ready.')}"
        case "drop":
            question = card.ui.confirm("Drop all?", "Nothing is kept.", confirm_label="Drop", tone="danger")
            return f"dropped: {await question}"
        case "link":
            return f"opened: {await card.open_link('https://docs.example.org/guide?from=card')}"
        case "permission":
            granted = await card.permissions.request("network", "agents.output")
            return f"granted: {', '.join(sorted(granted)) or 'nothing'}"
        case "copy":
            await card.copy_text("npm test -- --grep checkout")
            return "copied"
        case "settings":
            await card.settings.open()
            return "opened settings"
        case _:
            note = await card.spawn("note", title="Report", init="# Done", connect=True)
            await card.focus(note)
            return "spawned"


@card.settings.on_changed
async def changed(values: Mapping[str, Any]) -> None:
    secret = "set" if card.settings.has_secret("token") else "unset"
    await card.set_overview(primary=f"{values.get('repo')} {values['count']}", secondary=f"token {secret}")


card.run()
