"""What a backend is: its capabilities, its sessions, what else it offers, and how it carries out a run.

A backend knows nothing of HTTP, of streams or of who listens. `BackendHost` stands between it and every binding: it
checks capabilities and requests, numbers events, keeps them for those who come late, and ends what a backend left
open. Whatever a backend does not offer is absent: None for a group of operations, NOT_SUPPORTED for a single one.
Failures are `SessionError`. Spec: session protocol, operations and run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cardloom_protocol.session.capabilities import Capabilities
from cardloom_protocol.session.errors import NotSupported
from cardloom_protocol.session.info import SessionCreateOpts, SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.messages import Message, MessageAppendOpts, ThreadEntry
from cardloom_protocol.session.model import NodePatch
from cardloom_protocol.session.operations import CatalogsOps, ModelsOps, ProfilesOps, WorkspaceOps
from cardloom_protocol.session.services import ServicesOps

from ..stores.contract import History, SessionPage

if TYPE_CHECKING:
    from .run import Run

Thread: TypeAlias = list[ThreadEntry]


class SessionsOps:
    """The sessions of a backend: listing, creating, reading and appending for all, the rest by capability.

    Requests arrive checked for their form (kinds of fields, safe ids, parts that can be stored); whether what they name
    exists is for the backend to say: NOT_FOUND.
    """

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """Sessions without their messages, the last changed first; only those of a workspace where one is named."""
        raise NotSupported("sessions.list")

    async def get(self, session_id: str) -> SessionInfo:
        """One session. `messageCount` is the length of the active path."""
        raise NotSupported("sessions.get")

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """A new session. CONFLICT for an id in use, NOT_FOUND for an unknown profile, model or workspace."""
        raise NotSupported("sessions.create")

    async def history(self, session_id: str) -> History:
        """The messages of the active path."""
        raise NotSupported("sessions.history")

    async def thread(self, session_id: str) -> Thread:
        """The messages of all branches, parents before children. Where there is but one, those of the active path."""
        return [{"message": one, "depth": depth} for depth, one in enumerate(await self.history(session_id))]

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """A message without a run; with `swipeOf` an alternative of that one, which becomes active."""
        raise NotSupported("sessions.append")

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """Capability `rename`."""
        raise NotSupported("rename")

    async def delete(self, session_id: str) -> None:
        """Removes a session with all that belongs to it."""
        raise NotSupported("sessions.delete")

    async def edit_message(self, session_id: str, message_id: str, patch: NodePatch) -> Message:
        """Capability `edits.edit`. CONFLICT when the content is not the one that the writer has seen."""
        raise NotSupported("edits.edit")

    async def delete_message(self, session_id: str, message_id: str) -> None:
        """Capability `edits.delete`. What hung below the message hangs below its parent."""
        raise NotSupported("edits.delete")

    async def hide_message(self, session_id: str, message_id: str, hidden: bool) -> Message:
        """Capability `edits.hide`: whether the model sees a message."""
        raise NotSupported("edits.hide")

    async def swipe(self, session_id: str, message_id: str, *, index: int | None = None, step: int = 0) -> History:
        """Capability `swipes`: switches a message to a sibling and gives the new active path.

        By `index` from 0, or one `step` (1, -1) on; both stop at the ends.
        """
        raise NotSupported("swipes")

    async def fork(self, session_id: str, message_id: str | None = None) -> SessionInfo:
        """Capability `fork`: a new session with the path up to a message, or the whole active path."""
        raise NotSupported("fork")

    async def get_meta(self, session_id: str) -> JsonObject:
        """Capability `sessionMeta`: the session's document."""
        raise NotSupported("sessionMeta")

    async def patch_meta(self, session_id: str, patch: JsonObject) -> JsonObject:
        """Capability `sessionMeta`: the document after `patched_meta`."""
        raise NotSupported("sessionMeta")

    async def set_meta(self, session_id: str, document: JsonObject) -> JsonObject:
        """Capability `sessionMeta`: replaces the document."""
        raise NotSupported("sessionMeta")

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """Capability `assets`: keeps a file beside the session and gives the reference to it."""
        raise NotSupported("assets")

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """Capability `assets`: the bytes behind a reference."""
        raise NotSupported("assets")


class Backend:
    """An engine behind the session protocol. A subclass sets `sessions`, says what it can do, and carries out runs."""

    sessions: SessionsOps
    models: ModelsOps | None = None
    profiles: ProfilesOps | None = None
    catalogs: CatalogsOps | None = None
    workspace: WorkspaceOps | None = None
    services: ServicesOps | None = None

    async def capabilities(self) -> Capabilities:
        """What this backend can do now. Asked before every operation: answer from memory."""
        raise NotSupported("capabilities")

    async def run(self, run: Run) -> None:
        """Carries out one run, from the request to the last message.

        First check what `run.given` names, store the user's message and call `run.start`: a `SessionError` before that
        is the answer to the request, and nothing has happened. From then on emit through `run`. Returning means done; a
        `SessionError` ends the run with its code; the host writes `run_end` and closes what was left open. There is
        never a second run in a session meanwhile.
        """
        raise NotSupported("run")

    async def cancel(self, run: Run) -> None:
        """Makes `run` end early. Left as it is, the run's task is cancelled: catch that to store what there is.

        A backend that tells an engine to stop overrides this and lets `run` return; after `cancelGraceMs` the task is
        cancelled all the same.
        """
        run.interrupt()

    async def start(self) -> None:
        """Called once before anything else."""

    async def close(self) -> None:
        """Called once at the end, when all runs are over."""
