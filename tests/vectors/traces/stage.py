"""One recorded exchange being played: its steps in order, a Python card on one side, the record on the other."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Final

from cardloom_sdk import CallError, Card
from cardloom_sdk.channel import ChannelClosed
from cardloom_sdk.testing import VirtualTiming, settle

Step = Mapping[str, Any]

_STANDS_FOR_TEXT = re.compile(r"<(requestId|error text|log text|dropped)\b.*>")
_LONG_TEXT = re.compile(r"<string of (\d+)>")
CONTEXT: Final[dict[str, Any]] = {
    "protocol": 1,
    "appVersion": "9.9.9",
    "instance": {"instanceId": "i1", "size": {"w": 420, "h": 320}},
    "workspace": {"id": "w"},
    "visibility": "visible",
    "expanded": False,
    "theme": {"scheme": "dark", "tokens": {}},
    "i18n": {"language": "en", "locale": "en-US"},
    "launch": "created",
    "limits": {},
    "settings": {"values": {}, "secrets": {}},
    "permissions": [],
    "ports": {"inputs": [], "outputs": []},
    "peers": [],
}


def matches(sent: Any, recorded: Any) -> bool:
    """Whether something sent is what was recorded; some texts of the record stand for any text."""
    if isinstance(recorded, str) and isinstance(sent, str):
        long_text = _LONG_TEXT.fullmatch(recorded)
        if long_text is not None:
            return len(sent) == int(long_text[1])
        return sent == recorded or (sent != "" and _STANDS_FOR_TEXT.fullmatch(recorded) is not None)
    if isinstance(recorded, dict) and isinstance(sent, dict):
        return recorded.keys() == sent.keys() and all(matches(sent[key], recorded[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(sent, list):
        return len(recorded) == len(sent) and all(map(matches, sent, recorded))
    return type(sent) is type(recorded) and bool(sent == recorded)


class ScriptedChannel:
    """The card's end of a channel whose other end is the record."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.closed = False
        self._inbox: asyncio.Queue[str | ChannelClosed] = asyncio.Queue()

    def post(self, message: Any) -> None:
        """Let the host say something."""
        self._inbox.put_nowait(json.dumps(message))

    async def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    async def receive(self) -> str:
        got = await self._inbox.get()
        if isinstance(got, ChannelClosed):
            raise got
        return got

    async def close(self) -> None:
        self.closed = True
        self._inbox.put_nowait(ChannelClosed(1000, ""))


class Stage:
    """One scenario being played, its steps in order."""

    def __init__(self, steps: list[Step]) -> None:
        self.timing = VirtualTiming()
        self.card = Card(timing=self.timing)
        self.channel = ScriptedChannel()
        self._steps = steps
        self._at = 0
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Stage:
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.card.stop_handlers()

    async def sdk(self) -> Any:
        """The card's next message, which has to be the recorded one."""
        recorded = self._next("sdk")
        await settle()
        assert self.channel.sent, f"step {self._at}: the card sent nothing, recorded {recorded!r}"
        sent = self.channel.sent.pop(0)
        assert matches(sent, recorded), f"step {self._at}: the card sent {str(sent)[:400]}, recorded {recorded!r}"
        return sent

    async def host(self, **data: Any) -> None:
        """Send the host's next message; `data` stands in its event's data for what the record abbreviates."""
        message = self._next("host")
        if isinstance(message, dict) and "kind" not in message and "event" in message:
            fields = {key: value for key, value in message.items() if key != "event"}
            message = {"ns": "nscard", "v": 1, "kind": "evt", "event": message["event"], "data": fields}
        if data:
            message = {**message, "data": {**message["data"], **data}}
        await self._say(message)

    async def host_result(self, **result: Any) -> None:
        """Answer with the host's next message; `result` stands in its result for what the record abbreviates."""
        message = self._next("host")
        await self._say({**message, "result": {**message["result"], **result}})

    async def instead(self, message: Any) -> None:
        """Send something in the place of the host's next message."""
        self._next("host")
        await self._say(message)

    def see(self, **seen: Any) -> None:
        """What is seen now, which has to be what was recorded of it."""
        recorded = self._steps[self._at]
        self._at += 1
        assert seen, "nothing was looked at"
        assert {key: recorded[key] for key in seen} == seen, f"step {self._at}"

    async def meet(self) -> Card:
        """Play the recorded handshake."""
        self.start(self.card.attend(self.channel))
        await self.sdk()
        await self.host()
        return self.card

    async def meet_unseen(self) -> Card:
        """Shake hands where the record begins later."""
        self.start(self.card.attend(self.channel))
        await self.skip(1)
        self.answer(1, CONTEXT)
        await settle()
        return self.card

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin something that goes on while the play does."""
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    def answer(self, request_id: int, result: Any = None) -> None:
        """Answer a call where the record does not."""
        head = {"ns": "nscard", "v": 1, "kind": "res", "id": request_id, "ok": True}
        self.channel.post(head if result is None else {**head, "result": result})

    def event(self, name: str, data: Any) -> None:
        """Send an event where the record only counts it."""
        self.channel.post({"ns": "nscard", "v": 1, "kind": "evt", "event": name, "data": data})

    async def sent_count(self) -> int:
        """How much the card sent that nobody looked at yet."""
        await settle()
        return len(self.channel.sent)

    async def skip(self, count: int) -> None:
        """Drop messages that the record does not list."""
        await settle()
        assert len(self.channel.sent) >= count
        del self.channel.sent[:count]

    def deadline(self, ms: int) -> int:
        """The moment in so many milliseconds."""
        return self.timing.now_ms() + ms

    async def end(self) -> None:
        """Everything recorded was played, and nothing else was sent."""
        await settle()
        assert self._at == len(self._steps), f"the record goes on: {self._steps[self._at :]}"
        assert self.channel.sent == []

    async def _say(self, message: Any) -> None:
        self.channel.post(message)
        await settle()

    def _next(self, kind: str) -> Any:
        assert self._at < len(self._steps), "the record is over"
        step = self._steps[self._at]
        assert list(step) == [kind], f"step {self._at}: not the turn of {kind}"
        self._at += 1
        return step[kind]


async def outcome(task: Awaitable[Any]) -> str:
    """`ok`, or the code of the refusal."""
    try:
        await task
    except CallError as error:
        return error.code.value
    return "ok"
