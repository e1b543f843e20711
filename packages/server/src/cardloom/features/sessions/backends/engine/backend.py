"""The engine behind the contract: what it offers, and a run from the request to the last answer.

A run is a row of steps: the model answers; when it called tools they are carried out and their results form a message
of role `tool`; then the model is asked again. Every message is stored as it ends. Spec: session protocol, run.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, cast

from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities, has
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.files import file_mime
from cardloom_protocol.session.info import SessionModel
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.messages import Message, Usage
from cardloom_protocol.session.operations import WorkspaceFilesOps, WorkspaceOps
from cardloom_protocol.session.profiles import CatalogExtension, CatalogSkill, CatalogTool, ProfileDoc
from cardloom_protocol.session.tree import to_message, tree_of
from cardloom_sdk.backend import Backend, MessageWriter, Run, StoreSessions
from cardloom_sdk.backend.services import PluginServices
from cardloom_sdk.stores import SessionStore

from .answers import Answer, Called, write_answer
from .conversation import Conversation, Turn, turns_of
from .endpoint import Endpoint
from .failures import ModelFault, fault
from .file_tools import file_tools
from .mcp_tools import McpServers
from .models import Models
from .profiles import ProfileFolder
from .prompt import request_extras, system_prompt
from .skills import Skills
from .toolbox import Permissions, Tool, carry_out, chosen

FilesOf = Callable[[str | None], tuple[WorkspaceFilesOps, bool] | None]
"""The files of a workspace (None: the current one) and whether they may be written; None where there are none."""

MAX_STEPS: Final = 50
_MAX_IMAGE_BYTES: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class EngineParts:
    """What an engine is built from. `default_model` is `endpoint/model`."""

    store: SessionStore
    endpoints: Sequence[Endpoint]
    profiles: Path
    skills: Sequence[Path] = ()
    mcp: McpServers = field(default_factory=lambda: McpServers([]))
    files_of: FilesOf = lambda _workspace: None
    workspace: WorkspaceOps | None = None
    services: PluginServices | None = None
    default_model: str | None = None
    max_steps: int = MAX_STEPS
    permissions: Permissions = field(default_factory=Permissions)


class EngineBackend(Backend):
    """Our own engine."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts
        self.models: Models = Models(parts.endpoints, parts.default_model)
        self.profiles: ProfileFolder = ProfileFolder(parts.profiles)
        self.sessions: StoreSessions = StoreSessions(
            parts.store, profile_of=self.profiles.get, check_model=self.models.check
        )
        self.models.sessions = self.profiles.sessions = self.sessions
        self.skills = Skills(parts.skills)
        self.catalogs: Catalogs = Catalogs(self, parts.mcp)
        self.workspace = parts.workspace
        self.services: PluginServices | None = parts.services

    async def capabilities(self) -> Capabilities:
        """Everything; the store's part by the store, services where a plug-in offers some."""
        capabilities: Capabilities = {
            "protocol": PROTOCOL_VERSION,
            **self.sessions.capabilities(),
            "models": True,
            "profiles": {"edit": True},
            "catalogs": True,
            "catalog": True,
            "run": {"ask": True, "activity": True, "cancel": True},
        }
        if self.workspace is not None:
            capabilities["workspace"] = {"files": {"write": True, "watch": True}} if self.workspace.files else {}
        offered = {} if self.services is None else await self.services.capability()
        if offered:
            capabilities["services"] = offered
        return capabilities

    async def close(self) -> None:
        """Close connections and end programs."""
        closing = [self.models.close(), self._parts.mcp.close()]
        if self.services is not None:
            closing.append(self.services.close())
        await asyncio.gather(*closing)

    async def all_tools(self, workspace: str | None = None, servers: Sequence[str] | None = None) -> _Offered:
        """The tools for a session of a workspace, with these MCP servers or all."""
        found = self._parts.files_of(workspace)
        tools = [] if found is None else file_tools(found[0], can_write=found[1])
        others, troubles = await self._parts.mcp.tools(servers)
        return _Offered([*tools, *others], troubles)

    async def run(self, run: Run) -> None:
        """See the contract."""
        sessions = self.sessions
        profile = await self._profile(run)
        model = await self._model(run, profile)
        endpoint, own_model = self.models.locate(model["model"])
        parent = await sessions.begin(run, model=model)
        info = await sessions.get(run.session_id)
        wanted = None if profile is None else profile.get("extensions")
        offered = await self.all_tools(info.get("workspace"), wanted)
        for trouble in offered.troubles:
            run.activity(kind="warning", text=trouble)
        tools = chosen(offered.tools, None if profile is None else profile.get("tools"))
        history = await self._history(run.session_id, parent)
        told = Conversation(
            model=own_model,
            system=await self._system(run, profile),
            turns=(),
            offers=[tool.offer for tool in tools],
            thinking=model.get("thinking"),
            extra=request_extras(profile),
        )
        work = _Work(run, endpoint, told, model, {tool.name: tool for tool in tools})
        await self._steps(work, history, parent)

    async def _steps(self, work: _Work, history: list[Message], parent: str | None) -> None:
        run = work.run
        for _ in range(self._parts.max_steps):
            images = await self._images(run.session_id, history)
            told = work.told_with(turns_of(history, lambda meta: _image_url(meta, images)))  # noqa: B023 - used at once
            async with self.sessions.writing(run, parent_id=parent, meta={"model": work.model["model"]}) as reply:
                answer = await self._answer(work, told, reply)
                if answer.usage is not None:
                    reply.meta["usage"] = cast(JsonObject, answer.usage)
                    run.usage = _sum(run.usage, answer.usage)
                run.stop_reason = answer.stop_reason
            history, parent = [*history, _message(reply)], reply.id
            if not answer.calls:
                return
            async with self.sessions.writing(run, "tool", parent_id=parent) as results:
                await self._call(work, answer.calls, results)
            history, parent = [*history, _message(results)], results.id
        raise fault(ModelFault.TOO_MANY_STEPS, f"The model called tools {self._parts.max_steps} times in a row.")

    async def _answer(self, work: _Work, told: Conversation, reply: MessageWriter) -> Answer:
        def retrying(number: int, wait_s: float) -> None:
            work.run.activity(kind="retry", text=f"Try {number} in {wait_s:g} s.", data={"try": number})

        async with aclosing(work.endpoint.say(told, retrying)) as said:
            return await write_answer(said, reply, work.run.new_id)

    async def _call(self, work: _Work, calls: Sequence[Called], results: MessageWriter) -> None:
        for call in calls:
            outcome = await carry_out(work.run, work.tools, self._parts.permissions, call.name, call.call_id, call.data)
            meta: JsonObject = {"callId": call.call_id, "name": call.name, "error": outcome.is_error}
            part: JsonObject = {"type": "tool_result", "text": outcome.text, "meta": meta}
            if outcome.data is not None:
                part["data"] = outcome.data
            results.add(part)

    async def _profile(self, run: Run) -> ProfileDoc | None:
        given = run.given.get("profile")
        if given is None:
            return await self.sessions.profile_of(run.session_id)
        if isinstance(given, str):
            return await self.profiles.get(given)
        return given

    async def _model(self, run: Run, profile: ProfileDoc | None) -> SessionModel:
        given = run.given.get("model")
        if given is not None:
            await self.models.check(given)
            return given
        if "profile" in run.given and profile is not None and "model" in profile:
            chosen_model: SessionModel = {"model": profile["model"]}
            if "thinking" in profile:
                chosen_model["thinking"] = profile["thinking"]
            return chosen_model
        return await self.sessions.model_of(run.session_id) or await self.models.default()

    async def _system(self, run: Run, profile: ProfileDoc | None) -> str:
        has_document = has(self.sessions.capabilities(), "sessionMeta")
        document = await self.sessions.get_meta(run.session_id) if has_document else {}
        wanted = (profile.get("skills") or []) if profile is not None else []
        texts, missing = await asyncio.to_thread(self.skills.texts, wanted)
        for name in missing:
            run.activity(kind="warning", text=f"The skill {name} is not there.")
        return system_prompt(profile, document, texts)

    async def _history(self, session_id: str, last: str | None) -> list[Message]:
        """The messages from the root to one of them, whatever branch is active."""
        tree = tree_of((await self._parts.store.load(session_id)).nodes)
        if last is None:
            return []
        if last not in tree.by_id:
            raise NotFound(f"The session has no message {last!r}.")
        return [to_message(tree, at) for at in tree.path(tree.by_id[last])]

    async def _images(self, session_id: str, history: Sequence[Message]) -> dict[str, str]:
        """The images that lie beside the session as addresses; what cannot be read is left out."""
        wanted = {
            text_of(meta.get("ref")): text_of(meta.get("mime"))
            for message in history
            for part in message["parts"]
            if part.get("type") == "image" and (meta := object_of(part.get("meta"))).get("ref")
        }
        found: dict[str, str] = {}
        for ref, mime in wanted.items():
            try:
                data = await self.sessions.get_asset(session_id, ref)
            except SessionError:
                continue
            if len(data) <= _MAX_IMAGE_BYTES:
                kind = mime or file_mime(ref) or "image/png"
                found[ref] = f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
        return found


@dataclass(frozen=True, slots=True)
class _Offered:
    tools: list[Tool]
    troubles: list[str]


@dataclass(frozen=True, slots=True)
class _Work:
    """What stays the same through the steps of a run."""

    run: Run
    endpoint: Endpoint
    told: Conversation
    model: SessionModel
    tools: dict[str, Tool]

    def told_with(self, turns: Sequence[Turn]) -> Conversation:
        """The request with these turns."""
        return replace(self.told, turns=turns)


class Catalogs:
    """What profiles of this engine may name."""

    def __init__(self, engine: EngineBackend, mcp: McpServers) -> None:
        self._engine = engine
        self._mcp = mcp

    async def tools(self) -> list[CatalogTool]:
        """The tools of the current workspace and of all MCP servers that answer."""
        return [tool.to_catalog() for tool in (await self._engine.all_tools()).tools]

    async def skills(self) -> list[CatalogSkill]:
        """The skills in the skill folders."""
        return await asyncio.to_thread(self._engine.skills.catalog)

    async def extensions(self) -> list[CatalogExtension]:
        """The MCP servers."""
        return self._mcp.catalog()


def _message(written: MessageWriter) -> Message:
    return {"id": written.id, "role": written.role, "parts": written.parts}


def _image_url(meta: JsonObject, found: Mapping[str, str]) -> str | None:
    url = text_of(meta.get("url"))
    return found.get(text_of(meta.get("ref"))) or (url if url.startswith(("data:", "https:", "http:")) else None)


def _sum(before: Usage | None, more: Usage) -> Usage:
    if before is None:
        return more
    return {"input": before["input"] + more["input"], "output": before["output"] + more["output"]}
