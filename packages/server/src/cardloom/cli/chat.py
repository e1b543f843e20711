"""`cardloom chat`: a conversation with a backend of the running server, in the terminal.

The same operations as the chat page, over the same connection. Spec: session protocol; decision 39.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client

from .console import EXIT_FAILED, Answer, say, visible
from .given import given_text
from .session import session as connected


async def chat(
    text: str | None, backend: str | None, session: str | None, model: str | None, *, as_json: bool
) -> Answer:
    """Say one thing and print the answer, or go on until the end of the input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a delta ends no conversation
    if text is None and not sys.stdin.isatty():
        raise CallError(ErrorCode.INVALID_PARAMS, "a conversation needs a terminal; give a text, or - for the input")
    async with connected() as client:
        talk = _Talk(client, {} if backend is None else {"backend": backend}, as_json=as_json)
        session_id = session
        if session is not None and model is not None:
            await talk.choose(session, model)
        if text is not None:
            words = given_text(text)
            session_id, ended = await talk.say_in(session_id, words, model)
            data = {"sessionId": session_id, "text": talk.text, "status": ended}
            return Answer(data, "", 0 if ended == "done" else EXIT_FAILED)
        say("End with Ctrl-D.")
        while (line := await _line()) is not None:
            if line.strip():
                session_id, _ = await talk.say_in(session_id, line, model, announced=True)
    return Answer({"sessionId": session_id}, "")


_CONNECT_ONE: Final = (
    "Connect one on a page (`cardloom open`, the speech bubble, Connect a model) "
    "or in backends.json of the data folder."
)
_LOOK_AGAIN_S: Final = 0.25
_READ_BYTES: Final = 1 << 16
_CODES = {"NOT_FOUND": ErrorCode.NOT_FOUND, "CONFLICT": ErrorCode.BUSY, "BUSY": ErrorCode.BUSY}


class _Talk:
    """One conversation. `text` is what was said last."""

    def __init__(self, client: Client, where: Mapping[str, str], *, as_json: bool) -> None:
        self.text = ""
        self._client = client
        self._hello = client.hello
        self._where = where
        self._quiet = as_json
        self._streams: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._kinds: dict[int, str] = {}
        client.on("session.stream", self._receive)

    async def choose(self, session_id: str, model: str) -> None:
        """Choose the model of a session."""
        await self._call("setModel", {"sessionId": session_id, "model": model})

    async def say_in(
        self, session_id: str | None, words: str, model: str | None, *, announced: bool = False
    ) -> tuple[str, str]:
        """Say something in a session, or in a new one; gives its id and how the turn ended.

        A new session that the backend then takes no word for is removed again.
        """
        if session_id is not None:
            return session_id, await self._answered(await self._begin(session_id, words))
        given = {} if model is None else {"model": {"model": model}}
        made = str((await self._call("create", given))["id"])
        try:
            run_id = await self._begin(made, words)
        except CallError as error:
            with contextlib.suppress(CallError):
                await self._call("delete", {"sessionId": made})
            if await self._has_no_model():
                raise CallError(error.code, f"{error.message} {_CONNECT_ONE}") from error
            raise
        if announced:
            say(f"Session {made}.")
        return made, await self._answered(run_id)

    async def _has_no_model(self) -> bool:
        """Whether the backend lets one choose among models and has none."""
        try:
            return not await self._call("models", {})
        except CallError:
            return False

    async def _begin(self, session_id: str, words: str) -> str:
        return str((await self._call("run", {"sessionId": session_id, "text": words}))["runId"])

    async def _answered(self, run_id: str) -> str:
        """Print a turn as it comes; gives how it ended: done, cancelled or error."""
        try:
            ended = await self._hear(run_id)
        except asyncio.CancelledError:
            with contextlib.suppress(CallError):  # whoever leaves in the middle wants no more of it
                await self._call("cancel", {"runId": run_id})
            raise
        if not self._quiet:
            print(flush=True)
        return ended

    async def _hear(self, run_id: str) -> str:
        stream = await self._call("follow", {"runId": run_id})
        events = self._streams.setdefault(stream["streamId"], asyncio.Queue())
        self.text, self._kinds, ended = "", {}, "error"
        while True:
            told = await self._next(events)
            for item in told["events"]:
                ended = await self._take(item["event"]) or ended
            if told["ended"]:
                break
        del self._streams[stream["streamId"]]
        return ended

    async def _next(self, events: asyncio.Queue[dict[str, Any]]) -> dict[str, Any]:
        """What comes next. UNAVAILABLE as soon as the connection is not the one that the stream belongs to."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_AGAIN_S):
                    return await events.get()
            if not self._client.online or self._client.hello is not self._hello:
                raise CallError(ErrorCode.UNAVAILABLE, "The server is away; what was said is kept in the session.")

    async def _take(self, event: Mapping[str, Any]) -> str | None:
        match event.get("type"):
            case "part_start":
                self._begin_part(event["part"], event.get("value") or {})
            case "part_delta" if self._kinds.get(event["part"]) == "text":
                self._print(str(event["delta"]))
            case "part_end":
                self._end_part(event.get("value") or {})
            case "message_start":
                self._kinds = {}
            case "ask" if not event.get("resolved"):
                await self._answer(event)
            case "error":
                say(f"cardloom: {event.get('message') or event.get('text') or 'the run failed'}")
            case "run_end":
                error = event.get("error")
                if error:
                    say(f"cardloom: {error.get('message') if isinstance(error, dict) else error}")
                return str(event.get("status") or "done")
        return None

    def _begin_part(self, number: int, value: Mapping[str, Any]) -> None:
        self._kinds[number] = str(value.get("type") or "text")
        if self._kinds[number] == "text":
            self._print(("\n\n" if self.text else "") + str(value.get("text") or ""))

    def _end_part(self, value: Mapping[str, Any]) -> None:
        if value.get("type") == "tool_use":
            meta = value.get("meta") or {}
            say(f"[tool {meta.get('name', '?')}] {json.dumps(value.get('data'), ensure_ascii=False)}")

    def _print(self, words: str) -> None:
        self.text += words
        if not self._quiet:
            print(visible(words), end="", flush=True)

    async def _answer(self, event: Mapping[str, Any]) -> None:
        """Ask the person; where there is none, the question is given up, which allows nothing."""
        settled: dict[str, Any] = {"cancelled": True}
        if sys.stdin.isatty():
            options = event.get("options") or []
            say(f"{event.get('title')}{': ' + event['text'] if event.get('text') else ''}")
            for number, option in enumerate(options, 1):
                say(f"  {number} {option['label']}")
            settled = settled_by((await _line()) or "", options)
        else:
            say(f"{event.get('title')}: nobody can answer here, so it is refused")
        try:
            await self._call("answer", {"runId": event["runId"], "askId": event["askId"], **settled})
        except CallError as error:
            if error.code not in (ErrorCode.BUSY, ErrorCode.NOT_FOUND):
                raise
            say("It was settled elsewhere meanwhile.")

    async def _call(self, name: str, params: Mapping[str, Any]) -> Any:
        envelope = await self._client.call(f"session.{name}", {**self._where, **params})
        if not envelope["ok"]:
            error = envelope["error"]
            raise CallError(_CODES.get(error["code"], ErrorCode.INVALID_PARAMS), error["message"])
        return envelope["data"]

    def _receive(self, told: dict[str, Any]) -> None:
        self._streams.setdefault(told["streamId"], asyncio.Queue()).put_nowait(told)


def settled_by(line: str, options: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a typed line answers: the option of that number, the text where there are no options, else nothing."""
    said = line.strip()
    if said.isdecimal() and 1 <= int(said) <= len(options):
        return {"optionIds": [options[int(said) - 1]["id"]]}
    return {"text": said} if said and not options else {"cancelled": True}


async def _line() -> str | None:
    """A line that the person types, None at the end of the input. Ctrl-C ends the waiting, which no thread could."""
    print("> ", end="", flush=True)
    if sys.platform == "win32":
        return await asyncio.to_thread(lambda: sys.stdin.readline() or None)
    loop, descriptor = asyncio.get_running_loop(), sys.stdin.fileno()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _READ_BYTES).decode("utf-8", "replace") or None
