"""`POST /ag-ui`: a thread is a session, a run a run, an interrupt an open question.

A client of AG-UI sends its whole list of messages; those that the session does not have are added, and the last one of
the person starts the run. A client that goes away ends the run, as it has no other way to. Spec: session protocol,
mappings.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session.errors import BadRequest, NotFound, SessionError, SessionErrorCode
from cardloom_protocol.session.json_text import JsonObject, as_json, is_object, list_of, object_of, read_json, text_of
from cardloom_protocol.session.limits import session_limit

from ..host import BackendHost
from ..http.asgi import Receive, Scope, Send
from ..http.reply import Reply
from ..http.requests import read_body
from ..http.streams import Stream, StreamTimes, until_client_leaves
from ..live import LiveRun
from ..log import Reader
from .events import AguiEvent, AguiEvents
from .messages import appended, own_id, snapshot

_logger = logging.getLogger(__name__)
_THREADS_KEPT: Final = 1000


@dataclass(slots=True)
class _Paused:
    """A run that waits for answers: how far it was told, and by whom."""

    live: LiveRun
    events: AguiEvents
    reader: Reader


class AguiApp:
    """Serves one host to clients of AG-UI. Like `SessionApp` it knows nothing of who may ask."""

    def __init__(self, host: BackendHost, *, times: StreamTimes | None = None) -> None:
        self._host = host
        self._times = times or StreamTimes()
        self._paused: dict[str, _Paused] = {}
        self._sessions: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = Reply(send)
        try:
            if scope["method"] != "POST":
                raise NotFound("Runs are started by POST.")
            given = await _read(scope, receive)
            paused = await self._take_up(given)
            await self._send(given, paused, Stream(reply.send, self._times, heartbeat=None), receive)
        except SessionError as error:
            await reply.refuse(error)
        except Exception as error:  # a request's root: the client is told, the log knows why
            if reply.has_begun and isinstance(error, TimeoutError | OSError):
                return  # the client does not read, or is gone
            _logger.exception("a run for AG-UI failed")
            await reply.refuse(SessionError(SessionErrorCode.INTERNAL, "The backend failed."))

    async def _take_up(self, given: JsonObject) -> _Paused:
        thread_id, run_id = text_of(given.get("threadId")), text_of(given.get("runId"))
        resume = [entry for entry in list_of(given.get("resume")) if is_object(entry)]
        if resume:
            paused = self._paused.pop(thread_id, None)
            if paused is None or paused.live.ended:
                raise NotFound("No run of this thread waits for an answer.")
            paused.events.resumed(run_id)
            try:
                _answer(paused.live, resume)
            except SessionError:
                self._paused[thread_id] = paused
                raise
            return paused
        session_id = await self._session_of(thread_id)
        live = await self._start(session_id, run_id, given)
        return _Paused(live, AguiEvents(thread_id, run_id), live.log.reader())

    async def _session_of(self, thread_id: str) -> str:
        """The session of a thread: the one made for it, the one of that id, or a new one."""
        await self._host.start()
        sessions, wanted = self._host.backend.sessions, self._sessions.get(thread_id) or own_id(thread_id)
        try:
            await sessions.get(wanted)
        except NotFound:
            try:
                wanted = (await sessions.create({"id": wanted}))["id"]
            except (BadRequest, NotFound):
                wanted = (await sessions.create({}))["id"]  # a backend whose ids are its own
        self._sessions[thread_id] = wanted
        self._sessions.move_to_end(thread_id)
        if len(self._sessions) > _THREADS_KEPT:
            self._sessions.popitem(last=False)
        return wanted

    async def _start(self, session_id: str, run_id: str, given: JsonObject) -> LiveRun:
        messages = [message for message in list_of(given.get("messages")) if is_object(message)]
        if not messages or messages[-1].get("role") != "user":
            raise BadRequest("The last message must be the person's.")
        known = {message["id"] for message in await self._host.backend.sessions.history(session_id)}
        *earlier, last = [opts for message in messages if (opts := appended(message)) is not None]
        self._host.check_idle(session_id)
        for opts in earlier:
            if opts["id"] not in known:
                await self._host.backend.sessions.append(session_id, opts)
        wanted: dict[str, Any] = {"sessionId": session_id, "parts": last["parts"]}
        if last["id"] not in known:
            wanted["messageId"] = last["id"]
        if not self._host.knows(own_id(run_id)):
            wanted["runId"] = own_id(run_id)
        return await self._host.start_run(cast(Any, wanted))

    async def _send(self, given: JsonObject, run: _Paused, stream: Stream, receive: Receive) -> None:
        release = self._host.open_stream(run.reader.leave)
        try:
            async with until_client_leaves(receive, run.reader.leave), stream.guarded():
                await stream.open()
                await _write(stream, [run.events.started(), *await self._missing(given, run)])
                await self._follow(text_of(given.get("threadId")), run, stream)
            await stream.close()
        finally:
            release()
            if run.reader.has_left and not run.live.ended:
                await self._host.cancel(run.live.id)

    async def _missing(self, given: JsonObject, run: _Paused) -> list[AguiEvent]:
        """The whole history, when the session has messages that the client did not send."""
        has = {own_id(text_of(object_of(message).get("id"))) for message in list_of(given.get("messages"))}
        history = await self._host.backend.sessions.history(run.live.session_id)
        new = {text_of(one) for one in run.live.log.state.messages}
        before = [message for message in history if message["id"] not in new]
        if all(message["id"] in has for message in before) or list_of(given.get("resume")):
            return []
        return [{"type": "MESSAGES_SNAPSHOT", "messages": as_json(snapshot(cast(Any, before)))}]

    async def _follow(self, thread_id: str, run: _Paused, stream: Stream) -> None:
        while not (run.reader.is_done or run.reader.has_left):
            events = [told for one in run.reader.take() for told in run.events.translated(one.event)]
            asks = run.live.open_asks()
            if asks:
                self._paused[thread_id] = run
                await _write(stream, [*events, *run.events.interrupted(asks)])
                return
            if events:
                await _write(stream, events)
            elif not await run.reader.wait(self._times.heartbeat_ms) and not run.reader.has_left:
                await stream.alive()


async def _read(scope: Scope, receive: Receive) -> JsonObject:
    try:
        given = read_json((await read_body(scope, receive, session_limit("requestBytes"))).decode("utf-8"))
    except ValueError as error:
        raise BadRequest(f"The body is not JSON: {error}.") from error
    if not is_object(given) or not text_of(given.get("threadId")) or not text_of(given.get("runId")):
        raise BadRequest("The body must be an object with threadId and runId.")
    return given


async def _write(stream: Stream, events: list[AguiEvent]) -> None:
    await stream.write("".join(f"data: {compact_json(event)}\n\n" for event in events).encode("utf-8"))


def _answer(live: LiveRun, resume: list[JsonObject]) -> None:
    asks = {text_of(ask.get("askId")): ask for ask in live.open_asks()}
    for entry in resume:
        name = text_of(entry.get("interruptId"))
        live.answer(name, _answered(asks.get(name, {}), entry))


def _answered(ask: Mapping[str, Any], entry: JsonObject) -> JsonObject:
    """The answer in a resume entry: an object of ours, the id of an option or several, yes or no, or a text."""
    payload = entry.get("payload")
    if entry.get("status") == "cancelled":
        return {"cancelled": True}
    options = [option for option in list_of(ask.get("options")) if is_object(option)]
    if isinstance(payload, bool):
        wanted = "allow" if payload else "reject"
        fitting = [option["id"] for option in options if text_of(option.get("kind")).startswith(wanted)]
        return {"optionIds": fitting[:1]}
    if isinstance(payload, str):
        return {"optionIds": [payload]} if payload in [option["id"] for option in options] else {"text": payload}
    if isinstance(payload, list):
        return {"optionIds": payload}
    return {name: value for name, value in object_of(payload).items() if name in ("optionIds", "text", "cancelled")}
