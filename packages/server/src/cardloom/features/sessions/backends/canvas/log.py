"""An agent's own log as the history of its session. It is read, never written. Spec: session protocol, codecs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cardloom_protocol.session.codecs.claude import claude_session, parse_claude
from cardloom_protocol.session.codecs.pi import parse_pi
from cardloom_protocol.session.codecs.pi_view import pi_view
from cardloom_protocol.session.errors import CodecError
from cardloom_protocol.session.json_text import object_of, text_of
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.model import StoredSession
from cardloom_protocol.session.parts import derived_text
from cardloom_protocol.session.tree import to_history

from .agents import LogForm, LogPlace

_KEPT: Final = 8
"""How many logs are remembered as they were read last."""


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: tuple[int, int]
    messages: list[Message]


class Logs:
    """Reads logs; one that has not changed is not read again."""

    def __init__(self) -> None:
        self._known: dict[Path, _Read] = {}

    async def messages(self, place: LogPlace) -> list[Message]:
        """The messages of a log; none while there is no such file, or nothing in it that can be read."""
        return list(await asyncio.to_thread(self._messages, place))

    def _messages(self, place: LogPlace) -> list[Message]:
        try:
            found = place.path.stat()
            stamp = (found.st_size, found.st_mtime_ns)
            known = self._known.pop(place.path, None)
            if known is None or known.stamp != stamp:
                text = place.path.read_bytes().decode("utf-8", "replace")
                known = _Read(stamp, messages_of(place.form, text))
        except OSError:
            return []
        self._known[place.path] = known
        while len(self._known) > _KEPT:
            self._known.pop(next(iter(self._known)))
        return known.messages


def messages_of(form: LogForm, text: str) -> list[Message]:
    """What is said in a log: its active line, without sub-agents and without the program's notes to itself."""
    try:
        session = pi_view(parse_pi(text)) if form == "pi" else _main_line(claude_session(parse_claude(text), "log"))
    except CodecError:
        return []
    return [message for message in to_history(session) if not _is_note(message)]


def _main_line(session: StoredSession) -> StoredSession:
    nodes = [node for node in session.nodes if object_of(node.meta).get("sidechain") is not True]
    return replace(session, nodes=nodes)


def _is_note(message: Message) -> bool:
    hints = [text_of(object_of(part.get("meta")).get("hint")) for part in message["parts"]]
    return not message["parts"] or all(
        part.get("type") == "custom" and hint.startswith("claude.") and not hint.startswith("claude.block.")
        for part, hint in zip(message["parts"], hints, strict=True)
    )


def is_said_by_person(message: Message) -> bool:
    """Whether a message is a prompt, not the result of a tool that the log gives to the same role."""
    return message["role"] == "user" and not any(part.get("type") == "tool_result" for part in message["parts"])


def holds_reply(messages: Sequence[Message], reply: str) -> bool:
    """Whether the log has come as far as a reply that the agent has told of."""
    wanted = "".join(reply.split())
    said = "".join("".join(derived_text(one).split()) for one in messages if one["role"] == "assistant")
    return wanted in said
