"""A mapped engine as a backend. Its capabilities are what its routes give, no more.

A run is heard in the answer to its own request, or – where the mapping has a route `events` – on a stream that is
opened before. Spec: session protocol, adapters; issue: mapping files.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any, TypeAlias, cast

import httpx

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.errors import BadRequest, NotFound, NotSupported, SessionError
from cardloom_protocol.session.events import AskAnswer
from cardloom_protocol.session.info import ModelInfo, SessionCreateOpts, SessionInfo, SessionModel
from cardloom_protocol.session.json_text import is_object
from cardloom_protocol.session.messages import Message, MessageAppendOpts
from cardloom_protocol.session.model import NodePatch
from cardloom_protocol.session.names import safe_id
from cardloom_protocol.session.paging import page_of
from cardloom_protocol.session.parts import AnyPart, parts_of, parts_text
from cardloom_sdk.backend import Backend, Run, SessionsOps
from cardloom_sdk.stores import SessionPage

from ..linear import check_end, find
from .engine import GARBLED, Engine
from .hearing import Hearing, answer_fields
from .language import MISSING, Found
from .shapes import model_of, session_of

# Inside a class with an operation `list` that name is no type.
_Messages: TypeAlias = list[Message]
_Fields: TypeAlias = dict[str, JsonValue]


class MappedBackend(Backend):
    """One engine behind its mapping."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.sessions: MappedSessions = MappedSessions(engine)
        if engine.mapping.has("models", "setModel"):
            self.models = MappedModels(engine, self.sessions)

    async def capabilities(self) -> Capabilities:
        """What the routes give."""
        has = self._engine.mapping.has
        found: Capabilities = {"protocol": PROTOCOL_VERSION}
        edits = {"edit": has("editMessage"), "delete": has("deleteMessage"), "hide": has("hideMessage")}
        if any(edits.values()):
            found["edits"] = cast(Any, {name: True for name, there in edits.items() if there})
        if not has("delete"):
            found["sessions"] = {"create": True}
        if has("rename"):
            found["rename"] = True
        if has("fork"):
            found["fork"] = True
        if has("swipe", "regenerate", "appendSwipe"):
            found["swipes"] = True
        if has("models", "setModel"):
            found["models"] = True
        rules = {rule.do for rule in self._engine.mapping.events.rules}
        # An engine that is heard in its answer stops when nobody listens any more.
        run = {
            "ask": has("answer"),
            "activity": "activity" in rules,
            "cancel": has("cancel") or not has("events"),
        }
        found["run"] = cast(Any, {name: True for name, there in run.items() if there})
        return found

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.close()

    async def run(self, run: Run) -> None:
        """See the contract."""
        before = await self.sessions.history(run.session_id)
        route, fields = self._request(run, before)
        is_swipe = "swipeOf" in run.given
        hearing = Hearing(
            self._engine.mapping,
            run,
            next_place=len(before) - 1 if is_swipe else len(before) + 1,
            send_answer=lambda ask_id, answer: self._send_answer(run, ask_id, answer),
        )
        try:
            async with self._heard(route, fields) as response:
                run.start(user_message_id=self._user_message_id(len(before), is_swipe))
                async with aclosing(self._engine.events(response)) as events:
                    async for name, event in events:
                        hearing.hear(name, event)
                        if hearing.is_over:
                            break
            if not hearing.is_over:
                raise self._engine.cut_off()
        finally:
            await hearing.close()
        stored = {message["id"]: message for message in await self.sessions.history(run.session_id)}
        hearing.finish(stored)

    async def cancel(self, run: Run) -> None:
        """Tells the engine, whose last events are then awaited; without such a route the run just ends here."""
        if not self._engine.mapping.has("cancel"):
            run.interrupt()
            return
        try:
            await self._engine.ask("cancel", {"sessionId": run.session_id, "runId": run.id})
        except SessionError:
            run.interrupt()

    def _request(self, run: Run, before: Sequence[Message]) -> tuple[str, _Fields]:
        """The route of a run and its fields. NOT_FOUND, BAD_REQUEST before anything is asked of the engine."""
        given = run.given
        fields: _Fields = {"sessionId": run.session_id, "runId": run.id}
        if "model" in given:
            fields |= cast(_Fields, given["model"])
        if "swipeOf" in given:
            if given["swipeOf"] not in {message["id"] for message in before}:
                raise NotFound(f"The session has no message {given['swipeOf']!r}.")
            return "regenerate", {**fields, "messageId": given["swipeOf"]}
        check_end(before, cast(_Fields, given).get("parentId"))
        return "run", {**fields, **self.sessions.content("user", given.get("parts"), given.get("text"))}

    @asynccontextmanager
    async def _heard(self, route: str, fields: _Fields) -> AsyncGenerator[httpx.Response, None]:
        """The stream that tells of a run which was begun."""
        async with AsyncExitStack() as stack:
            if not self._engine.mapping.has("events"):
                yield await stack.enter_async_context(self._engine.opened(route, fields))
                return
            response = await stack.enter_async_context(self._engine.opened("events", fields))
            await self._engine.ask(route, fields)
            yield response

    def _user_message_id(self, place: int, is_swipe: bool) -> str | None:
        return None if is_swipe or self._engine.mapping.message.has_ids else f"pos:{place}"

    async def _send_answer(self, run: Run, ask_id: str, answer: AskAnswer) -> None:
        fields = {"sessionId": run.session_id, "runId": run.id, "askId": ask_id}
        await self._engine.ask("answer", {**fields, **answer_fields(answer)})


class MappedSessions(SessionsOps):
    """The sessions of a mapped engine: each operation is one route."""

    def __init__(self, engine: Engine) -> None:
        self._ask = engine.ask
        self._mapping = engine.mapping

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """See the contract. Engines give all at once; pages are cut here."""
        found = [self._session(one) for one in _listed(await self._ask("list", {}))]
        found.sort(key=lambda info: info.get("updatedAt") or info.get("createdAt") or "", reverse=True)
        page = page_of(found, limit, cursor)
        return SessionPage(page.items, page.cursor)

    async def get(self, session_id: str) -> SessionInfo:
        """See the contract."""
        return self._session(await self._ask("get", {"sessionId": session_id}))

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """See the contract. NOT_SUPPORTED for what the engine has no place for."""
        for name in ("profile", "workspace", "meta"):
            if opts.get(name):
                raise NotSupported(name)
        fields = {name: value for name, value in cast(_Fields, opts).items() if name != "model"}
        if "model" in opts:
            if not self._mapping.has("models", "setModel"):
                raise NotSupported("models")
            fields |= cast(_Fields, opts["model"])
        return self._session(await self._ask("create", fields))

    async def history(self, session_id: str) -> _Messages:
        """See the contract."""
        found = await self._ask("messages", {"sessionId": session_id})
        return [self._mapping.message.of(one, place) for place, one in enumerate(_listed(found))]

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """See the contract. At the end of the session, or beside a message."""
        before = await self.history(session_id)
        check_end(before, opts.get("parentId"))
        fields: _Fields = {"sessionId": session_id}
        fields |= self.content(opts.get("role", "user"), opts.get("parts"), opts.get("text"))
        for name in ("name", "id"):
            if name in opts:
                fields[name] = cast(_Fields, opts)[name]
        if "swipeOf" in opts:
            find(before, opts["swipeOf"])
            await self._ask("appendSwipe", {**fields, "messageId": opts["swipeOf"]})
        else:
            await self._ask("append", fields)
        after = await self.history(session_id)
        if not after:
            raise SessionError(GARBLED, f"{self._mapping.name} did not keep the message.")
        return find(after, opts["swipeOf"]) if "swipeOf" in opts else after[-1]

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """See the contract."""
        await self._ask("rename", {"sessionId": session_id, "title": title})
        return await self.get(session_id)

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        await self._ask("delete", {"sessionId": session_id})

    async def edit_message(self, session_id: str, message_id: str, patch: NodePatch) -> Message:
        """See the contract."""
        self._need("editMessage")
        message = find(await self.history(session_id), message_id)
        patch.check(message.get("hash", ""))
        parts = patch.applied(message["parts"])
        fields: _Fields = {"parts": cast(list[JsonValue], parts), "text": parts_text(parts)}
        await self._ask("editMessage", {"sessionId": session_id, "messageId": message_id, **fields})
        return find(await self.history(session_id), message_id)

    async def delete_message(self, session_id: str, message_id: str) -> None:
        """See the contract."""
        self._need("deleteMessage")
        find(await self.history(session_id), message_id)
        await self._ask("deleteMessage", {"sessionId": session_id, "messageId": message_id})

    async def hide_message(self, session_id: str, message_id: str, hidden: bool) -> Message:
        """See the contract."""
        self._need("hideMessage")
        find(await self.history(session_id), message_id)
        await self._ask("hideMessage", {"sessionId": session_id, "messageId": message_id, "hidden": hidden})
        return find(await self.history(session_id), message_id)

    async def swipe(self, session_id: str, message_id: str, *, index: int | None = None, step: int = 0) -> _Messages:
        """See the contract."""
        self._need("swipe")
        swipes = find(await self.history(session_id), message_id).get("swipes", {"active": 0, "count": 1})
        wanted = swipes["active"] + step if index is None else index
        wanted = min(max(wanted, 0), swipes["count"] - 1)
        await self._ask("swipe", {"sessionId": session_id, "messageId": message_id, "index": wanted})
        return await self.history(session_id)

    async def fork(self, session_id: str, message_id: str | None = None) -> SessionInfo:
        """See the contract."""
        self._need("fork")
        history = await self.history(session_id)
        if not history:
            raise BadRequest("An empty session cannot be forked.")
        last = history[-1]["id"] if message_id is None else find(history, message_id)["id"]
        info = self._session(await self._ask("fork", {"sessionId": session_id, "messageId": last}))
        info.setdefault("parentSessionId", session_id)
        if message_id is not None:
            info.setdefault("forkMessageId", message_id)
        return info

    def content(self, role: str, parts: Sequence[AnyPart] | None, text: str | None) -> _Fields:
        """What a message says, as the fields of a route."""
        given = parts_of(parts, text)
        return {
            "role": self._mapping.message.foreign_role(role),
            "parts": cast(JsonValue, given),
            "text": parts_text(given),
        }

    def _need(self, route: str) -> None:
        if not self._mapping.has(route):
            raise NotSupported(route)

    def _session(self, found: Found) -> SessionInfo:
        if not is_object(found):
            raise SessionError(GARBLED, f"{self._mapping.name} gives no session where the mapping says.")
        info = session_of(self._mapping.session, found)
        safe_id(info.get("id"), "session id")
        return info


class MappedModels:
    """The models of a mapped engine."""

    def __init__(self, engine: Engine, sessions: MappedSessions) -> None:
        self._ask = engine.ask
        self._fields = engine.mapping.model
        self._sessions = sessions

    async def list(self) -> list[ModelInfo]:
        """See the contract."""
        found = [model_of(self._fields, one) for one in _listed(await self._ask("models", {}))]
        return [model for model in found if model.get("id")]  # one without an id cannot be chosen

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the contract."""
        if model["model"] not in {one["id"] for one in await self.list()}:
            raise NotFound(f"There is no model {model['model']!r}.")
        if "thinking" in model:
            raise BadRequest("The models of this engine have no thinking levels.")
        await self._ask("setModel", {"sessionId": session_id, "model": model["model"]})
        return await self._sessions.get(session_id)


def _listed(found: Found) -> list[JsonValue]:
    if found is MISSING or not isinstance(found, list):
        raise SessionError(GARBLED, "The engine gives no list where the mapping says.")
    return found
