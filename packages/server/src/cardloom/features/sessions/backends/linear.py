"""What engines share whose sessions are one line of messages: they go on at the end and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import NotFound, NotSupported
from cardloom_protocol.session.messages import Message


def check_end(messages: Sequence[Message], parent_id: JsonValue) -> None:
    """NOT_FOUND for an unknown parent, NOT_SUPPORTED for one that is not the end of the session."""
    if parent_id is None or (messages and messages[-1]["id"] == parent_id):
        return
    find(messages, parent_id)
    raise NotSupported("parentId", "This engine goes on at the end of a session only.")


def find(messages: Sequence[Message], message_id: JsonValue) -> Message:
    """The message of that id. NOT_FOUND."""
    for message in messages:
        if message["id"] == message_id:
            return message
    raise NotFound(f"The session has no message {message_id!r}.")
