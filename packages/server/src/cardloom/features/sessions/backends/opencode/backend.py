"""OpenCode as a backend: one server for one folder. Spec: session protocol, adapters (OpenCode)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.errors import BadRequest, NotFound, NotSupported, SessionError
from cardloom_protocol.session.info import ModelInfo, SessionCreateOpts, SessionInfo, SessionModel, patched_meta
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.messages import Message, MessageAppendOpts
from cardloom_protocol.session.model import NodePatch
from cardloom_protocol.session.paging import page_of
from cardloom_protocol.session.parts import AnyPart, parts_of
from cardloom_sdk.backend import Backend, Run, SessionsOps
from cardloom_sdk.stores import SessionPage

from ..linear import check_end, find
from .hearing import AskOpenCode, OpenCodeHearing
from .server import OpenCodeServer, OpenCodeSettings
from .shapes import OWN, messages_of, model_infos, objects, own_metadata, prompt_parts, session_info, session_model

# Inside a class with an operation `list` that name is no type.
_Messages: TypeAlias = list[Message]


class OpenCodeBackend(Backend):
    """One `opencode serve`."""

    def __init__(self, settings: OpenCodeSettings) -> None:
        self._server = OpenCodeServer(settings)
        self.sessions: OpenCodeSessions = OpenCodeSessions(self._server)
        self.models: OpenCodeModels = OpenCodeModels(self._server, self.sessions)

    async def capabilities(self) -> Capabilities:
        """What OpenCode's server can do. It has no alternatives to a message: what is made anew replaces."""
        return {
            "protocol": PROTOCOL_VERSION,
            "models": True,
            "rename": True,
            "fork": True,
            "sessionMeta": True,
            "edits": {"edit": True, "delete": True},
            "run": {"ask": True, "activity": True, "cancel": True},
        }

    async def run(self, run: Run) -> None:
        """See the contract."""
        given = run.given
        found = await self.sessions.found(run.session_id)
        known = await self.sessions.history(run.session_id)
        check_end(known, cast(JsonObject, given).get("parentId"))
        body: JsonObject = {"parts": prompt_parts(parts_of(given.get("parts"), given.get("text")))}
        if "model" in given:
            await self.models.check(given["model"])
        model = given.get("model") or session_model(found)
        if model is not None:
            provider, _, own_id = model["model"].partition("/")
            body["model"] = {"providerID": provider, "modelID": own_id}
            if "thinking" in model:
                body["variant"] = model["thinking"]
        hearing = OpenCodeHearing(run, self._server.ask, lambda: self.sessions.history(run.session_id), known)
        unsubscribe = await self._server.listen(hearing.hear)
        try:
            await self._server.ask("POST", f"/session/{run.session_id}/prompt_async", body)
            if run.cancelled:
                await self.cancel(run)
            await hearing.hear_all()
        finally:
            unsubscribe()

    async def cancel(self, run: Run) -> None:
        """Tells OpenCode to stop; its last events are then awaited."""
        try:
            await self._server.ask("POST", f"/session/{run.session_id}/abort", {}, again=True)
        except SessionError:
            run.interrupt()

    async def close(self) -> None:
        """End the server."""
        await self._server.close()


class OpenCodeSessions(SessionsOps):
    """The sessions of the folder that the server was started in."""

    def __init__(self, server: OpenCodeServer) -> None:
        self._ask = server.ask

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """See the contract. Sessions of sub-agents are left out."""
        found = [session_info(one) for one in objects(await self._ask("GET", "/session", roots="true", limit="1000"))]
        found.sort(key=lambda info: (info.get("updatedAt", ""), info["id"]), reverse=True)
        page = page_of(found, limit, cursor)
        return SessionPage(page.items, page.cursor)

    async def get(self, session_id: str) -> SessionInfo:
        """See the contract."""
        info = session_info(await self.found(session_id))
        info["messageCount"] = len(await self.history(session_id))
        return info

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """See the contract. NOT_SUPPORTED for what OpenCode has no place for."""
        for name in ("id", "profile", "workspace", "botId", "botName", "botAvatar", "accentColor"):
            if opts.get(name):
                raise NotSupported(name, f"OpenCode takes no {name} for a session.")
        own: JsonObject = {}
        if opts.get("meta"):
            own["document"] = opts["meta"]
        if "model" in opts:
            await check_model(self._ask, opts["model"])
            own["model"] = cast(JsonObject, opts["model"])
        body: JsonObject = {"metadata": {OWN: own}} if own else {}
        if opts.get("title"):
            body["title"] = opts["title"]
        # At worst an empty session is left behind.
        return session_info(object_of(await self._ask("POST", "/session", body, again=True)))

    async def history(self, session_id: str) -> _Messages:
        """See the contract."""
        _check_id(session_id, "ses", "session")
        found = await self._ask("GET", f"/session/{session_id}/message")
        return messages_of(found if isinstance(found, list) else [])

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """See the contract. A person's words, at the end of the session."""
        check_end(await self.history(session_id), opts.get("parentId"))
        if opts.get("role", "user") != "user" or "id" in opts:
            raise NotSupported("append", "OpenCode takes only what a person says, under an id of its own.")
        body: JsonObject = {"noReply": True, "parts": prompt_parts(parts_of(opts.get("parts"), opts.get("text")))}
        made = object_of(await self._ask("POST", f"/session/{session_id}/message", body))
        return find(await self.history(session_id), object_of(made.get("info")).get("id"))

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """See the contract."""
        _check_id(session_id, "ses", "session")
        return session_info(object_of(await self._ask("PATCH", f"/session/{session_id}", {"title": title})))

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        _check_id(session_id, "ses", "session")
        await self._ask("DELETE", f"/session/{session_id}")

    async def edit_message(self, session_id: str, message_id: str, patch: NodePatch) -> Message:
        """See the contract. Only texts can be changed: the rest is what OpenCode did."""
        message = find(await self.history(session_id), message_id)
        patch.check(message.get("hash", ""))
        wanted = patch.applied(message["parts"])
        if _without_texts(wanted) != _without_texts(message["parts"]) or "." in message_id:
            raise NotSupported("edits.edit", "OpenCode lets only the texts of a message be changed.")
        texts = [text_of(part.get("text")) for part in wanted if part.get("type") == "text"]
        place = f"/session/{session_id}/message/{message_id}"
        kept = [part for part in objects(object_of(await self._ask("GET", place)).get("parts")) if _is_shown_text(part)]
        if len(texts) > len(kept):
            raise NotSupported("edits.edit", "OpenCode takes no further text into a message.")
        for number, part in enumerate(kept):
            if number >= len(texts):
                await self._ask("DELETE", f"{place}/part/{part['id']}")
            elif part.get("text") != texts[number]:
                await self._ask("PATCH", f"{place}/part/{part['id']}", {**part, "text": texts[number]})
        return find(await self.history(session_id), message_id)

    async def delete_message(self, session_id: str, message_id: str) -> None:
        """See the contract. The results of calls go with the message that made them."""
        find(await self.history(session_id), message_id)
        if not message_id.startswith("msg") or "." in message_id:
            raise BadRequest("In OpenCode the results of calls belong to the message before them; delete that one.")
        await self._ask("DELETE", f"/session/{session_id}/message/{message_id}")

    async def fork(self, session_id: str, message_id: str | None = None) -> SessionInfo:
        """See the contract."""
        history = await self.history(session_id)
        if not history:
            raise BadRequest("An empty session cannot be forked.")
        body: JsonObject = {}
        if message_id is not None:
            at = history.index(find(history, message_id))
            after = next((one["id"] for one in history[at + 1 :] if "." not in one["id"]), None)
            if after is not None:  # OpenCode copies what stands before a message
                body["messageID"] = after
        made = object_of(await self._ask("POST", f"/session/{session_id}/fork", body))
        own: JsonObject = {"parentSessionId": session_id}
        if message_id is not None:
            own["forkMessageId"] = message_id
        return session_info(await self._keep(text_of(made.get("id")), own))

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        return object_of(own_metadata(await self.found(session_id)).get("document"))

    async def patch_meta(self, session_id: str, patch: JsonObject) -> JsonObject:
        """See the contract."""
        return await self.set_meta(session_id, patched_meta(await self.get_meta(session_id), patch))

    async def set_meta(self, session_id: str, document: JsonObject) -> JsonObject:
        """See the contract."""
        await self._keep(session_id, {"document": document})
        return document

    async def choose(self, session_id: str, model: SessionModel) -> SessionInfo:
        """Remember the model of a session."""
        return session_info(await self._keep(session_id, {"model": cast(JsonObject, model)}))

    async def found(self, session_id: str) -> JsonObject:
        """A session as OpenCode tells it. NOT_FOUND."""
        _check_id(session_id, "ses", "session")
        return object_of(await self._ask("GET", f"/session/{session_id}"))

    async def _keep(self, session_id: str, own: JsonObject) -> JsonObject:
        found = await self.found(session_id)
        metadata = {**object_of(found.get("metadata")), OWN: {**own_metadata(found), **own}}
        return object_of(await self._ask("PATCH", f"/session/{session_id}", {"metadata": metadata}))


class OpenCodeModels:
    """The models of the providers that OpenCode is set up with."""

    def __init__(self, server: OpenCodeServer, sessions: OpenCodeSessions) -> None:
        self._ask = server.ask
        self._sessions = sessions

    async def list(self) -> list[ModelInfo]:
        """See the contract. An id is `provider/model`."""
        return await _models(self._ask)

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the contract."""
        await self.check(model)
        return await self._sessions.choose(session_id, model)

    async def check(self, model: SessionModel) -> None:
        """NOT_FOUND for an unknown model, BAD_REQUEST for a level that it does not have."""
        await check_model(self._ask, model)


async def check_model(ask: AskOpenCode, model: SessionModel) -> None:
    """NOT_FOUND for an unknown model, BAD_REQUEST for a level that it does not have."""
    known = next((one for one in await _models(ask) if one["id"] == model["model"]), None)
    if known is None:
        raise NotFound(f"OpenCode has no model {model['model']!r}.")
    if "thinking" in model and model["thinking"] not in known.get("thinking", []):
        raise BadRequest(f"The model {model['model']!r} has no thinking level {model['thinking']!r}.")


async def _models(ask: AskOpenCode) -> list[ModelInfo]:
    return model_infos(object_of(await ask("GET", "/config/providers")))


def _without_texts(parts: Sequence[AnyPart]) -> list[AnyPart]:
    return [part for part in parts if part.get("type") != "text"]


def _is_shown_text(part: JsonObject) -> bool:
    return part.get("type") == "text" and bool(part.get("text"))


def _check_id(value: str, prefix: str, what: str) -> None:
    if not value.startswith(prefix):  # OpenCode fails over ids that are none of its own
        raise NotFound(f"There is no {what} {value!r}.")
