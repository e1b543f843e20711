"""The operations that a backend offers beside sessions, one contract a capability. An absent capability, no operation.

Failures are `SessionError`. Spec: session protocol, operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from .events import WorkspaceUpdateEvent
from .files import FileContent, FileEntry, FileReadOpts, FileWriteOpts
from .info import ModelInfo, SessionInfo, SessionModel, WorkspaceInfo
from .profiles import CatalogExtension, CatalogSkill, CatalogTool, ProfileDoc, ProfileInfo

Unsubscribe: TypeAlias = Callable[[], None]


class ModelsOps(Protocol):
    """Capability `models`."""

    async def list(self) -> list[ModelInfo]:
        """The models to choose from."""

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """Chooses a session's model. NOT_FOUND for an unknown one, BAD_REQUEST for an unlisted level."""


class WorkspaceFilesOps(Protocol):
    """Capability `workspace.files`; write, delete and rename need `.write`, watch needs `.watch`."""

    async def list(self, path: str) -> list[FileEntry]:
        """One level of a folder, folders first, then by name; ignored entries are marked."""

    async def read(self, path: str, opts: FileReadOpts | None = None) -> FileContent:
        """A file's content. BAD_REQUEST with its size when it is too large."""

    async def stat(self, path: str) -> FileEntry:
        """A file's entry."""

    async def write(self, path: str, content: str, opts: FileWriteOpts | None = None) -> FileEntry:
        """Writes a file. CONFLICT when it has another revision than the writer has seen."""

    async def delete(self, path: str) -> None:
        """Moves a path to the trash; what lies in the trash is removed for good."""

    async def rename(self, source: str, target: str) -> FileEntry:
        """Moves a path. CONFLICT when the target exists."""

    def watch(self, listener: Callable[[WorkspaceUpdateEvent], None]) -> Unsubscribe:
        """Tells a listener of changes until it unsubscribes."""


class WorkspaceOps(Protocol):
    """Capability `workspace`."""

    @property
    def files(self) -> WorkspaceFilesOps | None:
        """The files of the current workspace; None without the capability."""

    async def current(self) -> WorkspaceInfo:
        """The workspace in use."""

    async def list(self) -> list[WorkspaceInfo]:
        """The workspaces to choose from."""

    async def switch(self, workspace_id: str) -> WorkspaceInfo:
        """Uses another workspace."""


class ProfilesOps(Protocol):
    """Capability `profiles`; get, save, delete and duplicate need `.edit`."""

    async def list(self) -> list[ProfileInfo]:
        """The profiles to choose from."""

    async def set(self, session_id: str, profile: str | ProfileDoc) -> SessionInfo:
        """Chooses a session's profile; a document is embedded, an id drops an embedded one."""

    async def get(self, profile_id: str) -> ProfileDoc:
        """A profile in full."""

    async def save(self, profile: ProfileDoc) -> ProfileDoc:
        """Stores a profile and gives what is stored."""

    async def delete(self, profile_id: str) -> None:
        """Removes a profile."""

    async def duplicate(self, profile_id: str, new_id: str | None = None) -> ProfileDoc:
        """Copies a profile under a new id."""


class CatalogsOps(Protocol):
    """Capability `catalogs`."""

    async def tools(self) -> list[CatalogTool]:
        """The tools that profiles may name."""

    async def skills(self) -> list[CatalogSkill]:
        """The skills that profiles may name."""

    async def extensions(self) -> list[CatalogExtension]:
        """The extensions that profiles may name."""
