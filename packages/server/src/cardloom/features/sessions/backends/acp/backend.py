"""An agent of the Agent Client Protocol behind the contract. Sessions live in a store of ours.

An agent remembers one line of talk. As long as a session's history is just what its agent has heard and said, it goes
on there; after an edit, a branch or a restart the agent begins anew and is first told what was said. Spec: session
protocol, adapters (ACP).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.codecs.blocks import split_data_url
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.json_text import JsonObject, is_number, object_of, text_of
from cardloom_protocol.session.messages import Message, current_flags
from cardloom_protocol.session.parts import AnyPart, derived_text
from cardloom_protocol.session.tree import to_message, tree_of
from cardloom_sdk.backend import Backend, Run, StoreSessions
from cardloom_sdk.stores import SessionStore

from .agent import AcpAgent, AcpSettings
from .hearing import AcpHearing

_PREFACE = "This is what was said before; go on from there.\n\n"


@dataclass(frozen=True, slots=True)
class _Known:
    """An agent's session, and the history that it knows, by ids and content."""

    agent_session: str
    generation: int
    heard: tuple[tuple[str, str], ...]


class AcpBackend(Backend):
    """One agent."""

    def __init__(self, settings: AcpSettings, store: SessionStore) -> None:
        self._agent = AcpAgent(settings)
        self._known: dict[str, _Known] = {}
        self._running: dict[str, str] = {}
        self.sessions: StoreSessions = StoreSessions(store)

    async def capabilities(self) -> Capabilities:
        """What the store can do, and runs with questions."""
        run = {"ask": True, "activity": True, "cancel": True}
        return cast(Capabilities, {"protocol": PROTOCOL_VERSION, **self.sessions.capabilities(), "run": run})

    async def begin(self) -> None:
        """Start the agent's program, unless it runs. `acp_unavailable`."""
        await self._agent.start()

    async def run(self, run: Run) -> None:
        """See the contract. The agent is started before anything is stored, so that a missing one changes nothing."""
        await self.sessions.get(run.session_id)
        await self._agent.start()
        parent = await self.sessions.begin(run)
        path = await self._path(run.session_id, parent)
        before, asked = (path[:-1], path[-1:]) if path and path[-1]["role"] == "user" else (path, [])
        agent_session, preface = await self._session(run.session_id, before)
        prompt = self._prompt(preface, asked[0]["parts"] if asked else [])
        hearing = AcpHearing(run, self.sessions, parent)
        self._running[run.id] = agent_session
        answer = asyncio.create_task(self._agent.prompt(agent_session, prompt, hearing.hear, hearing.permit))
        try:
            if run.cancelled:
                await self._agent.cancel(agent_session)
            said = await hearing.hear_until(answer)
        except SessionError as error:
            await hearing.finish(error=(error.code, error.message))
            raise
        except asyncio.CancelledError:
            answer.cancel()
            await hearing.finish(cancelled=True)
            raise
        finally:
            del self._running[run.id]
            self._known.pop(run.session_id, None)
        await hearing.finish(cancelled=run.cancelled)
        _tell_end(run, said)
        if not run.cancelled:
            after = await self._path(run.session_id, hearing.last_id)
            self._known[run.session_id] = _Known(agent_session, self._agent.generation, _marks(after))

    async def cancel(self, run: Run) -> None:
        """Tells the agent to stop; what it still says is kept."""
        agent_session = self._running.get(run.id)
        if agent_session is None:
            run.interrupt()
            return
        try:
            await self._agent.cancel(agent_session)
        except SessionError:
            run.interrupt()

    async def close(self) -> None:
        """End the agent."""
        await self._agent.close()

    async def _session(self, session_id: str, before: Sequence[Message]) -> tuple[str, str]:
        """The agent's session to go on in, and what it has to be told first."""
        known = self._known.get(session_id)
        if known is not None and known.generation == self._agent.generation and known.heard == _marks(before):
            return known.agent_session, ""
        return await self._agent.new_session(), _told(before)

    async def _path(self, session_id: str, last: str | None) -> list[Message]:
        """The messages from the root to one of them, whatever branch is active."""
        tree = tree_of((await self.sessions.store.load(session_id)).nodes)
        if last is None:
            return []
        if last not in tree.by_id:
            raise NotFound(f"The session has no message {last!r}.")
        return [to_message(tree, at) for at in tree.path(tree.by_id[last])]

    def _prompt(self, preface: str, parts: Sequence[AnyPart]) -> list[JsonObject]:
        prompt: list[JsonObject] = [{"type": "text", "text": preface}] if preface else []
        for part in parts:
            meta, text = object_of(part.get("meta")), text_of(part.get("text"))
            image = split_data_url(meta.get("url")) if part.get("type") == "image" else None
            if image is not None and self._agent.takes_images:
                prompt.append({"type": "image", "mimeType": image[0], "data": image[1]})
            elif part.get("type") == "file":
                prompt.append({"type": "text", "text": f"[file {text_of(meta.get('name'))}]\n{text}"})
            elif text:
                prompt.append({"type": "text", "text": text})
        return prompt or [{"type": "text", "text": ""}]


def _marks(messages: Sequence[Message]) -> tuple[tuple[str, str], ...]:
    """What tells one history from another: ids, contents, and what the model must not see."""
    return tuple(
        (message["id"], f"{message.get('hash', '')}{current_flags(message.get('flags') or {}).get('disabled', '')}")
        for message in messages
    )


def _told(messages: Sequence[Message]) -> str:
    """What was said, for an agent that has not heard it."""
    shown = [
        f"{message['role']}: {derived_text(message)}"
        for message in messages
        if derived_text(message) and current_flags(message.get("flags") or {}).get("disabled") is not True
    ]
    return _PREFACE + "\n\n".join(shown) if shown else ""


def _tell_end(run: Run, said: JsonObject) -> None:
    run.stop_reason = text_of(said.get("stopReason")) or None
    usage = object_of(said.get("usage"))
    read = [usage.get(name) for name in ("inputTokens", "cachedReadTokens", "cachedWriteTokens")]
    written = [usage.get(name) for name in ("outputTokens", "thoughtTokens")]
    if is_number(usage.get("inputTokens")):
        run.usage = {
            "input": sum(int(count) for count in read if is_number(count)),
            "output": sum(int(count) for count in written if is_number(count)),
        }
