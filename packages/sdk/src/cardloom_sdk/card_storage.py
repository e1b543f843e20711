"""What a card keeps: values by key in its own store, and in the one that all cards of its package share.

Used as `card.storage.set("k", 1)` and `card.storage.package.get("k")`. Spec: cards, storage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .host_calls import Call
from .listeners import Listeners, Stop
from .topics import Topics

Scope: TypeAlias = Literal["instance", "package"]

TOPIC = "storage.changed"


@dataclass(frozen=True, slots=True)
class StorageUsage:
    """How full a store is: UTF-16 units of keys and compact JSON, what it may hold, how many keys."""

    bytes: int
    quota: int
    keys: int


@dataclass(frozen=True, slots=True)
class StorageChange:
    """Another card wrote or deleted a key. An empty key stands for all of them: the store was emptied."""

    key: str
    deleted: bool

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> StorageChange:
        return cls(wire["key"], wire["deleted"])


class StorageArea:
    """One store."""

    def __init__(self, scope: Scope, call: Call, listeners: Listeners, topics: Topics) -> None:
        self.scope: Scope = scope
        self._call = call
        self._listeners = listeners
        self._topics = topics

    async def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, the default where there is none."""
        answer = await self._call("storage.get", {"scope": self.scope, "key": key})
        return answer["value"] if answer["exists"] else default

    async def set(self, key: str, value: Any) -> None:
        """Keep a value of up to 1 MiB of JSON. TOO_LARGE; QUOTA_EXCEEDED when the store is full."""
        await self._call("storage.set", {"scope": self.scope, "key": key, "value": value})

    async def delete(self, key: str) -> None:
        """Drop a value; nothing happens where there is none."""
        await self._call("storage.delete", {"scope": self.scope, "key": key})

    async def clear(self) -> None:
        """Drop everything."""
        await self._call("storage.clear", {"scope": self.scope})

    async def keys(self, prefix: str = "") -> list[str]:
        """The keys in use, sorted, those that begin with `prefix` if given."""
        params = {"scope": self.scope, **({"prefix": prefix} if prefix else {})}
        return list((await self._call("storage.keys", params))["keys"])

    async def usage(self) -> StorageUsage:
        """How full the store is."""
        return StorageUsage(**await self._call("storage.usage", {"scope": self.scope}))

    def on_changed(self, handler: Callable[..., Any]) -> Stop:
        """Call a function with each StorageChange that another card made; gives how to stop."""
        stop_listening = self._listeners.add(
            TOPIC,
            handler,
            wants=lambda data: data["scope"] == self.scope,
            convert=lambda data: (StorageChange.from_wire(data),),
        )
        stop_wanting = self._topics.want(TOPIC)

        def stop() -> None:
            stop_listening()
            stop_wanting()

        return stop


class Storage(StorageArea):
    """A card's own store, and its package's."""

    def __init__(self, call: Call, listeners: Listeners, topics: Topics) -> None:
        super().__init__("instance", call, listeners, topics)
        self.package = StorageArea("package", call, listeners, topics)

    @property
    def instance(self) -> StorageArea:
        """The card's own store, by its name."""
        return self
