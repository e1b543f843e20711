"""What a prompt is on its way to an agent, and how it is typed. Pure. Spec: agents, prompts; harnesses, delivery."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from ....core.call import Cause

WhenBusy = Literal["queue", "send", "fail"]
Delivered = Literal["sent", "queued", "inserted"]
PromptState = Literal["waiting", "typing", "unsure"]
"""`unsure`: it was typed, or the server ended while it was, and no turn tells that the agent got it."""

ENTER_AFTER_MS: Final = 200
"""Enter follows the text as a write of its own: programs take keys that come with a paste for a part of it."""

PASTED_CHARS: Final = 500
"""Longer lines are pasted as well, since programs cut long typed text into pieces."""

_LINE_ENDS: Final = re.compile(r"\r\n?|\x85|\u2028|\u2029")
_REFUSED: Final = re.compile(r"\x1b\[20[01]~|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PASTE_BEGIN: Final = "\x1b[200~"
_PASTE_END: Final = "\x1b[201~"


class Unsure(CallError):
    """Enter was pressed and no turn tells that the agent got the prompt: sending it again may be the second time."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a prompt: a card, or the owner (None). `cause` is what made the card send it.

    `recorded`: the journal holds it already, as a value that came along an arrow. `ticket` is by what a sender in this
    server knows its prompt again.
    """

    card_id: CardId | None = None
    name: str | None = None
    cause: Cause | None = None
    recorded: bool = False
    ticket: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """One waiting prompt. `problem` tells why it was tried and still waits; an unsure one waits for a person.

    `approved`: the owner was shown what a card sends to a dangerous agent.
    """

    id: str
    agent_id: CardId
    text: str
    sender: Sender
    at_ms: int
    problem: str | None = None
    state: PromptState = "waiting"
    approved: bool = False

    def to_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            "from": self.sender.card_id,
            "fromName": self.sender.name,
            "atMs": self.at_ms,
            "problem": self.problem,
            "state": self.state,
        }


def cleaned_prompt(text: str) -> str:
    """The text without anything that would act as a key. INVALID_PARAMS when nothing is left.

    Line ends become `\\n`, those at the end go. Escape sequences lose their escape, paste marks go whole, as do other
    control characters and halves of characters.
    """
    cleaned = _REFUSED.sub("", _LINE_ENDS.sub("\n", text)).rstrip("\n ")
    if not cleaned.strip():
        raise CallError(ErrorCode.INVALID_PARAMS, "the prompt holds no text", [])
    return cleaned


def typed(text: str, *, bracketed_paste: bool) -> str:
    """What is written to the terminal for a cleaned prompt, without Enter.

    A command of the program (`/…`) is typed, anything else of several lines or long is pasted. UNAVAILABLE for several
    lines where the program takes no paste now.
    """
    if text.startswith("/") and "\n" not in text:
        return text
    if bracketed_paste and ("\n" in text or len(text) > PASTED_CHARS):
        return f"{_PASTE_BEGIN}{text}{_PASTE_END}"
    if "\n" in text:
        raise CallError(ErrorCode.UNAVAILABLE, "the program in this terminal takes no text of several lines now")
    return text
