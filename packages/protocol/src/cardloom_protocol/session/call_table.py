"""The operations of the session protocol, one row each: over HTTP by verb and path, over a socket by name.

Every binding is built from this table, so that all of them say the same. Spec: session protocol, routes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from .calls import CallField, SessionCall


def _path(kind: str = "key") -> CallField:
    return CallField(kind, "path", required=True)


def _query(kind: str, *, required: bool = False) -> CallField:
    return CallField(kind, "query", required)


def _body(kind: str, *, required: bool = False, nullable: bool = False) -> CallField:
    return CallField(kind, "body", required, nullable)


_SESSION = {"sessionId": _path("id")}
_MESSAGE = {**_SESSION, "messageId": _path()}
_RUN = {"runId": _path("id")}
_ASK = {**_RUN, "askId": _path()}
_PROFILE = {"id": _path()}
_SERVICE = {"plugin": _path(), "method": _path(), "args": _body("any", nullable=True)}
_FILE = {"path": _query("text", required=True)}
_CONTENT = {"parts": _body("parts"), "text": _body("text")}
_AUTHOR = {"name": _body("text"), "flags": _body("object"), "meta": _body("object")}
_BOT = {name: _body("text") for name in ("botId", "botName", "botAvatar", "accentColor")}
_NONE: dict[str, CallField] = {}
_WHOLE = CallField("object", "whole", required=True)

_SESSION_ROWS = (
    SessionCall("capabilities", "GET", "/capabilities", _NONE),
    SessionCall("health", "GET", "/health", _NONE),
    SessionCall(
        "list", "GET", "/sessions", {"limit": _query("limit"), "cursor": _query("text"), "workspace": _query("text")}
    ),
    SessionCall(
        "create",
        "POST",
        "/sessions",
        {
            "id": _body("id"),
            "title": _body("text"),
            "model": _body("model"),
            "profile": _body("profile"),
            "workspace": _body("key"),
            "meta": _body("object"),
            **_BOT,
        },
        status=201,
    ),
    SessionCall("get", "GET", "/sessions/{sessionId}", _SESSION),
    SessionCall(
        "rename", "PATCH", "/sessions/{sessionId}", {**_SESSION, "title": _body("text", required=True)}, "rename"
    ),
    SessionCall("delete", "DELETE", "/sessions/{sessionId}", _SESSION, status=204),
    SessionCall("messages", "GET", "/sessions/{sessionId}/messages", {**_SESSION, "view": _query("view")}),
    SessionCall(
        "append",
        "POST",
        "/sessions/{sessionId}/messages",
        {
            **_SESSION,
            **_CONTENT,
            **_AUTHOR,
            "id": _body("id"),
            "role": _body("role"),
            "parentId": _body("key", nullable=True),
            "swipeOf": _body("key"),
        },
        status=201,
    ),
    SessionCall(
        "editMessage",
        "PATCH",
        "/sessions/{sessionId}/messages/{messageId}",
        {**_MESSAGE, **_CONTENT, "ifHash": _body("text"), "ifMatch": CallField("text", "if-match")},
        "edits.edit",
    ),
    SessionCall(
        "deleteMessage", "DELETE", "/sessions/{sessionId}/messages/{messageId}", _MESSAGE, "edits.delete", status=204
    ),
    SessionCall(
        "hideMessage",
        "PUT",
        "/sessions/{sessionId}/messages/{messageId}/hidden",
        {**_MESSAGE, "hidden": _body("bool", required=True)},
        "edits.hide",
    ),
    SessionCall(
        "swipe",
        "POST",
        "/sessions/{sessionId}/messages/{messageId}/swipe",
        {**_MESSAGE, "index": _body("count"), "dir": _body("dir")},
        "swipes",
    ),
    SessionCall("fork", "POST", "/sessions/{sessionId}/fork", {**_SESSION, "messageId": _body("key")}, "fork", 201),
    SessionCall("getMeta", "GET", "/sessions/{sessionId}/meta", _SESSION, "sessionMeta"),
    SessionCall("patchMeta", "PATCH", "/sessions/{sessionId}/meta", {**_SESSION, "document": _WHOLE}, "sessionMeta"),
    SessionCall("setMeta", "PUT", "/sessions/{sessionId}/meta", {**_SESSION, "document": _WHOLE}, "sessionMeta"),
    SessionCall(
        "putAsset",
        "POST",
        "/sessions/{sessionId}/assets",
        {
            **_SESSION,
            "name": CallField("assetName", "query", required=True),
            "mime": CallField("text", "content-type"),
            "content": CallField("content", "raw", required=True),
        },
        "assets",
        201,
    ),
    SessionCall(
        "getAsset", "GET", "/sessions/{sessionId}/assets/{ref}", {**_SESSION, "ref": _path()}, "assets", reply="bytes"
    ),
)

_CHOICE_ROWS = (
    SessionCall("models", "GET", "/models", _NONE, "models"),
    SessionCall(
        "setModel",
        "PUT",
        "/sessions/{sessionId}/model",
        {**_SESSION, "model": _body("key", required=True), "thinking": _body("text")},
        "models",
    ),
    SessionCall("profiles", "GET", "/profiles", _NONE, "profiles"),
    SessionCall("getProfile", "GET", "/profiles/{id}", _PROFILE, "profiles.edit"),
    SessionCall("saveProfile", "PUT", "/profiles/{id}", {**_PROFILE, "profile": _WHOLE}, "profiles.edit"),
    SessionCall("deleteProfile", "DELETE", "/profiles/{id}", _PROFILE, "profiles.edit", 204),
    SessionCall(
        "duplicateProfile",
        "POST",
        "/profiles/{id}/duplicate",
        {**_PROFILE, "newId": _body("text")},
        "profiles.edit",
        201,
    ),
    SessionCall(
        "setProfile",
        "PUT",
        "/sessions/{sessionId}/profile",
        {**_SESSION, "profile": _body("profile", required=True)},
        "profiles",
    ),
    SessionCall("catalog", "GET", "/catalogs/{kind}", {"kind": _path("catalog")}, "catalogs"),
)

_WORKSPACE_ROWS = (
    SessionCall("workspace", "GET", "/workspace", _NONE, "workspace"),
    SessionCall("workspaces", "GET", "/workspaces", _NONE, "workspace"),
    SessionCall("switchWorkspace", "POST", "/workspace/switch", {"id": _body("key", required=True)}, "workspace"),
    SessionCall("files", "GET", "/workspace/files", {"path": _query("text")}, "workspace.files"),
    SessionCall("statFile", "GET", "/workspace/files/stat", _FILE, "workspace.files"),
    SessionCall(
        "readFile", "GET", "/workspace/files/content", {**_FILE, "maxBytes": _query("count")}, "workspace.files"
    ),
    SessionCall(
        "writeFile",
        "PUT",
        "/workspace/files/content",
        {
            **_FILE,
            "content": _body("text", required=True),
            "encoding": _body("text"),
            "ifRevision": _body("text", nullable=True),
        },
        "workspace.files.write",
    ),
    SessionCall("deleteFile", "DELETE", "/workspace/files", _FILE, "workspace.files.write", 204),
    SessionCall(
        "renameFile",
        "POST",
        "/workspace/files/rename",
        {"from": _body("text", required=True), "to": _body("text", required=True)},
        "workspace.files.write",
    ),
    SessionCall("watch", "GET", "/workspace/events", _NONE, "workspace.files.watch", reply="events"),
)

_RUN_ROWS = (
    SessionCall(
        "run",
        "POST",
        "/sessions/{sessionId}/runs",
        {
            **_SESSION,
            **_CONTENT,
            **_AUTHOR,
            "runId": _body("id"),
            "messageId": _body("id"),
            "parentId": _body("key", nullable=True),
            "swipeOf": _body("key"),
            "model": _body("model"),
            "profile": _body("profile"),
        },
        "run",
        202,
    ),
    SessionCall("runs", "GET", "/sessions/{sessionId}/runs", _SESSION, "run"),
    SessionCall("runStatus", "GET", "/runs/{runId}", _RUN, "run"),
    SessionCall("follow", "GET", "/runs/{runId}/events", {**_RUN, "after": _query("text")}, "run", reply="events"),
    SessionCall("cancel", "POST", "/runs/{runId}/cancel", _RUN, "run.cancel", 202),
    SessionCall("asks", "GET", "/runs/{runId}/asks", _RUN, "run.ask"),
    SessionCall(
        "answer",
        "POST",
        "/runs/{runId}/asks/{askId}",
        {**_ASK, "optionIds": _body("texts"), "text": _body("text"), "cancelled": _body("bool")},
        "run.ask",
    ),
)

_SERVICE_ROWS = (
    SessionCall("callService", "POST", "/services/{plugin}/{method}", _SERVICE, "services"),
    SessionCall("streamService", "POST", "/services/{plugin}/{method}/stream", _SERVICE, "services", reply="events"),
)

_DOCS: Final[Mapping[str, str]] = {
    "capabilities": "Tells what the backend can do.",
    "health": "Tells that the backend answers.",
    "list": "Lists sessions page by page, the last changed first.",
    "create": "Makes a session.",
    "get": "Gives a session without its messages.",
    "rename": "Gives a session another title.",
    "delete": "Removes a session with all that belongs to it.",
    "messages": "Gives the messages of the active path, or with `view: thread` those of all branches.",
    "append": "Adds a message without a run; `swipeOf` makes it an alternative of another.",
    "editMessage": "Changes a message, if it still is what the writer has seen.",
    "deleteMessage": "Removes a message; what hung below it hangs below its parent.",
    "hideMessage": "Hides a message from the model, or shows it again.",
    "swipe": "Switches a message to one of its alternatives and gives the new active path.",
    "fork": "Copies a session up to a message into a new one.",
    "getMeta": "Gives a session's document.",
    "patchMeta": "Merges into a session's document; null removes a key.",
    "setMeta": "Replaces a session's document.",
    "putAsset": "Keeps a file beside a session.",
    "getAsset": "Gives a file kept beside a session.",
    "models": "Lists the models to choose from.",
    "setModel": "Chooses a session's model.",
    "profiles": "Lists the profiles to choose from.",
    "getProfile": "Gives a profile in full.",
    "saveProfile": "Stores a profile.",
    "deleteProfile": "Removes a profile.",
    "duplicateProfile": "Copies a profile under a new id.",
    "setProfile": "Chooses a session's profile, or embeds one.",
    "catalog": "Lists the tools, skills or extensions that profiles may name.",
    "workspace": "Gives the workspace in use.",
    "workspaces": "Lists the workspaces to choose from.",
    "switchWorkspace": "Uses another workspace.",
    "files": "Lists a folder of the workspace.",
    "statFile": "Describes a file or folder.",
    "readFile": "Reads a file.",
    "writeFile": "Writes a file, if it still has the revision that the writer has seen.",
    "deleteFile": "Moves a file or folder to the workspace's trash.",
    "renameFile": "Moves a file or folder.",
    "watch": "Streams what changes in the workspace.",
    "run": "Starts a run.",
    "runs": "Lists the known runs of a session.",
    "runStatus": "Tells whether a run goes on and how it ended.",
    "follow": "Streams a run, going on behind the event `after`.",
    "cancel": "Ends a run early.",
    "asks": "Lists the questions of a run that wait for an answer.",
    "answer": "Answers a question of a run.",
    "callService": "Calls a method of a service.",
    "streamService": "Streams what a service tells.",
}

SESSION_CALLS: Final[Mapping[str, SessionCall]] = MappingProxyType(
    {
        row.name: replace(row, doc=_DOCS[row.name])
        for row in (*_SESSION_ROWS, *_CHOICE_ROWS, *_WORKSPACE_ROWS, *_RUN_ROWS, *_SERVICE_ROWS)
    }
)
"""Every operation by its name."""
