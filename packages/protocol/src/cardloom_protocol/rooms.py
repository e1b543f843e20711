"""The server's rooms: the folders that own methods, and those that several features share.

A method row's `owner` names a room of the layer `features`. Spec: decision 40.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

RoomLayer = Literal["features", "dispatch", "core", "host", "transport"]


@dataclass(frozen=True, slots=True)
class Room:
    """One folder or module of the server, named as in its import path below `cardloom`."""

    name: str
    layer: RoomLayer
    doc: str


_ROOMS = (
    Room("canvas", "features", "Access, preferences, workspaces, cards on the canvas, arrows, dialogs' answers."),
    Room(
        "cards",
        "features",
        "Card bodies, frames, chrome, settings, storage, network, tools, clipboard, grants, Python cards.",
    ),
    Room("ports", "features", "Values along arrows: routing, kept values, questions, the journal."),
    Room("terminals", "features", "Terminals of the canvas, their commands, screens and output."),
    Room("agents", "features", "Agents and shells as a list, prompts, queues, last replies."),
    Room("usage", "features", "Tokens, money, timelines and budgets."),
    Room("files", "features", "Files of the workspace."),
    Room("sessions", "features", "Chat sessions, by the session protocol's operations."),
    Room("gate", "dispatch", "What each caller may call now, and how often."),
    Room("dialogs", "core", "Questions to the owner: the deadline, which page asks, the first answer wins."),
    Room("directory", "core", "What is known of each agent and shell."),
    Room("graph", "core", "Cards and arrows as every room reads them."),
    Room("grants", "core", "What each package may do in each workspace."),
    Room("presence", "core", "Which page shows what."),
    Room("bus", "core", "What happened, told after it is on disk."),
    Room("console", "host", "A process on a pseudo terminal with its screen, output and keys."),
    Room("fence", "host", "Files inside one folder and never outside."),
    Room("fetch", "host", "Outgoing HTTP with the rules for addresses."),
    Room("processes", "host", "Processes without a terminal."),
    Room("database", "host", "The one writer of the database."),
    Room("watch", "host", "Changes below a folder."),
    Room("trash", "host", "The system's trash."),
    Room("mcp", "transport", "Tools for agents."),
    Room("hooks", "transport", "What agents' hooks report."),
    Room("frames", "transport", "A card's files for its frame."),
)

ROOMS: Final[Mapping[str, Room]] = MappingProxyType({room.name: room for room in _ROOMS})
OWNERS: Final = frozenset(room.name for room in _ROOMS if room.layer == "features")
"""The rooms that a method may belong to."""
