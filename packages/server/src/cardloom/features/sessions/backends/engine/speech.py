"""What a model says, whatever the interface it says it through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Thoughts:
    """A piece of what the model thinks first."""

    text: str


@dataclass(frozen=True, slots=True)
class Signature:
    """What the endpoint wants to see again with the thought that just ended."""

    text: str


@dataclass(frozen=True, slots=True)
class CallBegun:
    """A tool call begins; `key` tells its pieces from those of others."""

    key: str
    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of the JSON of a call's arguments."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens so far, cached ones among the input; the last count of each kind stands. None says nothing."""

    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why the model stopped, in the endpoint's own word."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The endpoint gives up in the middle."""

    message: str


Speech: TypeAlias = Words | Thoughts | Signature | CallBegun | CallPiece | Counted | Stopped | Failed
