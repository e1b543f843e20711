"""A backend in memory that can do everything the protocol has: what the contract of backends is tried on first.

The request's text says how the model behaves: `hang` says something and waits, `fail` breaks off, `tool` calls a tool,
`permission` asks first, anything else is said back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound, NotSupported, SessionError
from cardloom_protocol.session.info import ModelInfo, SessionInfo, SessionModel
from cardloom_protocol.session.json_text import JsonObject, copy_object
from cardloom_protocol.session.profiles import (
    CatalogExtension,
    CatalogSkill,
    CatalogTool,
    ProfileDoc,
    ProfileInfo,
    saved_profile,
)
from cardloom_protocol.session.services import ServiceEvent

from ..backend.contract import Backend
from ..backend.run import Run
from ..backend.sessions import StoreSessions
from ..stores.contract import SessionStore
from ..stores.memory import MemoryStore
from .memory_workspace import MemoryWorkspaces

Models = list[ModelInfo]
Profiles = list[ProfileInfo]

_MODELS: Models = [
    {"id": "small", "name": "Small", "thinking": ["low", "high"], "default": True},
    {"id": "large", "name": "Large"},
]


class MemoryBackend(Backend):
    """Sessions in a store, two models, profiles, catalogues, two workspaces and one service."""

    def __init__(self, store: SessionStore | None = None) -> None:
        self.sessions: StoreSessions = StoreSessions(
            store or MemoryStore(), profile_of=self._profile, check_model=self._check_model
        )
        self.documents: dict[str, ProfileDoc] = {
            "terse": {"id": "terse", "name": "Terse", "prompt": {"post": "Be short."}, "extra": {"tone": "dry"}}
        }
        self.models = _Models(self)
        self.profiles = _Profiles(self)
        self.catalogs = _Catalogs()
        self.workspace = MemoryWorkspaces()
        self.services = _Services()

    async def capabilities(self) -> Capabilities:
        """Everything."""
        return {
            "protocol": PROTOCOL_VERSION,
            **self.sessions.capabilities(),
            "models": True,
            "profiles": {"edit": True},
            "catalogs": True,
            "catalog": True,
            "workspace": {"files": {"write": True, "watch": True}},
            "run": {"ask": True, "activity": True, "cancel": True},
            "services": {"clock": {"methods": ["add"], "streams": ["count", "broken"]}},
        }

    async def run(self, run: Run) -> None:
        """Behaves as the request's text says."""
        parent = await self.sessions.begin(run, model=await self.sessions.model_of(run.session_id))
        heard = run.text
        if heard == "permission":
            heard = await _permission(run)
        if heard == "tool":
            parent = await self._call_tool(run, parent)
        async with self.sessions.writing(run, parent_id=parent, meta={"model": "small"}) as reply:
            thinking = reply.thinking()
            thinking.add("Well")
            thinking.end()
            text = reply.text()
            for word in ("You", " said: ", heard):
                text.add(word)
            if heard == "hang":
                await asyncio.Event().wait()
            if heard == "fail":
                raise SessionError("model_error", "The model went away.")
            reply.meta["usage"] = {"input": 3, "output": 5}
        run.usage, run.stop_reason = {"input": 3, "output": 5}, "end_turn"

    async def _call_tool(self, run: Run, parent: str | None) -> str:
        async with self.sessions.writing(run, parent_id=parent) as call:
            use = call.tool_use("c1", "add")
            for piece in ('{"a"', ":1,", '"b":2}'):
                use.add(piece)
        run.activity(activityId="t1", kind="tool", text="add", progress=0.5)
        async with self.sessions.writing(run, "tool", parent_id=call.id) as result:
            result.add({"type": "tool_result", "data": 3, "text": "3", "meta": {"callId": "c1", "name": "add"}})
        run.activity(activityId="t1", kind="tool", done=True)
        return result.id

    async def _profile(self, profile_id: str) -> ProfileDoc:
        found = self.documents.get(profile_id)
        if found is None:
            raise NotFound(f"There is no profile {profile_id!r}.")
        return cast(ProfileDoc, copy_object(cast(JsonObject, found)))

    async def _check_model(self, chosen: SessionModel) -> None:
        model = next((model for model in _MODELS if model["id"] == chosen["model"]), None)
        if model is None:
            raise NotFound(f"There is no model {chosen['model']!r}.")
        if "thinking" in chosen and chosen["thinking"] not in model.get("thinking", []):
            raise BadRequest(f"{chosen['model']} has no thinking level {chosen['thinking']!r}.")


async def _permission(run: Run) -> str:
    answer = await run.ask(
        {
            "kind": "permission",
            "title": "May I?",
            "options": [
                {"id": "yes", "label": "Yes", "kind": "allow_once"},
                {"id": "no", "label": "No", "kind": "reject_once"},
            ],
        }
    )
    return "allowed" if answer.get("optionIds") == ["yes"] else "refused"


class _Models:
    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the protocol."""
        return await self._backend.sessions.choose(session_id, model=model)

    async def list(self) -> Models:
        """See the protocol."""
        return _MODELS


class _Profiles:
    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    async def set(self, session_id: str, profile: str | ProfileDoc) -> SessionInfo:
        """See the protocol."""
        return await self._backend.sessions.choose(session_id, profile=profile)

    async def get(self, profile_id: str) -> ProfileDoc:
        """See the protocol."""
        return await self._backend._profile(profile_id)

    async def save(self, profile: ProfileDoc) -> ProfileDoc:
        """See the protocol."""
        stored = saved_profile(profile, self._backend.documents.get(profile["id"]))
        self._backend.documents[profile["id"]] = stored
        return stored

    async def delete(self, profile_id: str) -> None:
        """See the protocol."""
        await self._backend._profile(profile_id)
        del self._backend.documents[profile_id]

    async def duplicate(self, profile_id: str, new_id: str | None = None) -> ProfileDoc:
        """See the protocol."""
        source, target = await self._backend._profile(profile_id), new_id or f"{profile_id}-copy"
        if target in self._backend.documents:
            raise Conflict(f"There is a profile {target!r} already.")
        self._backend.documents[target] = {**source, "id": target}
        return self._backend.documents[target]

    async def list(self) -> Profiles:
        """See the protocol."""
        return [{"id": doc["id"], "name": doc["name"], "editable": True} for doc in self._backend.documents.values()]


class _Catalogs:
    async def tools(self) -> list[CatalogTool]:
        """See the protocol."""
        return [{"id": "add", "name": "Add", "source": "test"}]

    async def skills(self) -> list[CatalogSkill]:
        """See the protocol."""
        return [{"id": "count", "name": "Count"}]

    async def extensions(self) -> list[CatalogExtension]:
        """See the protocol."""
        return []


class _Services:
    async def call(self, plugin: str, method: str, args: JsonValue = None) -> JsonValue:
        """`clock.add` adds numbers."""
        if (plugin, method) != ("clock", "add"):
            raise NotSupported(f"{plugin}.{method}")
        if not isinstance(args, list):
            raise BadRequest("add wants a list of numbers.")
        return sum(number for number in args if isinstance(number, int))

    async def stream(self, plugin: str, method: str, args: JsonValue = None) -> AsyncIterator[ServiceEvent]:
        """`clock.count` counts for ever, `clock.broken` fails after one event."""
        if plugin != "clock" or method not in ("count", "broken"):
            raise NotSupported(f"{plugin}.{method}")
        number = 0
        while True:
            number += 1
            yield ServiceEvent("tick", number)
            if method == "broken":
                raise SessionError("worn_out", "The clock stopped.")
            await asyncio.sleep(0)
