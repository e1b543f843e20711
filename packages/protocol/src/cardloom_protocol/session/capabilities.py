"""What a backend can do: a tree whose leaves are true or absent. Spec: session protocol, capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypedDict

from .json_text import JsonObject

PROTOCOL_VERSION: Final = "1.7"


class SessionCapabilities(TypedDict, total=False):
    """Which sessions can be made and removed. A backend that does not speak of it lets both be done."""

    create: bool
    delete: bool


class EditCapabilities(TypedDict, total=False):
    """Changes of messages that exist already."""

    edit: bool
    delete: bool
    hide: bool


class ProfileCapabilities(TypedDict, total=False):
    """`edit` adds get, save, delete and duplicate."""

    edit: bool


class WorkspaceFilesCapabilities(TypedDict, total=False):
    """List, read and stat come with the object itself; the rest has a gate each."""

    write: bool
    watch: bool


class WorkspaceCapabilities(TypedDict, total=False):
    """Workspaces can be listed and switched; `files` adds their files."""

    files: bool | WorkspaceFilesCapabilities


class RunCapabilities(TypedDict, total=False):
    """What a run can do beyond producing messages."""

    ask: bool
    activity: bool
    cancel: bool


class ServiceCapability(TypedDict):
    """The methods and streams of one plug-in."""

    methods: list[str]
    streams: list[str]


class Capabilities(TypedDict, total=False):
    """The whole tree. An object counts as true, an empty one too; unknown keys are kept and ignored."""

    protocol: str
    models: bool | JsonObject
    workspace: bool | WorkspaceCapabilities
    profiles: bool | ProfileCapabilities
    catalogs: bool | JsonObject
    swipes: bool
    fork: bool
    rename: bool
    assets: bool
    sessionMeta: bool
    edits: bool | EditCapabilities
    catalog: bool
    sessions: bool | SessionCapabilities
    run: bool | RunCapabilities
    services: dict[str, ServiceCapability]


def has_sessions(capabilities: Mapping[str, object] | None, operation: str) -> bool:
    """Whether sessions can be made (`create`) or removed (`delete`): yes, unless `sessions` is there and says no."""
    said = (capabilities or {}).get("sessions", True)
    return said is True or has({"sessions": said}, f"sessions.{operation}")


def has(capabilities: Mapping[str, object] | None, path: str) -> bool:
    """Whether a capability is there, by its dotted path such as `workspace.files.write`. Never raises."""
    here: object = capabilities
    for name in path.split("."):
        if not isinstance(here, Mapping) or name not in here:
            return False
        here = here[name]
    return here is not None and here is not False
