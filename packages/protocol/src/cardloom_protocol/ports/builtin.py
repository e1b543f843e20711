"""The ports of built-in cards: one entry a kind, the same for every card of it.

`permission` on a port is what a custom card must hold to use it. Spec: ports, built-in cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from .types import PortInfo


@dataclass(frozen=True, slots=True)
class BuiltinPorts:
    """What one kind of built-in card takes and gives."""

    inputs: tuple[PortInfo, ...] = ()
    outputs: tuple[PortInfo, ...] = ()


NO_PORTS: Final = BuiltinPorts()
_CARDS: Final = "cards.connected"

BUILTIN_PORTS: Final[Mapping[str, BuiltinPorts]] = MappingProxyType(
    {
        "note": BuiltinPorts(
            (
                PortInfo(
                    "append",
                    "Append",
                    "ns:markdown",
                    description="Adds a paragraph at the end.",
                    default=True,
                    permission=_CARDS,
                ),
                PortInfo(
                    "replace", "Replace", "ns:markdown", description="Replaces the whole note.", permission=_CARDS
                ),
            ),
            (
                PortInfo(
                    "text",
                    "Text",
                    "ns:markdown",
                    description="The note, at every change.",
                    retain=True,
                    permission=_CARDS,
                ),
            ),
        ),
        "todo": BuiltinPorts(
            (
                PortInfo("add", "Add", "ns:tasks", description="Adds items.", default=True, permission=_CARDS),
                PortInfo(
                    "update",
                    "Update",
                    "ns:task-patch",
                    description="Changes the text or status of one item.",
                    permission=_CARDS,
                ),
            ),
            (
                PortInfo(
                    "items",
                    "Items",
                    "ns:tasks",
                    description="All items, at every change.",
                    retain=True,
                    permission=_CARDS,
                ),
            ),
        ),
        "kanban": BuiltinPorts(
            (
                PortInfo(
                    "add",
                    "Add",
                    "ns:tasks",
                    description="Adds tasks that nobody is assigned to.",
                    default=True,
                    permission=_CARDS,
                ),
                PortInfo(
                    "update",
                    "Update",
                    "ns:task-patch",
                    description="Moves or changes one task.",
                    permission=_CARDS,
                ),
            ),
            (
                PortInfo(
                    "tasks",
                    "Tasks",
                    "ns:tasks",
                    description="All tasks with their columns, at every change.",
                    retain=True,
                    permission=_CARDS,
                ),
            ),
        ),
        "sticky": BuiltinPorts(
            (PortInfo("title", "Title", "ns:text", description="Sets the words.", default=True, permission=_CARDS),),
            (
                PortInfo(
                    "title",
                    "Title",
                    "ns:text",
                    description="The words, at every change.",
                    retain=True,
                    permission=_CARDS,
                ),
            ),
        ),
        "agent": BuiltinPorts(
            (
                PortInfo(
                    "prompt",
                    "Prompt",
                    "ns:text",
                    description="Sends a prompt.",
                    default=True,
                    permission="agents.prompt",
                ),
            ),
            (
                PortInfo(
                    "status",
                    "Status",
                    "ns:event",
                    description="The agent's status, at every change.",
                    retain=True,
                    permission="agents.read",
                ),
                PortInfo(
                    "reply",
                    "Reply",
                    "ns:markdown",
                    description="The closing message of each turn.",
                    retain=True,
                    permission="agents.output",
                ),
            ),
        ),
        "chat": BuiltinPorts(
            (
                PortInfo(
                    "prompt",
                    "Prompt",
                    "ns:text",
                    description="Says a line in the chat's session.",
                    default=True,
                    permission="agents.prompt",
                ),
            ),
            (
                PortInfo(
                    "reply",
                    "Reply",
                    "ns:markdown",
                    description="The answer of each run, once it has ended.",
                    retain=True,
                    permission="agents.output",
                ),
                PortInfo(
                    "status",
                    "Status",
                    "ns:event",
                    description="What the session is at, at every change.",
                    permission="agents.read",
                ),
            ),
        ),
        "terminal": BuiltinPorts(
            (
                PortInfo(
                    "command",
                    "Command",
                    "ns:text",
                    description="Runs one command.",
                    default=True,
                    permission="terminals.write",
                ),
            ),
            (
                PortInfo(
                    "exit",
                    "Exit",
                    "ns:event",
                    description="Which command ended and how, after every command.",
                    permission="agents.output",
                ),
            ),
        ),
    }
)


def builtin_ports(kind: str) -> BuiltinPorts:
    """The ports of a kind of card; none for kinds that declare their own or have none."""
    return BUILTIN_PORTS.get(kind, NO_PORTS)
