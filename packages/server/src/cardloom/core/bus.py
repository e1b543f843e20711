"""Events go from features to connections and to other features.

A connection follows topics; an event is published to one topic and handed to each follower's sink, in order, at once
(sinks only queue). Features listen by event name. Nothing here waits, so an event published after a commit reaches
every outbox before the reply to the call that caused it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cardloom_protocol.ids import CardId, ConnectionId, WorkspaceId

Topic: TypeAlias = tuple[str, str]
"""What a connection follows: a kind and an id."""

OWNERS: Topic = ("owners", "")


def canvas_topic(workspace_id: WorkspaceId) -> Topic:
    """Changes of one canvas, for pages and the SDK."""
    return ("canvas", workspace_id)


def terminal_topic(card_id: CardId) -> Topic:
    """What concerns the viewers of one terminal."""
    return ("terminal", card_id)


def card_topic(card_id: CardId) -> Topic:
    """Events for the one connection that is this card."""
    return ("card", card_id)


def connection_topic(connection_id: ConnectionId) -> Topic:
    """Events for one connection alone."""
    return ("connection", connection_id)


@dataclass(slots=True)
class Event:
    """One event as its receivers read it. `texts` keeps its encoded frame per namespace, made once for all."""

    name: str
    data: Any
    texts: dict[str, str] = field(default_factory=dict)


Sink: TypeAlias = Callable[[Event], None]
Listener: TypeAlias = Callable[[Event], None]
Waiting: TypeAlias = Callable[[], int]
DetachListener: TypeAlias = Callable[[ConnectionId], None]


def _nothing_waits() -> int:
    return 0


class Bus:
    """Who follows what. A connection's own topic is followed from `attach` on."""

    def __init__(self) -> None:
        self._sinks: dict[ConnectionId, Sink] = {}
        self._followers: dict[Topic, dict[ConnectionId, Sink]] = {}
        self._topics: dict[ConnectionId, set[Topic]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._waiting: dict[ConnectionId, Waiting] = {}
        self._on_detach: list[DetachListener] = []

    def attach(self, connection_id: ConnectionId, sink: Sink, waiting: Waiting = _nothing_waits) -> None:
        """Take in a connection; its sink is called for every event it follows.

        `waiting` tells how many characters of events its peer has not read yet.
        """
        self._sinks[connection_id] = sink
        self._waiting[connection_id] = waiting
        self._topics[connection_id] = set()
        self.follow(connection_id, connection_topic(connection_id))

    def detach(self, connection_id: ConnectionId) -> None:
        """Forget a connection and all it followed."""
        self._sinks.pop(connection_id, None)
        self._waiting.pop(connection_id, None)
        for topic in self._topics.pop(connection_id, set()):
            self._unfollow(connection_id, topic)
        for listener in self._on_detach:
            listener(connection_id)

    def follow(self, connection_id: ConnectionId, topic: Topic) -> None:
        """Let a connection receive a topic; nothing happens when it is gone already."""
        sink = self._sinks.get(connection_id)
        if sink is not None:
            self._topics[connection_id].add(topic)
            self._followers.setdefault(topic, {})[connection_id] = sink

    def unfollow(self, connection_id: ConnectionId, topic: Topic) -> None:
        self._topics.get(connection_id, set()).discard(topic)
        self._unfollow(connection_id, topic)

    def followers(self, topic: Topic) -> list[ConnectionId]:
        """The connections that follow a topic."""
        return list(self._followers.get(topic, ()))

    def is_followed(self, topic: Topic) -> bool:
        """Whether anybody follows a topic."""
        return topic in self._followers

    def reaches_anybody(self, name: str, topic: Topic) -> bool:
        """Whether an event of that name would be heard on a topic."""
        return topic in self._followers or name in self._listeners

    def waiting(self, topic: Topic) -> int:
        """How many characters of events the slowest follower of a topic has not read yet."""
        return max((self._waiting[connection_id]() for connection_id in self._followers.get(topic, ())), default=0)

    def listen_detach(self, listener: DetachListener) -> None:
        """Be told when a connection is gone."""
        self._on_detach.append(listener)

    def listen(self, name: str, listener: Listener) -> None:
        """Call a feature for every event of a name; listeners must not wait or raise."""
        self._listeners.setdefault(name, []).append(listener)

    def publish(self, name: str, data: Any, topic: Topic, texts: dict[str, str] | None = None) -> None:
        """Hand an event to all who follow its topic and all who listen for its name.

        Events with the same name and data may be given one `texts`, so that they are encoded once together.
        """
        self.hand(Event(name, data, {} if texts is None else texts), topic)

    def hand(self, event: Event, topic: Topic) -> bool:
        """Publish an event that goes to several topics, one after another; tells whether anybody follows this one."""
        followers = self._followers.get(topic)
        if followers is not None:
            for sink in followers.values():
                sink(event)
        for listener in self._listeners.get(event.name, ()):
            listener(event)
        return followers is not None

    def hand_each(self, events: Sequence[Event], receivers: Iterable[tuple[Topic, int]]) -> list[int]:
        """Hand each topic the event of that number, in order; gives the places of those that nobody follows.

        For events that no feature listens for.
        """
        followers = self._followers
        missing: list[int] = []
        for place, (topic, number) in enumerate(receivers):
            found = followers.get(topic)
            if found is None:
                missing.append(place)
                continue
            event = events[number]
            for sink in found.values():
                sink(event)
        return missing

    def _unfollow(self, connection_id: ConnectionId, topic: Topic) -> None:
        followers = self._followers.get(topic)
        if followers is not None:
            followers.pop(connection_id, None)
            if not followers:
                del self._followers[topic]
