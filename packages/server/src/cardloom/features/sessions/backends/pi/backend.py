"""pi as a backend. Each run is a `pi --mode rpc` of its own on a copy of the branch that it goes on.

Sessions are pi's files: what is edited, branched or renamed here, pi itself finds so. What pi writes in a run is taken
over as it stands, entry by entry, under the ids that clients were told. Spec: session protocol, adapters (pi).
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.codecs.blocks import split_data_url
from cardloom_protocol.session.codecs.pi import PiFile
from cardloom_protocol.session.errors import BadRequest, NotFound, SessionError, SessionErrorCode
from cardloom_protocol.session.info import ModelInfo, SessionInfo, SessionModel
from cardloom_protocol.session.json_text import JsonObject, is_number, is_object, list_of, object_of, text_of
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.parts import AnyPart, parts_of, parts_text
from cardloom_protocol.session.tree import active_leaf, tree_of
from cardloom_sdk.backend import Backend, Run, StoreSessions
from cardloom_sdk.stores import PiStore

from .adopting import Adoption
from .hearing import PiHearing
from .rpc import PiRpc
from .scratch import branch_text

_ModelInfos: TypeAlias = list[ModelInfo]
_LEVELS = ["off", "minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class PiSettings:
    """How pi is started and where its sessions are. `environment` is the whole environment of the program."""

    argv: Sequence[str]
    cwd: Path
    sessions: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Start:
    """What a run begins with: the entry that pi goes on from, and the words that it is prompted with."""

    leaf_id: str | None
    content: Sequence[AnyPart]
    user_id: str | None = None


class PiBackend(Backend):
    """One workspace's sessions of pi."""

    def __init__(self, settings: PiSettings) -> None:
        self._settings = settings
        self._store = PiStore(settings.sessions, cwd=str(settings.cwd), hide_service_entries=True, for_pi=True)
        self._running: dict[str, PiRpc] = {}
        self.models: PiModels = PiModels(self)
        self.sessions: StoreSessions = StoreSessions(self._store, check_model=self.models.check)
        self.models.sessions = self.sessions

    async def capabilities(self) -> Capabilities:
        """What pi's files and its program can do."""
        return {
            "protocol": PROTOCOL_VERSION,
            **self.sessions.capabilities(),
            "models": True,
            "run": {"ask": True, "activity": True, "cancel": True},
        }

    async def run(self, run: Run) -> None:
        """See the contract."""
        file = await self._store.file(run.session_id)
        start = await self._start(run, file)
        model = run.given.get("model")
        if model is not None:
            await self.models.check(model)
        else:
            model = await self.sessions.model_of(run.session_id)
        async with self._pi_on(branch_text(file, start.leaf_id)) as pi:
            await _choose(pi, model)
            known = await pi.ask("get_entries")
            user_id = await self.sessions.begin(run, model=model)
            adoption = Adoption(start.user_id or cast(str, user_id))
            adoption.cursor = _last_id(known)
            hearing = PiHearing(
                run,
                pi,
                adoption,
                lambda entries: self._store.adopt(run.session_id, entries),
                lambda message_id: self._stored(run.session_id, message_id),
            )
            self._running[run.id] = pi
            try:
                if await _prompt(pi, start.content):
                    if run.cancelled:  # before there was anything to stop
                        await pi.send({"type": "abort"})
                    await hearing.hear_all()
            except (SessionError, asyncio.CancelledError) as error:
                await self._keep(run, hearing, error)
                raise
            finally:
                del self._running[run.id]

    async def cancel(self, run: Run) -> None:
        """Tells pi to stop; its last events are then awaited."""
        pi = self._running.get(run.id)
        if pi is None:
            run.interrupt()
        else:
            await pi.send({"type": "abort"})

    @asynccontextmanager
    async def pi(self, *options: str) -> AsyncIterator[PiRpc]:
        """pi for as long as a block runs."""
        settings = self._settings
        started = await PiRpc.start(settings.argv, settings.cwd, settings.environment, *options)
        try:
            yield started
        finally:
            await started.close()

    @asynccontextmanager
    async def _pi_on(self, text: str) -> AsyncIterator[PiRpc]:
        """pi on a file of its own with this text."""
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="cardloom-pi-"))
        try:
            path = folder / "session.jsonl"
            await asyncio.to_thread(path.write_text, text, "utf-8", "surrogatepass")
            async with self.pi("--session", str(path)) as pi:
                yield pi
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _start(self, run: Run, file: PiFile) -> _Start:
        """Where pi goes on, and with what. NOT_FOUND, BAD_REQUEST before anything has happened."""
        given = run.given
        session = await self._store.load(run.session_id)
        tree = tree_of(session.nodes)
        if "swipeOf" in given:
            target = tree.find(given["swipeOf"])
            if target is None:
                raise NotFound(f"The session has no message {given['swipeOf']!r}.")
            asked = None if target.parent is None else tree.find(target.parent)
            if asked is None or asked.role != "user":
                raise BadRequest("pi can make anew only what directly answers a person's message.")
            return _Start(_raw_parent(file, asked.id), asked.parts, asked.id)
        content = parts_of(given.get("parts"), given.get("text"))
        if "parentId" in given:
            parent = given["parentId"]
            if parent is not None and tree.find(parent) is None:
                raise NotFound(f"The session has no message {parent!r}.")
            return _Start(parent, content)
        leaf = active_leaf(tree, session.meta)
        # Entries of pi's own behind the last message (a compaction, a label) belong to the branch.
        return _Start(file.leaf_id if leaf is not None else None, content)

    async def _stored(self, session_id: str, message_id: str) -> Message | None:
        try:
            return await self._store.message(session_id, message_id)
        except NotFound:
            return None

    async def _keep(self, run: Run, hearing: PiHearing, error: BaseException) -> None:
        """Store what pi had not written itself when it went away."""
        message = hearing.message
        if message is None or not message.is_open:
            return
        if isinstance(error, SessionError):
            message.fail(error.code, error.message)
        else:
            message.meta["cancelled"] = True
        if message.parts:
            history = await self.sessions.history(run.session_id)
            message.parent_id = history[-1]["id"] if history else None
            await self.sessions.keep(run, message)


class PiModels:
    """The models that pi is set up with, asked for once."""

    def __init__(self, backend: PiBackend) -> None:
        self._backend = backend
        self._known: _ModelInfos | None = None
        self._lock = asyncio.Lock()
        self.sessions: StoreSessions | None = None

    async def list(self) -> list[ModelInfo]:
        """See the contract. An id is `provider/model`."""
        async with self._lock:
            if self._known is None:
                async with self._backend.pi("--no-session") as pi:
                    found = await pi.ask("get_available_models")
                self._known = [_model_info(object_of(one)) for one in list_of(found.get("models"))]
            return self._known

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the contract."""
        if self.sessions is None:
            raise SessionError(SessionErrorCode.INTERNAL, "The sessions are not there yet.")
        return await self.sessions.choose(session_id, model=model)

    async def check(self, model: SessionModel) -> None:
        """NOT_FOUND for a model that pi does not have, BAD_REQUEST for a level that the model does not have."""
        known = next((one for one in await self.list() if one["id"] == model["model"]), None)
        if known is None:
            raise NotFound(f"pi has no model {model['model']!r}.")
        if "thinking" in model and model["thinking"] not in known.get("thinking", []):
            raise BadRequest(f"The model {model['model']!r} has no thinking level {model['thinking']!r}.")


def _model_info(found: JsonObject) -> ModelInfo:
    provider, own_id = text_of(found.get("provider")), text_of(found.get("id"))
    info: ModelInfo = {"id": f"{provider}/{own_id}", "provider": provider}
    if text_of(found.get("name")):
        info["name"] = text_of(found["name"])
    if found.get("reasoning") is True:
        info["thinking"] = list(_LEVELS)
    window = found.get("contextWindow")
    if is_number(window):
        info["contextWindow"] = int(window)
    kinds = [text_of(kind) for kind in list_of(found.get("input"))]
    if kinds:
        info["input"] = kinds
    return info


async def _choose(pi: PiRpc, model: SessionModel | None) -> None:
    if model is None:
        return
    provider, _, own_id = model["model"].partition("/")
    await pi.ask("set_model", provider=provider, modelId=own_id)
    if "thinking" in model:
        await pi.ask("set_thinking_level", level=model["thinking"])


async def _prompt(pi: PiRpc, content: Sequence[AnyPart]) -> bool:
    """Prompt pi; whether a run follows. A command of an extension needs none."""
    texts = [parts_text(content)]
    for part in content:
        if part.get("type") == "file":
            name = text_of(object_of(part.get("meta")).get("name"))
            texts.append(f"[file {name}]\n{text_of(part.get('text'))}")
    images: list[JsonValue] = []
    for part in content:
        found = split_data_url(object_of(part.get("meta")).get("url")) if part.get("type") == "image" else None
        if found is not None:
            images.append({"type": "image", "data": found[1], "mimeType": found[0]})
    fields: dict[str, Any] = {"images": images} if images else {}
    answer = await pi.ask("prompt", message="\n".join(text for text in texts if text), **fields)
    return answer.get("disposition") != "handled"


def _last_id(found: JsonObject) -> str | None:
    entries = [entry for entry in list_of(found.get("entries")) if is_object(entry)]
    return text_of(entries[-1].get("id")) if entries else None


def _raw_parent(file: PiFile, entry_id: str) -> str | None:
    at = file.find(entry_id)
    return None if at is None else file.entries[at].parent
