"""The sessions and choices of another server: every operation is one request there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import NotSupported, SessionError, SessionErrorCode
from cardloom_protocol.session.events import WorkspaceUpdateEvent, is_workspace_update_event
from cardloom_protocol.session.files import FileContent, FileEntry, FileReadOpts, FileWriteOpts
from cardloom_protocol.session.info import ModelInfo, SessionCreateOpts, SessionInfo, SessionModel, WorkspaceInfo
from cardloom_protocol.session.json_text import JsonObject, list_of, object_of, read_json, text_of
from cardloom_protocol.session.messages import Message, MessageAppendOpts, ThreadEntry
from cardloom_protocol.session.model import NodePatch
from cardloom_protocol.session.profiles import CatalogExtension, CatalogSkill, CatalogTool, ProfileDoc, ProfileInfo
from cardloom_protocol.session.services import NOTHING, ServiceEvent
from cardloom_protocol.session.sse import event_of
from cardloom_sdk.backend import SessionsOps
from cardloom_sdk.stores import SessionPage

from .client import ProtocolClient, fields_of

# Inside a class with an operation `list` that name is no type.
_Messages: TypeAlias = list[Message]
_Thread: TypeAlias = list[ThreadEntry]
_RETRY_S = 2.0


class RemoteSessions(SessionsOps):
    """The sessions there."""

    def __init__(self, client: ProtocolClient) -> None:
        self._call = client.call

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """See the contract."""
        found = object_of(await self._call("list", fields_of(limit=limit, cursor=cursor, workspace=workspace)))
        sessions = cast(Any, list_of(found.get("sessions")))
        return SessionPage(sessions, text_of(found.get("cursor")) or None)

    async def get(self, session_id: str) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("get", {"sessionId": session_id}))

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("create", opts))

    async def history(self, session_id: str) -> _Messages:
        """See the contract."""
        return cast(_Messages, await self._call("messages", {"sessionId": session_id}))

    async def thread(self, session_id: str) -> _Thread:
        """See the contract."""
        return cast(_Thread, await self._call("messages", {"sessionId": session_id, "view": "thread"}))

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """See the contract."""
        return cast(Message, await self._call("append", {**opts, "sessionId": session_id}))

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("rename", {"sessionId": session_id, "title": title}))

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        await self._call("delete", {"sessionId": session_id})

    async def edit_message(self, session_id: str, message_id: str, patch: NodePatch) -> Message:
        """See the contract."""
        where = {"sessionId": session_id, "messageId": message_id}
        change = fields_of(parts=patch.parts, text=patch.text, ifHash=patch.if_hash)
        return cast(Message, await self._call("editMessage", {**where, **change}))

    async def delete_message(self, session_id: str, message_id: str) -> None:
        """See the contract."""
        await self._call("deleteMessage", {"sessionId": session_id, "messageId": message_id})

    async def hide_message(self, session_id: str, message_id: str, hidden: bool) -> Message:
        """See the contract."""
        where = {"sessionId": session_id, "messageId": message_id}
        return cast(Message, await self._call("hideMessage", {**where, "hidden": hidden}))

    async def swipe(self, session_id: str, message_id: str, *, index: int | None = None, step: int = 0) -> _Messages:
        """See the contract."""
        way: JsonObject = {"index": index} if index is not None else {"dir": "next" if step > 0 else "prev"}
        where = {"sessionId": session_id, "messageId": message_id}
        return cast(_Messages, await self._call("swipe", {**where, **way}))

    async def fork(self, session_id: str, message_id: str | None = None) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("fork", fields_of(sessionId=session_id, messageId=message_id)))

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        return cast(JsonObject, await self._call("getMeta", {"sessionId": session_id}))

    async def patch_meta(self, session_id: str, patch: JsonObject) -> JsonObject:
        """See the contract."""
        return cast(JsonObject, await self._call("patchMeta", {"sessionId": session_id, "document": patch}))

    async def set_meta(self, session_id: str, document: JsonObject) -> JsonObject:
        """See the contract."""
        return cast(JsonObject, await self._call("setMeta", {"sessionId": session_id, "document": document}))

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """See the contract."""
        kind = mime or "application/octet-stream"
        given = {"sessionId": session_id, "name": name, "content": data, "mime": kind}
        return text_of(object_of(await self._call("putAsset", given)).get("ref"))

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """See the contract."""
        return cast(bytes, await self._call("getAsset", {"sessionId": session_id, "ref": ref}))


class RemoteModels:
    """The models there."""

    def __init__(self, client: ProtocolClient) -> None:
        self._call = client.call

    async def list(self) -> list[ModelInfo]:
        """See the contract."""
        return cast(list[ModelInfo], await self._call("models"))

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("setModel", {**model, "sessionId": session_id}))


class RemoteProfiles:
    """The profiles there."""

    def __init__(self, client: ProtocolClient) -> None:
        self._call = client.call

    async def list(self) -> list[ProfileInfo]:
        """See the contract."""
        return cast(list[ProfileInfo], await self._call("profiles"))

    async def set(self, session_id: str, profile: str | ProfileDoc) -> SessionInfo:
        """See the contract."""
        return cast(SessionInfo, await self._call("setProfile", {"sessionId": session_id, "profile": profile}))

    async def get(self, profile_id: str) -> ProfileDoc:
        """See the contract."""
        return cast(ProfileDoc, await self._call("getProfile", {"id": profile_id}))

    async def save(self, profile: ProfileDoc) -> ProfileDoc:
        """See the contract."""
        return cast(ProfileDoc, await self._call("saveProfile", {"id": profile["id"], "profile": profile}))

    async def delete(self, profile_id: str) -> None:
        """See the contract."""
        await self._call("deleteProfile", {"id": profile_id})

    async def duplicate(self, profile_id: str, new_id: str | None = None) -> ProfileDoc:
        """See the contract."""
        return cast(ProfileDoc, await self._call("duplicateProfile", fields_of(id=profile_id, newId=new_id)))


class RemoteCatalogs:
    """The catalogues there."""

    def __init__(self, client: ProtocolClient) -> None:
        self._call = client.call

    async def tools(self) -> list[CatalogTool]:
        """See the contract."""
        return cast(list[CatalogTool], await self._call("catalog", {"kind": "tools"}))

    async def skills(self) -> list[CatalogSkill]:
        """See the contract."""
        return cast(list[CatalogSkill], await self._call("catalog", {"kind": "skills"}))

    async def extensions(self) -> list[CatalogExtension]:
        """See the contract."""
        return cast(list[CatalogExtension], await self._call("catalog", {"kind": "extensions"}))


class RemoteWorkspace:
    """The workspaces there, and the files of the current one."""

    def __init__(self, client: ProtocolClient) -> None:
        self._call = client.call
        self.files: RemoteFiles = RemoteFiles(client)

    async def current(self) -> WorkspaceInfo:
        """See the contract."""
        return cast(WorkspaceInfo, await self._call("workspace"))

    async def list(self) -> list[WorkspaceInfo]:
        """See the contract."""
        return cast(list[WorkspaceInfo], await self._call("workspaces"))

    async def switch(self, workspace_id: str) -> WorkspaceInfo:
        """See the contract."""
        return cast(WorkspaceInfo, await self._call("switchWorkspace", {"id": workspace_id}))


class RemoteFiles:
    """The files there. One stream of changes serves all who watch, for as long as anybody does."""

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client
        self._call = client.call
        self._listeners: dict[object, Callable[[WorkspaceUpdateEvent], None]] = {}
        self._watching: asyncio.Task[None] | None = None

    async def list(self, path: str) -> list[FileEntry]:
        """See the contract."""
        return cast(list[FileEntry], await self._call("files", {"path": path}))

    async def read(self, path: str, opts: FileReadOpts | None = None) -> FileContent:
        """See the contract."""
        return cast(FileContent, await self._call("readFile", {"path": path, **(opts or {})}))

    async def stat(self, path: str) -> FileEntry:
        """See the contract."""
        return cast(FileEntry, await self._call("statFile", {"path": path}))

    async def write(self, path: str, content: str, opts: FileWriteOpts | None = None) -> FileEntry:
        """See the contract."""
        return cast(FileEntry, await self._call("writeFile", {"path": path, "content": content, **(opts or {})}))

    async def delete(self, path: str) -> None:
        """See the contract."""
        await self._call("deleteFile", {"path": path})

    async def rename(self, source: str, target: str) -> FileEntry:
        """See the contract."""
        return cast(FileEntry, await self._call("renameFile", {"from": source, "to": target}))

    def watch(self, listener: Callable[[WorkspaceUpdateEvent], None]) -> Callable[[], None]:
        """See the contract."""
        token = object()
        self._listeners[token] = listener
        if self._watching is None:
            self._watching = asyncio.create_task(self._follow())

        def unsubscribe() -> None:
            self._listeners.pop(token, None)
            if not self._listeners and self._watching is not None:
                self._watching.cancel()
                self._watching = None

        return unsubscribe

    async def _follow(self) -> None:
        """Listen for ever. A stream that breaks is begun anew; the server then says to read everything again."""
        while True:
            try:
                async for frame in self._client.frames("watch", {}):
                    event = event_of(frame)
                    if is_workspace_update_event(event):
                        for listener in list(self._listeners.values()):
                            listener(event)
            except SessionError as error:
                if isinstance(error, NotSupported):
                    return
            await asyncio.sleep(_RETRY_S)


class RemoteServices:
    """The services there."""

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client

    async def call(self, plugin: str, method: str, args: JsonValue = None) -> JsonValue:
        """See the contract."""
        given = {"plugin": plugin, "method": method, "args": args}
        return cast(JsonValue, await self._client.call("callService", given))

    async def stream(self, plugin: str, method: str, args: JsonValue = None) -> AsyncIterator[ServiceEvent]:
        """See the contract."""
        async for frame in self._client.frames("streamService", {"plugin": plugin, "method": method, "args": args}):
            if frame.event != "heartbeat":
                try:
                    payload = read_json(frame.data)
                except ValueError:
                    raise SessionError(SessionErrorCode.INTERNAL, "The service there told what is no JSON.") from None
                yield ServiceEvent(frame.event or "message", NOTHING if payload is None else payload)
