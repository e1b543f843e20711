"""What a built-in card holds, and what an editing step or a value makes of it. Pure.

A kind is three rules: what its inputs do, what its output says, and how to get back from what the output said.
Spec: ports, built-in cards; decision 43.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue

from ....core.ids import is_item_id

NewId: TypeAlias = Callable[[], str]
Task: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class State:
    """A card's content and title; both are replaced, never changed in place."""

    content: Mapping[str, Any]
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody changed what the step was based on: nothing is written, `theirs` is what stands there now."""

    theirs: Mapping[str, Any]


class Kind(Protocol):
    """The rules of one kind of card."""

    output: str

    def receive(self, state: State, input_id: str, data: Any, new_id: NewId) -> State:
        """What a value at an input makes of the card. CallError refuses it."""

    def value(self, state: State) -> JsonValue:
        """What the output says."""

    def restored(self, state: State, value: Any) -> State:
        """The card as it was when the output said this."""


def find_task(tasks: Sequence[Task], ref: str) -> int:
    """The index of the task that a patch means: by id, else by exact text. INVALID_PARAMS naming how many match."""
    by_id = [index for index, task in enumerate(tasks) if task["id"] == ref]
    found = by_id or [index for index, task in enumerate(tasks) if task["text"] == ref]
    if len(found) == 1:
        return found[0]
    count = "no task matches" if not found else f"{len(found)} tasks match"
    issue: JsonValue = {"path": "/ref", "keyword": "ref", "message": f"{count} {ref!r}"}
    raise CallError(ErrorCode.INVALID_PARAMS, f"{count} {ref!r}", [issue])


def index_of(entries: Sequence[Task], entry_id: str, what: str) -> int:
    """The index of an entry by id. NOT_FOUND naming it."""
    for index, entry in enumerate(entries):
        if entry["id"] == entry_id:
            return index
    raise CallError(ErrorCode.NOT_FOUND, f"there is no {what} {entry_id!r}")


def same_task(tasks: Sequence[Task], given: Task) -> int | None:
    """The index of the task that a given one is, as it comes again with every change of its list; None for a new one.

    An id that Cardloom made is nobody else's. Under any other id two senders may mean two tasks, so the text decides.
    """
    wanted = given.get("id")
    place = next((index for index, task in enumerate(tasks) if task["id"] == wanted), None)
    if wanted is None or place is None or is_item_id(wanted) or tasks[place]["text"] == given["text"]:
        return place
    return next((index for index, task in enumerate(tasks) if task["text"] == given["text"]), None)


def free_id(wanted: str | None, taken: set[str], new_id: NewId) -> str:
    """The wanted id where it is free, else a new one; takes it."""
    chosen = wanted or new_id()
    while chosen in taken:
        chosen = new_id()
    taken.add(chosen)
    return chosen


def check_room(count: int, limit_name: str, most: int, what: str) -> None:
    """QUOTA_EXCEEDED naming the limit when there would be more than fit."""
    if count > most:
        raise CallError(
            ErrorCode.QUOTA_EXCEEDED, f"{count} {what} would be too many: at most {most} fit ({limit_name})"
        )


def check_unique(entries: Sequence[Task], what: str) -> None:
    """INVALID_PARAMS when an id comes twice."""
    seen: set[str] = set()
    for entry in entries:
        if entry["id"] in seen:
            raise CallError(ErrorCode.INVALID_PARAMS, f"the {what} id {entry['id']!r} comes twice", [])
        seen.add(entry["id"])


def text_conflict(task: Task, step: Mapping[str, Any]) -> Conflict | None:
    """The conflict of a step whose text was written over another text than the one that stands there."""
    base, text = step.get("baseText"), step.get("text")
    if text is None or base is None or task["text"] in (base, text):
        return None
    return Conflict({"text": task["text"]})


def no_input(input_id: str) -> CallError:
    return CallError(ErrorCode.NOT_FOUND, f"there is no input {input_id}")
