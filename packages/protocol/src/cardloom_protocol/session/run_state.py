"""What the events of a run add up to: the messages with their parts, open questions, how it ended.

The host keeps one state a run, so that who comes late is told all of it without the events that are gone; a client
keeps one to show what it has. Tolerant as readers must be: what does not fit is passed over. Spec: session protocol,
run and reconnect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from .events import AnyRunEvent, RunStatus, part_skeleton, run_status
from .json_text import JsonObject, is_object, read_json, text_of
from .parts import AnyPart


@dataclass(slots=True)
class RunPart:
    """One part as far as it has come."""

    skeleton: AnyPart
    pieces: list[str] = field(default_factory=list)
    final: AnyPart | None = None

    @property
    def gathered(self) -> str:
        """What the deltas brought."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    @property
    def value(self) -> AnyPart:
        """The part: final, or with what the deltas brought. Arguments of a tool that are no JSON stay a text."""
        if self.final is not None:
            return self.final
        if not self.gathered:
            return self.skeleton
        if self.skeleton.get("type") != "tool_use":
            return {**self.skeleton, "text": text_of(self.skeleton.get("text")) + self.gathered}
        try:
            return {**self.skeleton, "data": read_json(self.gathered)}
        except ValueError:
            return {**self.skeleton, "data": self.gathered}


@dataclass(slots=True)
class RunMessage:
    """One message as far as it has come; `end` is its `message_end`."""

    start: AnyRunEvent
    parts: dict[int, RunPart] = field(default_factory=dict)
    end: AnyRunEvent | None = None

    @property
    def id(self) -> str:
        return text_of(self.start.get("messageId"))

    def to_wire(self) -> JsonObject:
        """The message as a client shows it: the stored one once it has ended with it."""
        stored = None if self.end is None else self.end.get("message")
        if is_object(stored):
            return stored
        shown: JsonObject = {"id": self.id, "role": text_of(self.start.get("role")) or "assistant"}
        if isinstance(self.start.get("name"), str):
            shown["name"] = self.start["name"]
        shown["parts"] = [part.value for _, part in sorted(self.parts.items())]
        return shown


class RunState:
    """The sum of the events so far."""

    def __init__(self) -> None:
        self.start: AnyRunEvent | None = None
        self.messages: dict[str, RunMessage] = {}
        self.asks: dict[str, AnyRunEvent] = {}
        """The questions that nobody has answered yet."""
        self.activities: dict[str, AnyRunEvent] = {}
        self.end: AnyRunEvent | None = None

    @property
    def status(self) -> RunStatus | None:
        """How the run ended, None while it goes on."""
        return None if self.end is None else run_status(self.end)

    @property
    def shown(self) -> list[JsonObject]:
        """The messages as a client shows them."""
        return [message.to_wire() for message in self.messages.values()]

    def apply(self, event: Mapping[str, object]) -> None:
        """Adds one event; unknown ones and those that fit nowhere change nothing."""
        given = cast(AnyRunEvent, event)
        match event.get("type"):
            case "part_delta":
                part = self._part(event)
                delta = event.get("delta")
                if part is not None and isinstance(delta, str):
                    part.pieces.append(delta)
            case "run_start":
                self.start = given
            case "message_start":
                self.messages[text_of(event.get("messageId"))] = RunMessage(given)
            case "part_start":
                message, number = self._message(event), event.get("part")
                if message is not None and isinstance(number, int):
                    message.parts[number] = RunPart(part_skeleton(event))
            case "part_end":
                part = self._part(event)
                if part is not None:
                    value = event.get("value")
                    part.final = value if is_object(value) else part.value
            case "message_end":
                message = self._message(event)
                if message is not None:
                    message.end = given
            case "ask":
                self._ask(text_of(event.get("askId")), given)
            case "activity":
                self._activity(text_of(event.get("activityId")), given)
            case "run_end":
                self.end = given
            case _:
                return

    def replay(self) -> list[AnyRunEvent]:
        """The fewest events that bring any client to this state, whatever it has seen of the run."""
        events: list[AnyRunEvent] = [] if self.start is None else [self.start]
        for message in self.messages.values():
            events.append(message.start)
            for number, part in sorted(message.parts.items()):
                events += _replayed(message, number, part)
            if message.end is not None:
                events.append(message.end)
        events += self.asks.values()
        events += self.activities.values()
        if self.end is not None:
            events.append(self.end)
        return events

    def closing(self) -> list[AnyRunEvent]:
        """The events that end the parts and messages which are still open."""
        events: list[AnyRunEvent] = []
        for message in self.messages.values():
            if message.end is not None:
                continue
            place: JsonObject = {"runId": message.start.get("runId"), "messageId": message.id}
            events += [
                {"type": "part_end", **place, "part": number, "value": part.value}
                for number, part in sorted(message.parts.items())
                if part.final is None
            ]
            events.append({"type": "message_end", **place})
        return events

    def _ask(self, ask_id: str, event: AnyRunEvent) -> None:
        if is_object(event.get("resolved")):
            self.asks.pop(ask_id, None)
        else:
            self.asks[ask_id] = event

    def _activity(self, activity_id: str, event: AnyRunEvent) -> None:
        self.activities.pop(activity_id, None)
        if activity_id and event.get("done") is not True:
            self.activities[activity_id] = event

    def _message(self, event: Mapping[str, object]) -> RunMessage | None:
        return self.messages.get(text_of(event.get("messageId")))

    def _part(self, event: Mapping[str, object]) -> RunPart | None:
        message, number = self._message(event), event.get("part")
        return message.parts.get(number) if message is not None and isinstance(number, int) else None


def _replayed(message: RunMessage, number: int, part: RunPart) -> list[AnyRunEvent]:
    place: JsonObject = {"runId": message.start.get("runId"), "messageId": message.id, "part": number}
    if part.final is not None:
        return [
            {"type": "part_start", **place, "value": part.skeleton},
            {"type": "part_end", **place, "value": part.final},
        ]
    if part.skeleton.get("type") != "tool_use":
        return [{"type": "part_start", **place, "value": part.value}]
    events: list[AnyRunEvent] = [{"type": "part_start", **place, "value": part.skeleton}]
    if part.gathered:  # the pieces of a JSON text go on from here
        events.append({"type": "part_delta", **place, "delta": part.gathered})
    return events


def coalesced(events: Iterable[AnyRunEvent]) -> list[tuple[AnyRunEvent, int]]:
    """The events with every row of deltas of one part joined into one, each with how many went into it."""
    joined: list[tuple[AnyRunEvent, int]] = []
    row: list[AnyRunEvent] = []

    def close_row() -> None:
        if row:
            whole = row[0] if len(row) == 1 else {**row[0], "delta": "".join(text_of(one["delta"]) for one in row)}
            joined.append((whole, len(row)))
            row.clear()

    for event in events:
        is_delta = event.get("type") == "part_delta" and isinstance(event.get("delta"), str)
        if not (is_delta and row and _place(event) == _place(row[0])):
            close_row()
        if is_delta:
            row.append(event)
        else:
            joined.append((event, 1))
    close_row()
    return joined


def _place(event: AnyRunEvent) -> tuple[object, object]:
    return event.get("messageId"), event.get("part")
