"""The sessions of a backend that keeps them in a store, and the steps of a run in them.

What a store's format has no place for – the chosen model, profile and workspace – lives in the session's document under
a key of its own, which clients do not see. Spec: session protocol, appending and swipes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias, cast
from weakref import WeakValueDictionary

from cardloom_protocol.session.capabilities import Capabilities, has
from cardloom_protocol.session.errors import BadRequest, NotFound, NotSupported, SessionError, SessionErrorCode
from cardloom_protocol.session.info import SessionCreateOpts, SessionInfo, SessionModel, patched_meta
from cardloom_protocol.session.json_text import JsonObject, is_object, object_of
from cardloom_protocol.session.messages import Message, MessageAppendOpts
from cardloom_protocol.session.model import UNSET, NodeInput, NodePatch, StoreNode, Unset
from cardloom_protocol.session.profiles import DEFAULT_PROFILE_ID, INLINE_PROFILE_ID, ProfileDoc, inline_profile
from cardloom_protocol.session.tree import Tree, active_leaf, swiped_leaf, to_thread, tree_of

from ..stores.contract import History, SessionPage, SessionStore
from .contract import SessionsOps, Thread
from .run import Run
from .writing import MessageWriter

ProfileOf: TypeAlias = Callable[[str], Awaitable[ProfileDoc]]
CheckModel: TypeAlias = Callable[[SessionModel], Awaitable[None]]

_OWN = "$session"
_SHOWN = ("title", "botId", "botName", "botAvatar", "accentColor")


class StoreSessions(SessionsOps):
    """Sessions in any store. What the store cannot do is not supported.

    `profile_of` gives a profile by id or fails with NOT_FOUND; without it there are no profiles. `check_model` fails
    for a model that cannot be chosen; without it there are none.
    """

    def __init__(
        self, store: SessionStore, *, profile_of: ProfileOf | None = None, check_model: CheckModel | None = None
    ) -> None:
        self.store = store
        self._profile_of = profile_of
        self._check_model = check_model
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def capabilities(self) -> Capabilities:
        """The part of the capabilities that comes from the store."""
        return cast(Capabilities, dict(self.store.capabilities))

    # Sessions

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """See the contract. Sessions of no workspace belong to every one."""
        page = await self.store.list(limit=limit, cursor=cursor)
        infos = page.sessions
        if self._store_has("sessionMeta"):
            documents = await self.store.documents([info["id"] for info in infos])
            infos = [self._with_choices(info, document) for info, document in zip(infos, documents, strict=True)]
        if workspace is not None:
            infos = [info for info in infos if info.get("workspace", workspace) == workspace]
        return SessionPage(infos, page.cursor)

    async def get(self, session_id: str) -> SessionInfo:
        """See the contract."""
        return await self._described(await self.store.info(session_id))

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """See the contract. What a profile says before and after the prompt goes into the session's document."""
        own = await self._choices(opts)
        document: JsonObject = dict(opts.get("meta") or {})
        profile = await self._chosen_profile(opts.get("profile"))
        if profile is not None and "prompt" in profile:
            document.setdefault("prompt", cast(JsonObject, profile["prompt"]))
        info = {name: value for name, value in cast(JsonObject, opts).items() if name in _SHOWN}
        if (own or document) and not self._store_has("sessionMeta"):
            raise NotSupported("sessionMeta")
        made = await self.store.create(session_id=opts.get("id"), info=info)
        if own:
            document[_OWN] = own
        if document:
            await self.store.set_meta(made["id"], document)
        return await self._described(made)

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """See the contract."""
        await self.store.rename(session_id, title)
        return await self.get(session_id)

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        await self.store.info(session_id)
        await self.store.delete(session_id)

    async def fork(self, session_id: str, message_id: str | None = None) -> SessionInfo:
        """See the contract."""
        return await self._described(await self.store.fork_copy(session_id, message_id))

    async def choose(
        self, session_id: str, *, model: SessionModel | None = None, profile: str | ProfileDoc | None = None
    ) -> SessionInfo:
        """Chooses a session's model or profile. A document is embedded; an id drops an embedded one."""
        opts: SessionCreateOpts = {}
        if model is not None:
            opts["model"] = model
        if profile is not None:
            opts["profile"] = profile
        own = await self._choices(opts)
        async with self._alone(session_id):
            document = await self.store.get_meta(session_id)
            before = object_of(document.get(_OWN))
            if profile is not None:
                before.pop("profileDoc", None)
            await self.store.set_meta(session_id, {**document, _OWN: {**before, **own}})
        return await self.get(session_id)

    async def model_of(self, session_id: str) -> SessionModel | None:
        """The model in effect: the chosen one, else that of the profile, else none."""
        info = await self.get(session_id)
        if "model" in info:
            return info["model"]
        profile = await self.profile_of(session_id)
        if profile is None or "model" not in profile:
            return None
        chosen: SessionModel = {"model": profile["model"]}
        if "thinking" in profile:
            chosen["thinking"] = profile["thinking"]
        return chosen

    async def profile_of(self, session_id: str) -> ProfileDoc | None:
        """The profile in effect in full, None when the environment's own is."""
        info = await self.get(session_id)
        if "profileDoc" in info:
            return info["profileDoc"]
        chosen = info.get("profile", DEFAULT_PROFILE_ID)
        if self._profile_of is None or chosen == DEFAULT_PROFILE_ID:
            return None
        return await self._profile_of(chosen)

    # Messages

    async def history(self, session_id: str) -> History:
        """See the contract."""
        return await self.store.history(session_id)

    async def thread(self, session_id: str) -> Thread:
        """See the contract."""
        return to_thread(await self.store.load(session_id))

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """See the contract."""
        async with self._alone(session_id):
            parent: str | Unset | None = opts.get("parentId", UNSET)
            if "swipeOf" in opts:
                parent = (await self._node(session_id, opts["swipeOf"])).parent
            elif isinstance(parent, str):
                await self._node(session_id, parent)
            given = NodeInput(
                role=opts.get("role", "user"),
                id=opts.get("id"),
                name=opts.get("name"),
                parts=opts.get("parts"),
                text=opts.get("text"),
                parent=parent,
                flags=opts.get("flags"),
                meta=opts.get("meta"),
            )
            return await self._add(session_id, given)

    async def edit_message(self, session_id: str, message_id: str, patch: NodePatch) -> Message:
        """See the contract."""
        if patch.is_empty:
            raise BadRequest("An edit needs parts or text.")
        await self.store.edit_node(session_id, message_id, patch)
        return await self.store.message(session_id, message_id)

    async def delete_message(self, session_id: str, message_id: str) -> None:
        """See the contract."""
        await self.store.delete_node(session_id, message_id)

    async def hide_message(self, session_id: str, message_id: str, hidden: bool) -> Message:
        """See the contract."""
        await self.store.hide_node(session_id, message_id, hidden)
        return await self.store.message(session_id, message_id)

    async def swipe(self, session_id: str, message_id: str, *, index: int | None = None, step: int = 0) -> History:
        """See the contract. The session then ends where that sibling's branch does."""
        async with self._alone(session_id):
            tree = tree_of((await self.store.load(session_id)).nodes)
            leaf = swiped_leaf(tree, _place(tree, message_id), index=index, step=step)
            await self.store.set_active_leaf(session_id, tree.nodes[leaf].id)
        return await self.store.history(session_id)

    # Documents and assets

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        return _without_own(await self.store.get_meta(session_id))

    async def patch_meta(self, session_id: str, patch: JsonObject) -> JsonObject:
        """See the contract."""
        async with self._alone(session_id):
            document = patched_meta(await self.store.get_meta(session_id), _without_own(patch))
            await self.store.set_meta(session_id, document)
        return _without_own(document)

    async def set_meta(self, session_id: str, document: JsonObject) -> JsonObject:
        """See the contract."""
        async with self._alone(session_id):
            before = await self.store.get_meta(session_id)
            own: JsonObject = {_OWN: before[_OWN]} if _OWN in before else {}
            await self.store.set_meta(session_id, {**_without_own(document), **own})
        return _without_own(document)

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """See the contract."""
        return await self.store.put_asset(session_id, name, data, mime)

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """See the contract."""
        return await self.store.get_asset(session_id, ref)

    # The steps of a run

    async def begin(self, run: Run, *, model: SessionModel | None = None) -> str | None:
        """Stores the user's message and starts the run; gives the message that the reply hangs below.

        With `swipeOf` nothing is stored: the reply will stand beside that message. NOT_FOUND for unknown messages,
        CONFLICT for an id in use.
        """
        given = run.given
        async with self._alone(run.session_id):
            if "swipeOf" in given:
                parent = (await self._node(run.session_id, given["swipeOf"])).parent
                run.start(parent_id=parent, model=model)
                return parent
            if "text" not in given and "parts" not in given:
                leaf = await self._leaf_id(run.session_id)
                run.start(parent_id=leaf, model=model)
                return leaf
            parent_id: str | Unset | None = given.get("parentId", UNSET)
            if isinstance(parent_id, str):
                await self._node(run.session_id, parent_id)
            node = NodeInput(
                role="user",
                id=given.get("messageId") or run.new_id(),
                name=given.get("name"),
                parts=given.get("parts"),
                text=given.get("text"),
                parent=parent_id,
                flags=given.get("flags"),
                meta=given.get("meta"),
            )
            message = await self._add(run.session_id, node)
        run.start(user_message_id=message["id"], parent_id=message["id"], model=model)
        return message["id"]

    @asynccontextmanager
    async def writing(
        self,
        run: Run,
        role: str = "assistant",
        *,
        parent_id: str | None,
        name: str | None = None,
        meta: JsonObject | None = None,
    ) -> AsyncIterator[MessageWriter]:
        """A message of a run that is stored when the block ends, however it ends.

        Cancelled, it is stored as far as it came, marked `cancelled`. After a failure it ends with an error part. A
        message without any part is stored only when the block ends well.
        """
        message = run.message(role, parent_id=parent_id, name=name, meta=meta)
        try:
            yield message
        except asyncio.CancelledError:
            message.meta["cancelled"] = True
            if message.parts:
                await self.keep(run, message)
            raise
        except SessionError as error:
            message.fail(error.code, error.message)
            await self.keep(run, message)
            raise
        except BaseException:
            message.fail(SessionErrorCode.INTERNAL, "The backend failed.")
            await self.keep(run, message)
            raise
        await self.keep(run, message)

    async def keep(self, run: Run, message: MessageWriter) -> Message:
        """Stores a message of a run under its id and ends it."""
        message.end_parts()
        node = NodeInput(
            role=message.role,
            id=message.id,
            name=message.name,
            parts=message.parts,
            parent=message.parent_id,
            meta=message.meta or None,
        )
        async with self._alone(run.session_id):
            stored = await self._add(run.session_id, node)
        message.end(stored)
        return stored

    # Inside

    async def _add(self, session_id: str, node: NodeInput) -> Message:
        stored = await self.store.append_node(session_id, node)
        if not isinstance(node.parent, Unset) and self._store_has("swipes"):
            await self.store.set_active_leaf(session_id, stored.id)  # stores disagree about whether a branch is active
        return await self.store.message(session_id, stored.id)

    async def _node(self, session_id: str, node_id: str) -> StoreNode:
        tree = tree_of((await self.store.load(session_id)).nodes)
        return tree.nodes[_place(tree, node_id)]

    async def _leaf_id(self, session_id: str) -> str | None:
        session = await self.store.load(session_id)
        leaf = active_leaf(tree_of(session.nodes), session.meta)
        return None if leaf is None else session.nodes[leaf].id

    async def _choices(self, opts: SessionCreateOpts) -> JsonObject:
        own: JsonObject = {}
        if "model" in opts:
            if self._check_model is None:
                raise NotSupported("models")
            await self._check_model(opts["model"])
            own["model"] = cast(JsonObject, opts["model"])
        if "profile" in opts:
            profile = await self._chosen_profile(opts["profile"])
            own["profile"] = INLINE_PROFILE_ID if is_object(opts["profile"]) else cast(str, opts["profile"])
            if is_object(opts["profile"]):
                own["profileDoc"] = cast(JsonObject, profile)
        if "workspace" in opts:
            own["workspace"] = opts["workspace"]
        return own

    async def _chosen_profile(self, profile: str | ProfileDoc | None) -> ProfileDoc | None:
        if profile is None:
            return None
        if self._profile_of is None:
            raise NotSupported("profiles")
        if not isinstance(profile, str):
            return inline_profile(profile)
        return None if profile == DEFAULT_PROFILE_ID else await self._profile_of(profile)

    async def _described(self, info: SessionInfo) -> SessionInfo:
        if not self._store_has("sessionMeta"):
            return info
        return self._with_choices(info, await self.store.get_meta(info["id"]))

    def _with_choices(self, info: SessionInfo, document: JsonObject) -> SessionInfo:
        own = object_of(document.get(_OWN))
        if self._profile_of is not None:
            own = {"profile": DEFAULT_PROFILE_ID, **own}
        return cast(SessionInfo, {**cast(JsonObject, info), **own})

    def _store_has(self, capability: str) -> bool:
        return has(cast(JsonObject, self.store.capabilities), capability)

    def _alone(self, session_id: str) -> asyncio.Lock:
        lock = self._locks.get(session_id)
        if lock is None:
            lock = self._locks[session_id] = asyncio.Lock()
        return lock


def _place(tree: Tree, node_id: str) -> int:
    at = tree.by_id.get(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    return at


def _without_own(document: JsonObject) -> JsonObject:
    return {name: value for name, value in document.items() if name != _OWN}
