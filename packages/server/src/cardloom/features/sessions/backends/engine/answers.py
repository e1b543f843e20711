"""One answer of a model, written down as it comes: parts begin where the kind of what is said changes."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass, field
from typing import Literal, assert_never

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import text_of
from cardloom_protocol.session.messages import Usage
from cardloom_sdk.backend import MessageWriter, PartWriter

from .speech import CallBegun, CallPiece, Counted, Failed, Signature, Speech, Stopped, Thoughts, Words


@dataclass(frozen=True, slots=True)
class Called:
    """A call as the model made it; `data` is a text where its arguments are no JSON."""

    call_id: str
    name: str
    data: JsonValue


@dataclass(slots=True)
class Answer:
    """What came of an answer beside the message itself."""

    calls: list[Called] = field(default_factory=list)
    stop_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def usage(self) -> Usage | None:
        """The tokens, None where the endpoint did not count them."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return {"input": self.input_tokens or 0, "output": self.output_tokens or 0}


async def write_answer(said: AsyncIterable[Speech], reply: MessageWriter, new_id: Callable[[], str]) -> Answer:
    """Write all that a model says into a message. The calls in the result are complete."""
    writing = _Writing(reply, new_id)
    async for one in said:
        writing.take(one)
    return writing.end()


class _Writing:
    def __init__(self, reply: MessageWriter, new_id: Callable[[], str]) -> None:
        self._reply = reply
        self._new_id = new_id
        self._answer = Answer()
        self._open: tuple[Literal["text", "thinking"], PartWriter] | None = None
        self._calls: dict[str, tuple[PartWriter, str, str]] = {}

    def take(self, one: Speech) -> None:
        """Write one piece."""
        match one:
            case Words(text):
                self._part("text").add(text)
            case Thoughts(text):
                self._part("thinking").add(text)
            case Signature(text):
                self._sign(text)
            case CallBegun():
                self._begin_call(one)
            case CallPiece(key, text):
                if key in self._calls:
                    self._calls[key][0].add(text)
            case Counted(input_tokens, output_tokens):
                if input_tokens is not None:
                    self._answer.input_tokens = input_tokens
                if output_tokens is not None:
                    self._answer.output_tokens = output_tokens
            case Stopped(reason):
                self._answer.stop_reason = reason
            case Failed():
                pass  # the endpoint raises it
            case _:
                assert_never(one)

    def end(self) -> Answer:
        """Complete what is open and gather the calls."""
        self._close()
        for part, call_id, name in self._calls.values():
            self._answer.calls.append(Called(call_id, name, part.end().get("data")))
        return self._answer

    def _part(self, kind: Literal["text", "thinking"]) -> PartWriter:
        if self._open is not None and self._open[0] == kind:
            return self._open[1]
        self._close()
        self._open = (kind, self._reply.text() if kind == "text" else self._reply.thinking())
        return self._open[1]

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].end()
            self._open = None

    def _sign(self, signature: str) -> None:
        """A signature belongs to the thought it ends; one without a thought still has to be kept."""
        part = self._part("thinking")
        part.end({**part.gathered(), "meta": {"signature": signature}})
        self._open = None

    def _begin_call(self, one: CallBegun) -> None:
        self._close()
        taken = {call_id for _, call_id, _ in self._calls.values()}
        call_id = one.call_id if one.call_id and one.call_id not in taken else self._new_id()
        self._calls[one.key] = (self._reply.tool_use(call_id, text_of(one.name)), call_id, one.name)
