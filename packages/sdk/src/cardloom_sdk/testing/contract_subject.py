"""What a check of the contract of backends is given, and how it gets into the contract. See `backend_contract`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AnyRunEvent
from cardloom_protocol.session.json_text import read_json
from cardloom_protocol.session.parts import derived_text
from cardloom_protocol.session.run_state import RunState

from .session_clients import SessionClient


@dataclass(frozen=True, slots=True)
class Subject:
    """A backend under test. `words` gives the request that makes its model do something:

    `text` (say something in several pieces), `tool` (call a tool, then speak), `permission` (ask, then speak), `hang`
    (say something, then wait), `fail` (say something, then break off). A missing word means: cannot be provoked.
    """

    client: SessionClient
    words: Mapping[str, str]

    async def session(self, **opts: Any) -> str:
        """A new session."""
        return str((await self.client.call("create", **opts))["id"])

    async def run(self, session_id: str, word: str, **given: Any) -> str:
        """The id of a run that a word began."""
        return str((await self.client.call("run", sessionId=session_id, text=self.words[word], **given))["runId"])

    async def whole_run(self, session_id: str, word: str) -> list[AnyRunEvent]:
        """All events of a run that a word began."""
        return await self.events(await self.run(session_id, word))

    async def events(self, run_id: str, after: str | None = None) -> list[AnyRunEvent]:
        """The events of a run to its end."""
        return [event async for _, event in self.client.follow(run_id, after)]

    async def history(self, session_id: str) -> list[dict[str, Any]]:
        """The messages that a client would see."""
        return list(await self.client.call("messages", sessionId=session_id))


Check: TypeAlias = Callable[[Subject], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Row:
    """A check with the scenarios it stands for, the capabilities it needs and the words that must be known."""

    check: Check
    scenarios: tuple[int, ...]
    needs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


_ROWS: list[Row] = []


def scenario(*numbers: int, needs: str = "", words: str = "") -> Callable[[Check], Check]:
    """Puts a check into the contract."""

    def put(check: Check) -> Check:
        _ROWS.append(Row(check, numbers, tuple(needs.split()), tuple(words.split())))
        return check

    return put


def rows() -> list[Row]:
    """What was put into the contract so far."""
    return list(_ROWS)


async def refused(code: str, work: Awaitable[object]) -> SessionError:
    """The error of work that must be refused with that code."""
    try:
        await work
    except SessionError as error:
        if error.code == code:
            return error
        raise
    raise AssertionError(f"{code} was expected")


def types_of(events: Iterable[AnyRunEvent]) -> list[str]:
    """The types of some events."""
    return [str(event["type"]) for event in events]


def shown(events: Iterable[AnyRunEvent]) -> list[dict[str, Any]]:
    """The messages that some events add up to."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state.shown


def without_swipes(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages without what other messages beside them change."""
    return [{name: value for name, value in message.items() if name != "swipes"} for message in messages]


def answer_text(events: Iterable[AnyRunEvent]) -> str:
    """The plain text of all that was said in a run."""
    return "".join(derived_text(message) for message in shown(events))


def json_of(text: str) -> Any:
    """The value of a JSON text."""
    return read_json(text)
